// Tool servers over REST for tests: real MCP servers on loopback, an instance's resources in memory in place of a watch, writes that
// change these as an API server would, and callers who say who they are in a header.
import { Hono } from "hono";
import { onTestFinished } from "vitest";
import type { PallasAgent } from "../../crds/agent.ts";
import { kinds } from "../../crds/kinds.ts";
import { apiVersion } from "../../crds/names.ts";
import type { PallasPolicy } from "../../crds/policy.ts";
import type { PallasServer } from "../../crds/server.ts";
import { roles, type Identity } from "../../lib/auth/roles.ts";
import { serveMcp } from "../../lib/mcp/serve.ts";
import { staticTools, type McpTable, type ToolEntry } from "../../lib/mcp/table.ts";
import { systemClock, type Clock } from "../../lib/process/clock.ts";
import { listen } from "../../lib/process/http-server.ts";
import { createLogger, type Logger } from "../../lib/process/log.ts";
import type { Mode } from "../../plan/rules.ts";
import { sampleInstance } from "../../plan/testing/resources.ts";
import { createBrowser, type Browser } from "../discovery/browse/browser.ts";
import type { ConfiguredSource } from "../discovery/browse/open-source.ts";
import { applyMergePatch } from "../merge-patch.ts";
import type { GatewayRoutes } from "../name-caller.ts";
import { ApprovalRefused } from "../approvals/approvals.ts";
import { createGatewayPolicy, type GatewayPolicy, type GatewayPolicyParts } from "../policy/gateway-policy.ts";
import { createRestApp } from "../rest/routes.ts";
import { createServerWrites, type ServerWrites } from "../rest/server-writes.ts";
import { CallLog } from "../servers/call-log.ts";
import { createErrorLogReader } from "../servers/error-log.ts";
import { createToolServers, type ToolServers } from "../servers/tool-servers.ts";
import { collectServers } from "../state/servers.ts";
import {
  WriteRefused,
  type GatewayState,
  type ResourceWrites,
  type StateChange,
  type WritesFor,
} from "../state/state.ts";
import { localWrites } from "../writes/local-writes.ts";
import { serverResource } from "./resources.ts";

/** Where nothing answers. */
export const serverUrl = "http://127.0.0.1:9/mcp";

export const echoTool = (name = "echo"): ToolEntry => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: "object" },
  call: async (args) => ({ content: [{ type: "text", text: JSON.stringify(args) }] }),
});

export interface TestMcpServer {
  url: string;
  table: McpTable;
  stop(): Promise<void>;
}

/** `tools` may be another list from call to call. */
export async function startMcpServer(tools: readonly ToolEntry[] = [echoTool()]): Promise<TestMcpServer> {
  const table: McpTable = { server: { name: "test", version: "1" }, tools: staticTools(tools), prompts: [] };
  const log = createLogger({ logger: "test", level: "SILENT" });
  const sessions = { idleTtlMs: 60_000, max: 100 };
  const endpoint = serveMcp(table, { log, bodyLimitBytes: 1_000_000, callers: "anyone", sessions });
  const app = await listen(endpoint.app.fetch, { port: 0, hostname: "127.0.0.1", log });
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await endpoint.close();
    await app.close({ graceMs: 0 });
  };
  onTestFinished(stop);
  return { url: `${app.url}/mcp`, table, stop };
}

export interface SceneOptions {
  mode?: Mode;
  management?: "approve" | "readWrite";
  /** Of spec.servers of the instance. */
  inline?: object[];
  arguments?: "off" | "redacted";
  clock?: Clock;
  /** Places to browse. */
  sources?: readonly ConfiguredSource[];
  /** Rules and default of the policy that calls are judged by; absent: there is no policy. */
  policy?: object;
  /** By which calls wait for people. Default: the scene's. */
  policyClock?: Clock;
  /** Whom the policy asks. Default: nobody can be asked. */
  approvals?: (scene: { state: TestServersState; log: Logger }) => GatewayPolicyParts["approvals"];
  /** Where a server is reached once it is active, by its resource's name. */
  urls?: Readonly<Record<string, string>>;
  /** Admin URLs of the bridges before servers, by the resource's name. */
  bridges?: Readonly<Record<string, readonly string[]>>;
}

