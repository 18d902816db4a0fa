// mcp.servers → the instance's servers. A server that is one of the project's own agents becomes a sub-agent of those
// who use it; servers that are started as programs, or speak the older SSE transport, are told of.
import type { InstanceSpec } from "../../crds/instance.ts";
import { looksRandom } from "../../plan/secret-text.ts";
import { MapReader, type Placed } from "./map-reader.ts";
import { toServerName, toVariableName } from "./names.ts";
import type { Notes } from "./notes.ts";
import { readPlainUrl } from "./plain-url.ts";
import type { SecretKeys } from "./secret-keys.ts";
import type { Topology } from "./topology.ts";
import type { Variables } from "./variables.ts";

export type ServerSpec = NonNullable<InstanceSpec["servers"]>[number];
export type HeaderSpec = NonNullable<ServerSpec["headers"]>[number];

/** What a server of the project has become. */
export type ImportedServer =
  | { kind: "server"; name: string }
  | { kind: "agent"; key: string; forwardInboundAuth: boolean }
  | { kind: "gone" };

export interface ImportedServers {
  specs: ServerSpec[];
  /** By the name in the project. */
  byName: ReadonlyMap<string, ImportedServer>;
}

export interface ServerSurroundings {
  topology: Topology | undefined;
  variables: Variables;
  secrets: SecretKeys;
  notes: Notes;
}

const known = [
  ...["transport", "url", "target", "headers", "access_token", "forward_inbound_auth", "read_timeout_seconds"],
  ...["include_instructions", "command", "args", "env", "cwd"],
];
const unneeded = "Pallas looks after this itself";
const reasonless: Readonly<Record<string, string>> = {
  name: "the key is the name",
  description: "servers describe themselves",
  ping_interval_seconds: unneeded,
  max_missed_pings: unneeded,
  http_timeout_seconds: unneeded,
  http_read_timeout_seconds: unneeded,
  read_transport_sse_timeout_seconds: unneeded,
  reconnect_on_disconnect: unneeded,
  protocol_mode: unneeded,
  load_on_start: unneeded,
  elicitation: "servers ask those callers that can be asked",
  implementation: unneeded,
};
const unsupported: Readonly<Record<string, string>> = {
  auth: "Pallas signs in nowhere; put a token into a Secret and name it in headers, or set forwardInboundAuth",
  roots: "agents have no files",
  sampling: "servers cannot ask the model",
  management: "calls always come from the agent",
  connector_id: "connectors of a vendor are not MCP servers; serve the tools over Streamable HTTP",
  defer_loading: "all tools are listed",
};

export function importServers(mcp: MapReader, around: ServerSurroundings): ImportedServers {
  const { notes } = around;
  const list = mcp.take("servers");
  mcp.leaveOut({ defaults: "set the timeout of each server", client: unneeded, diagnostics: unneeded }, "note");
  mcp.refuseRest(["servers", "targets", "defaults", "client", "diagnostics"]);
  const specs: ServerSpec[] = [];
  const byName = new Map<string, ImportedServer>();
  const owners = new Map<string, string>();
  if (list !== undefined && list.kind !== "map") notes.fault(list.place, "mcp.servers: expected a mapping; correct it");
  for (const [key, field] of list?.kind === "map" ? list.entries : []) {
    const name = toServerName(key);
    const owner = owners.get(name);
    if (name === "" || owner !== undefined) {
      const why = name === "" ? "has no letter or digit" : `would be called "${name}" like "${owner}"`;
      notes.fault(field.place, `mcp.servers: the name "${key}" ${why}; choose another`);
      continue;
    }
    owners.set(name, key);
    if (name !== key) notes.note(field.place, `mcp.servers.${key} is called "${name}" now, as names go in Kubernetes`);
    byName.set(key, importServer(new MapReader(field, `mcp.servers.${key}`, notes), name, specs, around));
  }
  return { specs, byName };
}

