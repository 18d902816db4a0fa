// mcp.servers that are started as programs (stdio) → PallasServers: what npx and uvx run becomes a package, which pods can run as
// well, and everything else a program of this machine. Arguments stand in manifests for all to read: a server with a key among
// them is left behind.
import { relative, resolve } from "node:path";
import { pallasServer, type ServerSpec } from "../../crds/server.ts";
import { isSecretName, looksSecret } from "../../plan/secret-text.ts";
import type { Draft, Place } from "./field.ts";
import type { MapReader, Placed } from "./map-reader.ts";
import { toResourceName, toVariableName } from "./names.ts";
import type { Notes } from "./notes.ts";
import type { SecretKeys } from "./secret-keys.ts";

export interface ImportedProgram {
  /** As agents refer to it. */
  name: string;
  /** metadata.name */
  resource: string;
  spec: Draft<ServerSpec>;
  place: Place;
}

export interface ProgramSurroundings {
  instance: string;
  secrets: SecretKeys;
  /** The project's folder, and that of the manifests. */
  project: string;
  manifests: string;
}

type Package = NonNullable<ServerSpec["package"]>;
type EnvEntry = NonNullable<ServerSpec["env"]>[number];

/** Of what is said of it. @param name in the project */
export const ownerOf = (name: string): string => `server ${name}`;

/** The server, or why it is left behind. */
export function importProgram(
  reader: MapReader,
  name: string,
  command: Placed<string>,
  around: ProgramSurroundings,
): ImportedProgram | string {
  const { place } = reader;
  const notes = reader.notes.about(ownerOf(name));
  const args = reader.texts("args");
  const cwd = reader.text("cwd");
  const hidden = args.findIndex(({ value, isSecret }) => isSecret || value.includes("${") || isKeyArgument(value));
  if (hidden !== -1) {
    return `args[${hidden}] seems to hold a key or a variable, and manifests hold no secrets; give it to the server in env`;
  }
  const words = args.map(({ value }) => value);
  const published = readPackage(command.value, words);
  if (published === undefined) {
    notes.warn(
      place,
      `${reader.name} becomes a program of this machine, which a cluster refuses; use package or container there`,
    );
  } else {
    if (cwd !== undefined) {
      notes.warn(cwd.place, `${reader.path("cwd")}: not carried over: a package runs in a folder of its own`);
    }
    for (const [at, word] of words.entries()) {
      if (published.args?.includes(word) !== true || !isPath(word)) continue;
      const message = `${reader.path("args")}[${at}] is a path of this machine; a package runs in a folder of its own, and a pod has no such path`;
      notes.warn(args[at]?.place ?? place, message);
    }
  }
  const folder = relative(around.manifests, resolve(around.project, cwd?.value ?? ".")) || ".";
  const local = { command: command.value, args: words, cwd: folder };
  const resource = toResourceName(name) || "server";
  return {
    name,
    resource,
    place,
    spec: {
      instanceRef: { name: around.instance },
      serverName: resource === name ? undefined : name,
      ...(published === undefined ? { local } : { package: published }),
      env: importEnv(reader, name, around.secrets, notes),
    },
  };
}

const isPath = (word: string): boolean => /^(\.{1,2}$|\.{0,2}\/|~\/)/.test(word);

/** `--api-key=…`, or a text that looks like a key. */
const isKeyArgument = (word: string): boolean => {
  const [, flag = "", value = ""] = /^--?([\w-]+)=(.*)$/.exec(word) ?? [];
  return looksSecret(word) || (isSecretName(flag) && value !== "");
};

const shape = pallasServer.spec.shape.package.unwrap();

/** What npx or uvx runs; undefined where it is another program, or started in a way that a package has no fields for. */
function readPackage(program: string, words: readonly string[]): Package | undefined {
  const found =
    program === "npx"
      ? readNpm(words)
      : program === "uvx"
        ? readPypi(words)
        : program === "uv" && words[0] === "tool" && words[1] === "run"
          ? readPypi(words.slice(2))
          : undefined;
  const parsed = shape.safeParse(found);
  return parsed.success ? parsed.data : undefined;
}

function readNpm(words: readonly string[]) {
  const { source, program, args } = readRunner(words, ["-y", "--yes", "-q", "--quiet"], ["-p", "--package"]);
  const [, name, version] = /^((?:@[^@/]+\/)?[^@/]+)(?:@([^@/]+))?$/.exec(source ?? "") ?? [];
  return renderPackage("npm", { name, version, program, args });
}

function readPypi(words: readonly string[]) {
  const { source, program, args } = readRunner(words, ["-q", "--quiet"], ["--from"]);
  const [, name, version] = /^([^=@[\]/]+)(?:(?:==|@)([^=@]+))?$/.exec(source ?? "") ?? [];
  return renderPackage("pypi", { name, version, program, args });
}

/** Options, then the package, unless an option names that and its program stands there, then the server's arguments. */
function readRunner(words: readonly string[], flags: readonly string[], sources: readonly string[]) {
  let named: string | undefined;
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const [option = "", joined] = word.split("=", 2);
    if (sources.includes(option) && named === undefined) {
      named = joined ?? words[(at += 1)];
    } else if (word !== "--" && !flags.includes(word)) {
      break;
    }
  }
  const [first, ...args] = words.slice(at);
  // An option that is not known may change what is run.
  if (first?.startsWith("-") !== false) return { args };
  return named === undefined ? { source: first, args } : { source: named, program: first, args };
}

interface Found {
  name: string | undefined;
  version: string | undefined;
  program: string | undefined;
  args: string[];
}

const renderPackage = (kind: Package["kind"], { name, version, program, args }: Found) => ({
  kind,
  name,
  ...(version !== undefined && version !== "latest" && { version }),
  ...(program !== undefined && { command: program }),
  ...(args.length > 0 && { args }),
});

/** What may be a key goes to the Secret. */
function importEnv(reader: MapReader, owner: string, secrets: SecretKeys, notes: Notes): EnvEntry[] {
  const list = reader.map("env");
  return list.keys.flatMap((name): EnvEntry[] => {
    const placed = list.secretText(name);
    if (placed === undefined) return [];
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name) || name.startsWith("PALLAS_")) {
      const expected = "expected letters, digits and underscores in its name, and not PALLAS_ before it";
      notes.warn(placed.place, `this variable is not carried over: ${expected}; correct it`);
      return [];
    }
    const { value, isSecret } = placed;
    const isPlain = !isSecret && !isSecretName(name) && !looksSecret(value) && /^[ -~]{0,1000}$/.test(value);
    if (isPlain && !value.includes("${")) return [{ name, value }];
    const valueFrom = secrets.referTo(placed, `${owner}.${name.toLowerCase()}`, toVariableName(name), notes);
    return [{ name, valueFrom }];
  });
}