export interface ServerScene {
  state: TestServersState;
  browser: Browser;
  serverWrites: ServerWrites;
  servers: ToolServers;
  calls: CallLog;
  policy: GatewayPolicy;
  /** What the policy said of calls. */
  decisions: string[];
  app: Hono<GatewayRoutes>;
  writesFor: WritesFor;
  log: Logger;
  logs: Record<string, unknown>[];
  /** Each write: `create memory`. */
  written: string[];
  /** As that role, or as an identity that was admitted. */
  ask(method: string, path: string, options?: { as?: string; body?: unknown; raw?: string }): Promise<Answer>;
  admit(name: string, identity: Identity): void;
}

export interface Answer {
  status: number;
  body: unknown;
}

type Known = Pick<
  GatewayState,
  | "namespace"
  | "instance"
  | "getInstance"
  | "listAgents"
  | "getAgent"
  | "listServers"
  | "listPolicies"
  | "getServer"
  | "getServerAddress"
  | "getPolicy"
  | "getPolicySource"
  | "onChange"
>;
export interface TestServersState extends Known {
  put(server: PallasServer): void;
  remove(name: string): void;
  putAgent(agent: PallasAgent): void;
  /** The one that calls are judged by, in this form from now on; undefined: there is none. */
  putPolicy(spec: object | undefined, status?: object, generation?: number): void;
}

/** Of the policy of a scene that has one. */
export const policyName = "gate";

const noChange: StateChange = {
  ...{ agents: [], servers: [], registrations: [], instance: false },
  ...{ policies: [], approvals: [] },
};

