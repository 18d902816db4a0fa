// The management server over real HTTP for tests: an instance in memory in place of a watch, writes that are only noted down, and
// callers who say who they are in a header.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Hono } from "hono";
import type { PallasAgent } from "../../../crds/agent.ts";
import type { PallasInstance } from "../../../crds/instance.ts";
import type { Identity, Role } from "../../../lib/auth/roles.ts";
import { serveMcp, type McpVariables } from "../../../lib/mcp/serve.ts";
import type { Progress } from "../../../lib/mcp/table.ts";
import { systemClock } from "../../../lib/process/clock.ts";
import { defined } from "../../../lib/process/defined.ts";
import { listen } from "../../../lib/process/http-server.ts";
import { createLogger } from "../../../lib/process/log.ts";
import { applyMergePatch } from "../../merge-patch.ts";
import { parseAgent } from "../../../plan/parse.ts";
import { sampleInstance } from "../../../plan/testing/resources.ts";
import {
  WriteRefused,
  type GatewayState,
  type GatewayWrites,
  type ResourceWrites,
  type StateChange,
} from "../../state/state.ts";
import type { PresetText } from "../../state/presets.ts";
import { localWrites } from "../../writes/local-writes.ts";
import { createManagementTable, type ManagementParts } from "../table.ts";

export interface TestState extends GatewayState {
  put(agent: PallasAgent): void;
  remove(name: string): void;
  setInstance(instance: PallasInstance): void;
  setEndpoint(name: string, endpoint: { mcpUrl: string; adminUrl: string } | undefined): void;
}

function createTestState(agents: readonly PallasAgent[], first: PallasInstance = sampleInstance()): TestState {
  const byName = new Map(agents.map((agent) => [agent.metadata.name, agent]));
  const endpoints = new Map<string, { mcpUrl: string; adminUrl: string }>();
  const listeners = new Set<(change: StateChange) => void>();
  let instance = first;
  const tell = (change: Partial<StateChange>) =>
    listeners.forEach((listener) =>
      listener({ agents: [], servers: [], registrations: [], policies: [], approvals: [], instance: false, ...change }),
    );
  return {
    namespace: "default",
    instance: "ouranos",
    getInstance: () => instance,
    listAgents: () => [...byName.values()].toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
    getAgent: (name) => byName.get(name),
    getEndpoint: (name) => endpoints.get(name),
    listAdminUrls: (name) => [endpoints.get(name)?.adminUrl ?? []].flat(),
    listServers: () => [],
    getServer: () => undefined,
    getServerAddress: () => undefined,
    listRegistrations: () => [],
    listPolicies: () => [],
    getPolicy: () => undefined,
    listApprovals: () => [],
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    put(agent) {
      byName.set(agent.metadata.name, agent);
      tell({ agents: [agent.metadata.name] });
    },
    remove(name) {
      byName.delete(name);
      tell({ agents: [name] });
    },
    setInstance(changed) {
      instance = changed;
      tell({ instance: true });
    },
    setEndpoint(name, endpoint) {
      if (endpoint === undefined) endpoints.delete(name);
      else endpoints.set(name, endpoint);
      tell({ agents: [name] });
    },
  };
}

/** As the API server would, without its judgement; `refused` makes it refuse. */
function createTestWrites(state: TestState, written: unknown[]): GatewayWrites {
  const take = (value: unknown): PallasAgent => {
    const parsed = parseAgent(value);
    if (!parsed.ok) throw new WriteRefused("the API server refused it", { kind: "invalid" });
    state.put(parsed.value);
    return parsed.value;
  };
  const agents: ResourceWrites<PallasAgent> = {
    async create(manifest) {
      written.push(["create", manifest]);
      return take(manifest);
    },
    async patch(name, patch) {
      written.push(["patch", name, patch]);
      return take(applyMergePatch(state.getAgent(name), patch));
    },
    upsert: async (manifest) => take(manifest),
    async delete(name) {
      written.push(["delete", name]);
      if (state.getAgent(name) === undefined) {
        throw new WriteRefused(`agent "${name}" has been deleted meanwhile`, { kind: "gone" });
      }
      state.remove(name);
    },
  };
  return { ...localWrites(person("admin")), agents };
}

