// The management server over real HTTP for tests: an instance in memory in place of a watch, writes that are only noted down, and
// callers who say who they are in a header.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Hono } from "hono";
import type { PallasAgent } from "../../../crds/agent.ts";
import type { PallasInstance } from "../../../crds/instance.ts";
import type { PallasPolicy } from "../../../crds/policy.ts";
import type { Identity, Role } from "../../../lib/auth/roles.ts";
import { serveMcp, type McpVariables } from "../../../lib/mcp/serve.ts";
import type { Progress } from "../../../lib/mcp/table.ts";
import { systemClock } from "../../../lib/process/clock.ts";
import { defined } from "../../../lib/process/defined.ts";
import { listen } from "../../../lib/process/http-server.ts";
import { createLogger } from "../../../lib/process/log.ts";
import type { Approvals } from "../../approvals/approvals.ts";
import { createApprovals } from "../../approvals/life.ts";
import { openLocalStore } from "../../approvals/local-store.ts";
import { openLocalProposals } from "../policies/local-store.ts";
import type { ProposalStore } from "../policies/store.ts";
import { openPolicy } from "../../policy/testing/open-policy.ts";
import type { PresetText } from "../../state/presets.ts";
import { createManagementTable, type ManagementParts } from "../table.ts";
import { createTestState, createTestWrites, type TestState } from "./test-state.ts";

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
  /** As it is sent. */
  readText(uri: string): Promise<string>;
}

export interface TestManagement {
  url: string;
  state: TestState;
  approvals: Approvals;
  proposals: ProposalStore;
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
  policies?: readonly PallasPolicy[];
  management?: "approve" | "readWrite";
}

const roles: readonly Role[] = ["viewer", "caller", "approver", "operator", "admin"];

/** Each role is admitted under its own name. */
export async function startManagement(options: TestManagementOptions = {}): Promise<TestManagement> {
  const { agents = [], instance, policies, management = "readWrite", clock = systemClock, ...parts } = options;
  const state = createTestState(agents, instance, policies);
  const written: unknown[] = [];
  const presets: PresetText[] = [];
  const logLines: string[] = [];
  const destination = { write: (line: string) => void logLines.push(line) };
  const log = createLogger({ logger: "test", level: "DEBUG", destination });
  const folder = await mkdtemp(join(tmpdir(), "pallas-management-"));
  const store = await openLocalStore({ path: join(folder, "approvals.json"), log });
  store.onChange((names) => state.tellApprovals(names));
  const approvals = createApprovals({
    config: {
      instance: { name: state.instance, namespace: state.namespace, version: "1.2.3" },
      approvals: { timeoutMs: 600_000, keepMs: 3_600_000 },
    },
    store,
    state: { ...state, observeUnready: () => undefined },
    metrics: { countApproval: () => undefined },
    log,
    clock,
  });
  const proposals = await openLocalProposals({ path: join(folder, "proposals.json"), log });
  const table = createManagementTable({
    policy: openPolicy(),
    state,
    writesFor: management === "readWrite" ? (by) => createTestWrites(state, written, by) : undefined,
    approvals,
    proposals,
    presets: { listPresets: () => presets, onChange: () => () => undefined },
    rules: { mode: "cluster" },
    container: { version: "1.2.3" },
    readAgentsToken: async () => "token",
    log,
    clock,
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
    approvals,
    proposals,
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
      await approvals.close();
      await endpoint.close();
      await server.close({ graceMs: 0 });
      await rm(folder, { recursive: true });
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
  read: async (uri) => JSON.parse(await readText(client, uri)),
  readText: (uri) => readText(client, uri),
});

async function readText(client: Client, uri: string): Promise<string> {
  const { contents } = await client.readResource({ uri }, { cacheMode: "bypass" });
  const [first] = contents;
  if (first === undefined || !("text" in first)) throw new Error(`expected a text of ${uri}`);
  return first.text;
}