function createState(inline: object[]): TestServersState {
  const instance = sampleInstance({ servers: inline }, { namespace: "agents" });
  const servers = new Map<string, PallasServer>();
  const agents = new Map<string, PallasAgent>();
  let policy: PallasPolicy | undefined;
  let generation = 0;
  const listeners = new Set<(change: StateChange) => void>();
  const collect = () => collectServers(instance, [...servers.values()]);
  const tell = (before: ReturnType<typeof collect>) => {
    const names = [...new Set([...before.list, ...collect().list].map(({ name }) => name))];
    const change = { agents: [], servers: names, registrations: [], policies: [], approvals: [], instance: false };
    for (const listener of [...listeners]) listener(change);
  };
  return {
    namespace: "agents",
    instance: "ouranos",
    getInstance: () => instance,
    listAgents: () => [...agents.values()],
    getAgent: (name) => agents.get(name),
    listServers: () => collect().list,
    listPolicies: () => [],
    getServer: (name) => collect().get(name),
    getServerAddress: () => undefined,
    getPolicy: (name) => (name === policyName ? policy : undefined),
    getPolicySource: (name) => (name === policyName ? policy : undefined),
    putPolicy(spec, status, as = generation + 1) {
      generation = as;
      const metadata = { name: policyName, namespace: "agents", generation };
      const manifest = { metadata, spec: { instanceRef: { name: "ouranos" }, ...spec }, ...(status && { status }) };
      policy = spec && kinds.PallasPolicy.manifest.parse({ apiVersion, kind: "PallasPolicy", ...manifest });
      const change = { ...noChange, policies: [policyName] };
      for (const listener of [...listeners]) listener(change);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    put(server) {
      const before = collect();
      servers.set(server.metadata.name, server);
      tell(before);
    },
    remove(name) {
      const before = collect();
      servers.delete(name);
      tell(before);
    },
    putAgent(agent) {
      agents.set(agent.metadata.name, agent);
      const change = {
        agents: [agent.metadata.name],
        servers: [],
        registrations: [],
        policies: [],
        approvals: [],
        instance: false,
      };
      for (const listener of [...listeners]) listener(change);
    },
  };
}

function createWrites(state: TestServersState, written: string[], urls: Readonly<Record<string, string>>) {
  const find = (name: string) => state.listServers().find((each) => each.resource?.metadata.name === name)?.resource;
  const take = (value: unknown): PallasServer => {
    const parsed = kinds.PallasServer.manifest.parse(value);
    const url = urls[parsed.metadata.name];
    // As whoever runs it says where it is.
    const server = url === undefined || !parsed.spec.active ? parsed : { ...parsed, status: { ...parsed.status, url } };
    state.put(server);
    return server;
  };
  const servers: ResourceWrites<PallasServer> = {
    async create(manifest) {
      const { name } = manifest.metadata;
      written.push(`create ${name}`);
      if (find(name) !== undefined) throw new WriteRefused(`there is a server "${name}" already`, { kind: "taken" });
      return take({ ...manifest, metadata: { ...manifest.metadata, uid: `uid-of-${name}`, generation: 1 } });
    },
    async patch(name, patch) {
      written.push(`patch ${name}`);
      const known = find(name);
      if (known === undefined) throw new WriteRefused(`server "${name}" has been deleted meanwhile`, { kind: "gone" });
      return take(applyMergePatch(known, patch));
    },
    upsert: async (manifest) => take(manifest),
    async delete(name) {
      written.push(`delete ${name}`);
      state.remove(name);
    },
  };
  return servers;
}

const refuse = async () => {
  throw new ApprovalRefused("unready", "nobody can be asked in this scene");
};
const nobody = { ask: refuse, open: refuse, wait: refuse, use: refuse, decideAsCaller: refuse };

export function openServerScene(options: SceneOptions = {}): ServerScene {
  const { mode = "cluster", inline = [], urls = {}, clock = systemClock } = options;
  const state = createState(inline);
  const written: string[] = [];
  const logs: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void logs.push(JSON.parse(line)) };
  const log = createLogger({ logger: "test", level: "INFO", destination });
  const decisions: string[] = [];
  const policy = createGatewayPolicy({
    config: options.policy === undefined ? {} : { policyRef: policyName },
    state,
    approvals: options.approvals?.({ state, log }) ?? nobody,
    metrics: { countPolicyDecision: (decision) => void decisions.push(decision) },
    log,
    clock: options.policyClock ?? clock,
  });
  if (options.policy !== undefined) state.putPolicy(options.policy);
  onTestFinished(() => policy.close());
  const calls = new CallLog({ arguments: options.arguments ?? "off" });
  const metrics = { countToolCall: () => undefined };
  const servers = createToolServers({ state, calls, metrics, version: "1.2.3", log, clock, random: () => 0 });
  onTestFinished(() => servers.close());
  const testWrites = createWrites(state, written, urls);
  const writesFor = (caller: Identity) =>
    mode === "local" ? localWrites(caller) : { ...localWrites(caller), servers: testWrites };
  const identities = new Map<string, Identity>(
    roles.map((role) => [
      role,
      { kind: "person", subject: `somebody ${role}`, name: `somebody ${role}`, groups: [], role },
    ]),
  );
  const app = new Hono<GatewayRoutes>();
  app.use(async (c, next) => {
    const caller = identities.get(c.req.header("x-caller") ?? "");
    if (caller === undefined) return c.json({ error: "unauthorized" }, 401);
    c.set("caller", caller);
    await next();
    return undefined;
  });
  const serverWrites = createServerWrites({ state, writesFor, rules: { mode } });
  const browser = createBrowser({ readSources: async () => options.sources ?? [], clock });
  onTestFinished(() => browser.close());
  const rest = createRestApp({
    policy,
    servers,
    calls,
    writesFor,
    serverWrites,
    browser,
    readErrorLog: createErrorLogReader({ listServerAdminUrls: (name) => options.bridges?.[name] ?? [] }),
    observePrereqs: async () => ({ npx: true, uvx: false, docker: false, uv: false }),
    version: "1.2.3",
    log,
    clock,
  });
  app.route("/", rest);
  return {
    state,
    browser,
    serverWrites,
    servers,
    calls,
    policy,
    decisions,
    app,
    writesFor,
    log,
    logs,
    written,
    admit: (name, identity) => void identities.set(name, identity),
    async ask(method, path, { as = "admin", body, raw } = {}) {
      const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const init = { method, headers: { "x-caller": as }, ...(sent !== undefined && { body: sent }) };
      const answer = await app.request(`http://gateway${path}`, init, {});
      const text = await answer.text();
      return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
    },
  };
}

/** A remote server that is started and known at `url`. */
export const remoteServer = (name: string, url: string, spec: object = {}): PallasServer =>
  serverResource(name, { remote: { url }, ...spec });