export const person = (role: Role | undefined, narrowed: { agents?: string[]; servers?: string[] } = {}): Identity => ({
  kind: "person",
  subject: `person ${role ?? "nobody"}`,
  name: role ?? "nobody",
  groups: [],
  ...defined({ role }),
  ...narrowed,
});

interface TestCallOptions {
  onProgress?: (progress: Progress) => void;
  signal?: AbortSignal;
}

export interface TestCaller {
  call(tool: string, args?: Record<string, unknown>, options?: TestCallOptions): Promise<unknown>;
  listTools(): Promise<string[]>;
  read(uri: string): Promise<unknown>;
}

export interface TestManagement {
  url: string;
  state: TestState;
  /** Each write with its arguments. */
  written: unknown[];
  presets: PresetText[];
  logLines: string[];
  /** Adds who may say in x-caller that they are it. */
  admit(name: string, identity: Identity): void;
  /** A client of the 2026 era, by the name that was admitted. */
  connect(name: string, bearer?: string): Promise<TestCaller>;
  stop(): Promise<void>;
}

export interface TestManagementOptions extends Partial<ManagementParts> {
  agents?: readonly PallasAgent[];
  instance?: PallasInstance;
  management?: "approve" | "readWrite";
}

const roles: readonly Role[] = ["viewer", "caller", "approver", "operator", "admin"];

/** Each role is admitted under its own name. */
export async function startManagement(options: TestManagementOptions = {}): Promise<TestManagement> {
  const { agents = [], instance, management = "readWrite", ...parts } = options;
  const state = createTestState(agents, instance);
  const written: unknown[] = [];
  const presets: PresetText[] = [];
  const logLines: string[] = [];
  const destination = { write: (line: string) => void logLines.push(line) };
  const log = createLogger({ logger: "test", level: "DEBUG", destination });
  const table = createManagementTable({
    state,
    writesFor: management === "readWrite" ? () => createTestWrites(state, written) : undefined,
    presets: { listPresets: () => presets, onChange: () => () => undefined },
    rules: { mode: "cluster" },
    container: { version: "1.2.3" },
    readAgentsToken: async () => "token",
    log,
    clock: systemClock,
    ...parts,
  });
  const endpoint = serveMcp(table, {
    log,
    bodyLimitBytes: 4_000_000,
    callers: "named",
    sessions: { idleTtlMs: 60_000, max: 100 },
  });
  const identities = new Map<string, Identity>(roles.map((role) => [role, person(role)]));
  const app = new Hono<McpVariables>();
  app.use(async (context, next) => {
    const identity = identities.get(context.req.header("x-caller") ?? "");
    if (identity === undefined) return context.text("nobody", 401);
    context.set("caller", identity);
    await next();
    return undefined;
  });
  app.route("/", endpoint.app);
  const server = await listen(app.fetch, { port: 0, hostname: "127.0.0.1", log });
  const url = `${server.url}/mcp`;
  const open: Client[] = [];
  return {
    url,
    state,
    written,
    presets,
    logLines,
    admit: (name, identity) => void identities.set(name, identity),
    async connect(name, bearer) {
      const client = await connectTo(url, name, bearer);
      open.push(client);
      return renderCaller(client);
    },
    async stop() {
      await Promise.all(open.map((client) => client.close()));
      await table.close();
      await endpoint.close();
      await server.close({ graceMs: 0 });
    },
  };
}

/** A client of the 2026 era that passes on what it gets as it is. */
async function connectTo(url: string, name: string, bearer: string | undefined): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const headers = { "x-caller": name, ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }) };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

const renderCaller = (client: Client): TestCaller => ({
  call: async (tool, args = {}, { onProgress, signal } = {}) =>
    await client.callTool({ name: tool, arguments: args }, defined({ onprogress: onProgress, signal })),
  listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
  async read(uri) {
    const { contents } = await client.readResource({ uri }, { cacheMode: "bypass" });
    const [first] = contents;
    if (first === undefined || !("text" in first)) throw new Error(`expected a text of ${uri}`);
    return JSON.parse(first.text);
  },
});
