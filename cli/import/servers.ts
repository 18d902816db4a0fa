// mcp.servers → the instance's servers. A server that is one of the project's own agents becomes a sub-agent of those
// who use it; one that is started as a program (stdio) becomes a PallasServer; the older SSE transport is reported.
import * as z from "zod";
import type { InstanceSpec } from "../../crds/instance.ts";
import type { Draft } from "./field.ts";
import { importHeaders } from "./headers.ts";
import { leftOutOfMcp, leftOutOfPrograms, leftOutOfServers } from "./left-out.ts";
import type { MapReader } from "./map-reader.ts";
import { firstFree, toServerName } from "./names.ts";
import { readPlainUrl } from "./plain-url.ts";
import { importProgram, type ImportedProgram, type ProgramSurroundings } from "./programs.ts";
import type { Topology } from "./topology.ts";
import type { Variables } from "./variables.ts";

type ServerSpec = NonNullable<InstanceSpec["servers"]>[number];

/** What a server of the project has become. */
export type ImportedServer =
  | { kind: "server"; spec: Draft<ServerSpec> & { name: string } }
  | ({ kind: "program" } & ImportedProgram)
  | { kind: "agent"; key: string; forwardInboundAuth: boolean }
  | { kind: "gone" };

export interface ServerSurroundings extends ProgramSurroundings {
  topology: Topology | undefined;
  variables: Variables;
}

/** By the name in the project. */
export function importServers(mcp: MapReader, around: ServerSurroundings): ReadonlyMap<string, ImportedServer> {
  const { notes } = mcp;
  const list = mcp.map("servers");
  mcp.finish(leftOutOfMcp);
  const found = new Map<string, ImportedServer>();
  const owners = new Map<string, string>();
  for (const key of list.keys) {
    const reader = list.map(key);
    const name = toServerName(key);
    const owner = owners.get(name);
    if (name === "" || owner !== undefined) {
      const why = name === "" ? "has no letter or digit" : `would be called "${name}" like "${owner}"`;
      notes.problem(reader.place, `mcp.servers: the name "${key}" ${why}; choose another`);
      continue;
    }
    owners.set(name, key);
    if (name !== key) notes.note(reader.place, `mcp.servers.${key} is called "${name}" now, as names go in Kubernetes`);
    found.set(key, importServer(reader, name, around));
  }
  return withFreeNames(found);
}

/** Names that differ in the project may be one in Kubernetes, where letters are small and no dots are in them. */
function withFreeNames(found: ReadonlyMap<string, ImportedServer>): ReadonlyMap<string, ImportedServer> {
  const taken = new Set<string>();
  return new Map(
    [...found].map(([key, server]): [string, ImportedServer] => {
      if (server.kind !== "program") return [key, server];
      const resource = firstFree(server.resource, "-", (name) => taken.has(name));
      taken.add(resource);
      const serverName = resource === server.name ? undefined : server.name;
      return [key, { ...server, resource, spec: { ...server.spec, serverName } }];
    }),
  );
}

function importServer(reader: MapReader, name: string, around: ServerSurroundings): ImportedServer {
  const { notes, place } = reader;
  const gone = (why: string): ImportedServer => {
    notes.warn(place, `${reader.name}: not carried over: ${why}`);
    return { kind: "gone" };
  };
  const transport = reader.text("transport")?.value.replaceAll("_", "-");
  const target = reader.secretText("target");
  const command = reader.text("command");
  const location = reader.secretText("url") ?? (/^(https?:|\$\{)/.test(target?.value ?? "") ? target : undefined);
  if (location === undefined || transport === "stdio") {
    if (command === undefined) {
      return gone("it has neither command nor url; write one of them, the command without arguments");
    }
    const program = importProgram(reader, name, command, around);
    if (typeof program === "string") return gone(program);
    const timeout = reader.read("read_timeout_seconds", z.int().min(1).max(86_400), "seconds from 1 to 86400");
    reader.finish(leftOutOfPrograms);
    const spec = { ...program.spec, timeout: timeout && `${timeout.value}s` };
    return { kind: "program", ...program, spec };
  }
  for (const key of ["args", "env", "cwd"]) reader.take(key);
  if (transport === "sse") {
    return gone("it speaks the older SSE transport; serve it over Streamable HTTP and add its url");
  }
  if (transport !== undefined && transport !== "http" && transport !== "streamable-http") {
    return gone("its transport is not known; expected http");
  }
  const read = readPlainUrl(location.value, around.variables);
  if (typeof read === "string") return gone(`url: ${read}`);

  const forwardInboundAuth = reader.flag("forward_inbound_auth") ?? false;
  const headers = importHeaders(reader, name, around.secrets);
  const timeout = reader.read("read_timeout_seconds", z.int().min(1).max(86_400), "seconds from 1 to 86400");
  const hasInstructions = reader.flag("include_instructions") ?? true;
  reader.finish(leftOutOfServers);
  const agent = agentAt(read.url, around.topology);
  if (agent !== undefined) {
    const message = `mcp.servers.${name} is agent "${agent}" of this project: those who use it get it in spec.agents`;
    notes.note(place, message);
    return { kind: "agent", key: agent, forwardInboundAuth };
  }
  if (isLocal(read.url)) {
    const message = `mcp.servers.${name}.url is on this machine; in a cluster name its Service instead`;
    notes.warn(location.place, message);
  }
  const spec = {
    name,
    url: read.text,
    headers,
    forwardInboundAuth: forwardInboundAuth || undefined,
    instructions: hasInstructions ? undefined : false,
    timeout: timeout && `${timeout.value}s`,
  };
  return { kind: "server", spec };
}

const localHosts = new Set(["localhost", "127.0.0.1", "0.0.0.0", "[::1]"]);
const isLocal = (url: URL): boolean => localHosts.has(url.hostname);

/** The agent of the project that a URL leads to. */
function agentAt(url: URL, topology: Topology | undefined): string | undefined {
  if (!isLocal(url) && url.hostname !== topology?.host?.value.toLowerCase()) return undefined;
  return topology?.agents.find(({ port }) => port !== undefined && String(port.value) === url.port)?.key;
}
