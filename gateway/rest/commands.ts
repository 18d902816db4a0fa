// How REST names what a server is made of (DSC-8): a command with arguments, or a URL. `npx`, `uvx` and `docker run` are understood and
// become a package or an image; any other command is a program of one machine, and said so. Pure; nothing is ever run.
import type { ServerSpec } from "../../crds/server.ts";

export type ServerSource = Pick<ServerSpec, "remote" | "container" | "package" | "local">;

export interface Command {
  command: string;
  args: readonly string[];
}

/** What a command says beside its source: variables that `docker run -e` gives. */
export interface ParsedCommand {
  source: ServerSource;
  env: Readonly<Record<string, string>>;
}

/** Why the arguments of a command are not understood. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused";
}

const baseName = (command: string): string =>
  command
    .split(/[/\\]/)
    .at(-1)
    ?.replace(/\.(cmd|exe)$/i, "") ?? command;

/** Throws CommandRefused. */
export function parseCommand({ command, args }: Command): ParsedCommand {
  const program = baseName(command);
  if (program === "npx") return { source: { package: parseNpx(args) }, env: {} };
  if (program === "uvx") return { source: { package: parseUvx(args) }, env: {} };
  if (program === "docker" || program === "podman") return parseDocker(args);
  return { source: { local: { command, args: [...args] } }, env: {} };
}

type PackageSource = NonNullable<ServerSpec["package"]>;

function renderPackage(
  kind: PackageSource["kind"],
  name: string,
  version: string | undefined,
  args: readonly string[],
) {
  return {
    kind,
    name,
    ...(version !== undefined && version !== "" && version !== "latest" && { version }),
    ...(args.length > 0 && { args: [...args] }),
  };
}

function parseNpx(args: readonly string[]): PackageSource {
  let named: string | undefined;
  let at = 0;
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "-y" || arg === "--yes" || arg === "-q" || arg === "--quiet") continue;
    if (arg === "--") {
      at += 1;
      break;
    }
    if (arg === "-p" || arg === "--package") named = args[(at += 1)];
    else if (arg.startsWith("--package=")) named = arg.slice("--package=".length);
    else if (arg.startsWith("-")) throw new CommandRefused(`npx ${arg} is not understood; leave it out`);
    else break;
  }
  const first = args[at];
  const spec = named ?? first;
  if (spec === undefined) throw new CommandRefused("name the package, as in npx -y PACKAGE");
  // The @ of a scope is at the beginning.
  const cut = spec.lastIndexOf("@");
  const [name, version] = cut > 0 ? [spec.slice(0, cut), spec.slice(cut + 1)] : [spec, undefined];
  const rest = args.slice(at + 1);
  const found = renderPackage("npm", name, version, rest);
  return named === undefined || first === undefined ? found : { ...found, command: first };
}

function parseUvx(args: readonly string[]): PackageSource {
  let from: string | undefined;
  let at = 0;
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "-q" || arg === "--quiet") continue;
    if (arg === "--from") from = args[(at += 1)];
    else if (arg.startsWith("--from=")) from = arg.slice("--from=".length);
    else if (arg.startsWith("-")) throw new CommandRefused(`uvx ${arg} is not understood; leave it out`);
    else break;
  }
  const first = args[at];
  const spec = from ?? first;
  if (spec === undefined) throw new CommandRefused("name the package, as in uvx PACKAGE");
  const equals = spec.indexOf("==");
  const cut = equals > 0 ? equals : spec.indexOf("@");
  const name = cut > 0 ? spec.slice(0, cut) : spec;
  const version = cut > 0 ? spec.slice(cut + (equals > 0 ? 2 : 1)) : undefined;
  const found = renderPackage("pypi", name, version, args.slice(at + 1));
  return from === undefined || first === undefined || first === name ? found : { ...found, command: first };
}

/** Flags of `docker run` that change nothing here. */
const idleFlags: ReadonlySet<string> = new Set(["-i", "--interactive", "--rm", "--init", "-t", "--tty", "-it", "-ti"]);

function parseDocker(args: readonly string[]): ParsedCommand {
  if (args[0] !== "run") throw new CommandRefused('only "run" of docker is understood');
  const env: Record<string, string> = {};
  let entrypoint: string | undefined;
  let at = 1;
  const take = (arg: string, flag: string): string | undefined =>
    arg === flag ? (args[(at += 1)] ?? "") : arg.startsWith(`${flag}=`) ? arg.slice(flag.length + 1) : undefined;
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (idleFlags.has(arg) || /^--pull(=|$)/.test(arg)) continue;
    const variable = take(arg, "-e") ?? take(arg, "--env");
    if (variable !== undefined) {
      addVariable(env, variable);
      continue;
    }
    const program = take(arg, "--entrypoint");
    if (program === undefined && !arg.startsWith("-")) break;
    if (program === undefined) {
      throw new CommandRefused(`docker run ${arg} is not understood; a PallasServer has fields for what it may need`);
    }
    entrypoint = program;
  }
  const image = args[at];
  if (image === undefined) throw new CommandRefused("name the image, as in docker run -i --rm IMAGE PROGRAM");
  const words = args.slice(at + 1);
  const [program, ...rest] = entrypoint === undefined ? words : [entrypoint, ...words];
  if (program === undefined) {
    throw new CommandRefused("name the program after the image, or with --entrypoint: nobody reads the image for it");
  }
  return { source: { container: { image, command: [program], ...(rest.length > 0 && { args: rest }) } }, env };
}

function addVariable(env: Record<string, string>, text: string): void {
  const cut = text.indexOf("=");
  if (cut > 0) env[text.slice(0, cut)] = text.slice(cut + 1);
  // `-e NAME` alone takes the value of the one who runs docker: it comes with `env`.
}

/** The command that would be parsed to the same; undefined for a remote one. */
export function renderCommand(spec: ServerSource): Command | undefined {
  const { package: source, container, local } = spec;
  if (local !== undefined) return { command: local.command, args: local.args ?? [] };
  if (container !== undefined) {
    const [program = "", ...before] = container.command;
    const args = ["run", "-i", "--rm", "--entrypoint", program, container.image, ...before, ...(container.args ?? [])];
    return { command: "docker", args };
  }
  if (source === undefined) return undefined;
  const { kind, name, version, command, args = [] } = source;
  if (kind === "npm") {
    const pinned = version === undefined ? name : `${name}@${version}`;
    const head = command === undefined ? ["-y", pinned] : ["-y", "-p", pinned, command];
    return { command: "npx", args: [...head, ...args] };
  }
  const requirement = version === undefined ? name : `${name}==${version}`;
  return {
    command: "uvx",
    args: [...(command === undefined ? [requirement] : ["--from", requirement, command]), ...args],
  };
}
