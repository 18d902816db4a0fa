// The bodies of POST and PUT /api/servers as specs of PallasServers (DSC-8). Each field is checked here by its name in the body; what the
// spec as a whole must hold is judged by plan/, as for everybody who writes one. Pure.
import { createHash } from "node:crypto";
import * as z from "zod";
import type { ServerSpec } from "../../crds/server.ts";
import { maxNameChars } from "../../crds/names.ts";
import { CommandRefused, parseCommand, renderCommand, type ServerSource } from "./commands.ts";
import { wrongField, type RestError } from "./answers.ts";
import { masked } from "./server-view.ts";

const oneLine = (maxChars: number) =>
  z
    .string()
    .max(maxChars)
    .refine((text) => !/\p{Cc}/u.test(text), "expected text without control characters");

const serverNamePattern = /^[a-zA-Z0-9][-a-zA-Z0-9_.]*$/;
const name = z
  .string()
  .min(1)
  .max(63)
  .regex(serverNamePattern, "expected letters, digits, hyphens, underscores and dots, starting with a letter or digit")
  .refine((text) => !text.includes("__"), 'must not contain "__", which separates server and tool');

const variables = z
  .record(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "expected the name of a variable"),
    z.union([z.string().max(32_768), z.number(), z.boolean()]).transform(String),
  )
  .refine((env) => Object.keys(env).length <= 64, "expected at most 64 variables");

const shared = {
  title: oneLine(100),
  description: z.string().max(4096),
  command: oneLine(4096).min(1),
  args: z.array(z.string().max(4096)).max(64),
  url: z.url({ protocol: /^https?$/, error: "expected a URL with http:// or https://" }).max(2048),
  homepage: z.string().max(2048),
  transport: z.enum(["stdio", "streamable-http", "http", "sse"]),
  env: variables,
  tags: z.array(oneLine(63).min(1)).max(32),
  /** Clients of the interface send them; here they follow from the rest. */
  source: oneLine(63),
  package_name: oneLine(214).nullable(),
  package_version: oneLine(64).nullable(),
};

export const postBody = z.strictObject({ name, ...z.object(shared).partial().shape });
export const putBody = z.strictObject({ name: name.exactOptional(), ...z.object(shared).partial().shape });
type PutBody = z.output<typeof putBody>;

/** The first thing that is wrong, with its field's name. */
export function readBody<Body>(schema: z.ZodType<Body>, body: Record<string, unknown>): Body {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw describe(issue);
}

function describe(issue: z.core.$ZodIssue | undefined): RestError {
  if (issue?.code === "unrecognized_keys") {
    const field = issue.keys[0] ?? "";
    return wrongField(field.slice(0, 100), "is not a field of this body; correct or remove it");
  }
  const field = issue?.path.map(String).join(".").slice(0, 100) ?? "body";
  const message = issue?.code === "invalid_type" && issue.input === undefined ? "is missing" : (issue?.message ?? "");
  return wrongField(field, message);
}

/** What the spec of a new server is; started by nobody yet (DSC-8). */
export function renderNewSpec(body: z.output<typeof postBody>, instance: string): Record<string, unknown> {
  const source = findSource(body, undefined);
  if (source === undefined) throw wrongField("command", "is missing: give a command with its args, or a url");
  const { name: serverName, title, description, tags, env } = body;
  return withoutUndefined({
    instanceRef: { name: instance },
    ...(resourceNameOf(serverName) === serverName ? {} : { serverName }),
    title,
    description,
    tags,
    active: false,
    listed: false,
    ...source.source,
    env: renderEnv({ ...source.env, ...env }, []),
  });
}

/** A merge patch of the spec: what the body does not name stays as it is. */
export function renderSpecChange(body: PutBody, before: ServerSpec, resourceName: string): Record<string, unknown> {
  const { name: serverName, title, description, tags, env } = body;
  const found = findSource(body, before);
  const variables = env === undefined ? found?.env : { ...found?.env, ...env };
  const hasVariables = env !== undefined || Object.keys(found?.env ?? {}).length > 0;
  const rest = { remote: null, container: null, package: null, local: null };
  return withoutUndefined({
    ...(serverName === undefined ? {} : { serverName: serverName === resourceName ? null : serverName }),
    title,
    description,
    tags,
    ...(found && { ...rest, ...replacing(found.source) }),
    ...(hasVariables ? { env: renderEnv(variables ?? {}, before.env ?? []) ?? null } : {}),
  });
}

/** Nothing of the source before it is left. */
function replacing({ package: source, container, local, remote }: ServerSource): Record<string, unknown> {
  if (source !== undefined) return { package: { version: null, command: null, args: null, ...source } };
  if (container !== undefined) return { container: { args: null, ...container } };
  if (local !== undefined) return { local: { args: null, cwd: null, ...local } };
  return { remote };
}

type Env = NonNullable<ServerSpec["env"]>;

/** A masked value stands for the one that is there. */
function renderEnv(env: Readonly<Record<string, string>>, before: Env): Env | undefined {
  const entries = Object.entries(env).map(([key, value]) => {
    if (value !== masked) return { name: key, value };
    const known = before.find((entry) => entry.name === key);
    if (known === undefined) {
      throw wrongField(`env.${key}`, `"${masked}" stands for a value that is there, and there is none`);
    }
    return known;
  });
  return entries.length === 0 ? undefined : entries;
}

/** What it is made of from now on; undefined where the body says nothing of it. */
function findSource({ command, args, url, homepage, transport }: PutBody, before: ServerSpec | undefined) {
  const isRemote = transport === "streamable-http" || transport === "http";
  if (transport === "sse") {
    throw wrongField(
      "transport",
      "sse left MCP with revision 2025-03-26; name the server's Streamable HTTP endpoint as url",
    );
  }
  const remoteUrl = url ?? (isRemote && command === undefined ? homepage : undefined);
  if (remoteUrl !== undefined) {
    if (command !== undefined) throw wrongField("command", "a server has a command or a url, not both");
    const checked = shared.url.safeParse(remoteUrl);
    if (!checked.success) {
      throw wrongField(url === undefined ? "homepage" : "url", "expected a URL with http:// or https://");
    }
    const known = before?.remote;
    return { source: { remote: { ...known, url: checked.data } }, env: {} };
  }
  if (isRemote && before === undefined) {
    throw wrongField("url", "is missing, which a streamable-http server is reached at");
  }
  if (command === undefined && args === undefined) return undefined;
  const current = before && renderCommand(before);
  const program = command ?? current?.command;
  if (program === undefined) throw wrongField("args", "go with a command, which is missing");
  try {
    // `args` alone are all of them, as GET shows them.
    return parseCommand({ command: program, args: args ?? [] });
  } catch (error) {
    if (error instanceof CommandRefused) throw wrongField("args", error.message);
    throw error;
  }
}

/** The name of the resource: the server's own where that can be one, else the nearest with a part of its hash. */
export function resourceNameOf(serverName: string): string {
  if (/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(serverName) && serverName.length <= maxNameChars) return serverName;
  const hash = createHash("sha256").update(serverName).digest("hex").slice(0, 8);
  const plain = serverName
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, "-")
    .slice(0, maxNameChars - 1 - hash.length);
  return `${/^[a-z]/.test(plain) ? plain : `s-${plain}`.slice(0, maxNameChars - 1 - hash.length)}-${hash}`;
}

const withoutUndefined = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