function importServer(
  reader: MapReader,
  name: string,
  specs: ServerSpec[],
  { topology, variables, secrets, notes }: ServerSurroundings,
): ImportedServer {
  const { place } = reader.field;
  const gone = (why: string): ImportedServer => {
    notes.warn(place, `${reader.path("").slice(0, -1)}: not carried over: ${why}`);
    return { kind: "gone" };
  };
  const transport = reader.text("transport")?.value.replaceAll("_", "-");
  const target = reader.secretText("target");
  const command = reader.take("command");
  const location = reader.secretText("url") ?? (target && /^(https?:|\$\{)/.test(target.value) ? target : undefined);
  for (const key of ["args", "env", "cwd"]) reader.take(key);
  reader.leaveOut(reasonless, "note");
  if (location === undefined || transport === "stdio") {
    const found =
      command === undefined && target === undefined ? "it has no url" : "it is started as a program (stdio)";
    return gone(`${found}; serve it over Streamable HTTP, for instance behind a bridge from stdio, and add its url`);
  }
  if (transport === "sse") {
    return gone("it speaks the older SSE transport; serve it over Streamable HTTP and add its url");
  }
  if (transport !== undefined && transport !== "http" && transport !== "streamable-http") {
    return gone("its transport is not known; expected http");
  }
  const read = readPlainUrl(location.value, variables);
  if (!read.ok) return gone(`url: ${read.message}`);

  const forward = reader.flag("forward_inbound_auth")?.value ?? false;
  const headers = importHeaders(reader, name, secrets);
  const timeout = reader.integer("read_timeout_seconds");
  const hasInstructions = reader.flag("include_instructions")?.value ?? true;
  reader.leaveOut(unsupported, "warn");
  reader.refuseRest([...known, ...Object.keys(reasonless), ...Object.keys(unsupported)]);
  const agent = agentAt(read.url, topology);
  if (agent !== undefined) {
    const message = `mcp.servers.${name} is agent "${agent}" of this project: those who use it get it in spec.agents`;
    notes.note(place, message);
    return { kind: "agent", key: agent, forwardInboundAuth: forward };
  }
  if (isLocal(read.url)) {
    notes.warn(
      location.field.place,
      `mcp.servers.${name}.url is on this machine; in a cluster name its Service instead`,
    );
  }
  specs.push({
    name,
    url: read.text,
    ...(headers.length === 0 ? {} : { headers }),
    ...(forward ? { forwardInboundAuth: true } : {}),
    ...(hasInstructions ? {} : { instructions: false }),
    ...timeoutOf(timeout),
  });
  return { kind: "server", name };
}

const timeoutOf = (found: Placed<number> | undefined): { timeout?: string } =>
  found === undefined || found.value < 1 || found.value > 86_400 ? {} : { timeout: `${found.value}s` };

/** Headers that never carry a key; the value of any other one goes to a Secret. */
const plainHeaders = new Set(["accept", "accept-language", "content-type", "user-agent"]);

/** The headers of a server or a provider, and the token that stands for one. */
export function importHeaders(reader: MapReader, owner: string, secrets: SecretKeys, key = "headers"): HeaderSpec[] {
  const field = reader.take(key);
  const token = reader.secretText("access_token");
  const headers: HeaderSpec[] = [];
  if (field !== undefined) {
    const list = new MapReader(field, reader.path(key), reader.notes);
    for (const name of list.keys) {
      const found = list.secretText(name);
      if (found !== undefined) headers.push(...toHeader(name, found, owner, secrets, reader.notes));
    }
  }
  if (token !== undefined && !headers.some(({ name }) => name.toLowerCase() === "authorization")) {
    const scheme = /^bearer /i.test(token.value) ? token.value : `Bearer ${token.value}`;
    headers.push(...toHeader("Authorization", { value: scheme, field: token.field }, owner, secrets, reader.notes));
  }
  return headers;
}

function toHeader(name: string, found: Placed<string>, owner: string, secrets: SecretKeys, notes: Notes): HeaderSpec[] {
  if (!/^[-A-Za-z0-9_]{1,128}$/.test(name)) {
    notes.warn(found.field.place, "this header is not carried over: its name is none; correct it");
    return [];
  }
  const isPlain = plainHeaders.has(name.toLowerCase()) && /^[ -~]{0,200}$/.test(found.value);
  const isPublic = found.field.isSecret !== true && !found.value.split(/[^\w-]+/).some(looksRandom);
  if (isPlain && isPublic && !found.value.includes("${")) return [{ name, value: found.value }];
  const variable = toVariableName(owner, name);
  return [{ name, valueFrom: secrets.referTo(found, `${owner}.${name.toLowerCase()}`, variable, notes) }];
}

const localHosts = new Set(["localhost", "127.0.0.1", "0.0.0.0", "[::1]"]);
const isLocal = (url: URL): boolean => localHosts.has(url.hostname);

/** The agent of the project that a URL leads to. */
function agentAt(url: URL, topology: Topology | undefined): string | undefined {
  if (!isLocal(url) && url.hostname !== topology?.host?.value.toLowerCase()) return undefined;
  return topology?.agents.find(({ port }) => port !== undefined && String(port.value) === url.port)?.key;
}
