// What a model is told of tools before its first word, in tokens: the list of a gateway that shows the `registry` tool alone, before 10, 1,000 and
// 10,000 tools of public catalogues, beside the list in which 1,000 of them stand. Counted by the tokenizer of OpenAI's models since GPT-4o.
import { gunzipSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Hono } from "hono";
import { Tiktoken } from "js-tiktoken/lite";
import o200kBase from "js-tiktoken/ranks/o200k_base";
import { createDiscovery } from "../../gateway/discovery/discovery.ts";
import { createToolSource } from "../../gateway/management/tools/source.ts";
import { createGatewayMetrics } from "../../gateway/metrics.ts";
import { openPolicy } from "../../gateway/policy/testing/open-policy.ts";
import { CallLog } from "../../gateway/servers/call-log.ts";
import { createToolServers } from "../../gateway/servers/tool-servers.ts";
import { collectServers } from "../../gateway/state/servers.ts";
import { serverResource } from "../../gateway/testing/resources.ts";
import { localWrites } from "../../gateway/writes/local-writes.ts";
import type { Identity } from "../../lib/auth/roles.ts";
import { serveMcp, type McpVariables } from "../../lib/mcp/serve.ts";
import { staticTools, type ToolEntry, type ToolSource } from "../../lib/mcp/table.ts";
import { systemClock as clock } from "../../lib/process/clock.ts";
import { listen } from "../../lib/process/http-server.ts";
import { createLogger } from "../../lib/process/log.ts";
import { printReport, reportProgress } from "./report.ts";

const shareGoal = 0.02;
const listedTools = 1_000;
const log = createLogger({ logger: "bench", level: "ERROR" });
const caller: Identity = { kind: "person", subject: "bench", name: "bench", groups: [], role: "caller" };
const sessions = { idleTtlMs: 60_000, max: 16 };
const nothing = () => undefined;

interface CatalogueTool {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly params: readonly { name: string; type: string; description: string; required: boolean }[];
}

const folder = join(import.meta.dirname, "../data/tool-search");
const readCatalogue = (name: string): CatalogueTool[] =>
  gunzipSync(readFileSync(join(folder, `tools-${name}.jsonl.gz`)))
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** Those of MCP servers first, then others, and these again under other names. */
const catalogue = ["livemcp", "docker", "stb", "seal", "bfcl", "metatool"].flatMap(readCatalogue);
const toolAt = (at: number): ToolEntry => {
  const tool = catalogue[at % catalogue.length];
  if (tool === undefined) throw new Error("expected tools in the catalogues, found none");
  const properties = Object.fromEntries(
    tool.params.map(({ name, type, description }) => [name, { type, description }]),
  );
  const required = tool.params.flatMap(({ name, required: isRequired }) => (isRequired ? [name] : []));
  return {
    name: `${`${tool.server}_${tool.name}`.replaceAll(/[^\w-]/g, "_").slice(0, 40)}_${at}`,
    description: tool.description,
    inputSchema: { type: "object", properties: JSON.parse(JSON.stringify(properties)), required },
    call: async () => ({ content: [] }),
  };
};

async function serve(tools: ToolSource) {
  const table = { server: { name: "bench", version: "1" }, tools, prompts: [] };
  const endpoint = serveMcp(table, { log, bodyLimitBytes: 1_000_000, callers: "named", sessions });
  const app = new Hono<McpVariables>();
  app.use(async (c, next) => {
    c.set("caller", caller);
    await next();
  });
  app.route("/", endpoint.app);
  const server = await listen(app.fetch, { port: 0, hostname: "127.0.0.1", log });
  const close = async () => {
    await endpoint.close();
    await server.close({ graceMs: 0 });
  };
  return { url: `${server.url}/mcp`, close };
}

/** All pages of the list, as a client gets them. */
async function list(url: string): Promise<object[]> {
  const all: object[] = [];
  let cursor: unknown;
  do {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const headers = {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/list",
    };
    const params = { ...(cursor !== undefined && { cursor }), _meta };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params });
    const answer = JSON.parse(await (await fetch(url, { method: "POST", headers, body })).text());
    all.push(...answer.result.tools);
    cursor = answer.result.nextCursor;
  } while (cursor !== undefined);
  return all;
}

/** What a gateway lists before a server of so many tools, once all of them can be found. */
async function listGateway(count: number, isListed: boolean): Promise<object[]> {
  const tools = await serve(staticTools(Array.from({ length: count }, (_, at) => toolAt(at))));
  const known = collectServers(undefined, [serverResource("all", { remote: { url: tools.url }, listed: isListed })]);
  const state = {
    listServers: () => known.list,
    getServer: known.get,
    listAgents: () => [],
    getAgent: nothing,
    onChange: () => nothing,
  };
  const metrics = createGatewayMetrics(() => ({
    countSessions: () => 0,
    countInFlight: () => 0,
    countTroubles: () => 0,
    observeApprovals: () => ({ pending: 0, oldestMs: 0 }),
  }));
  const calls = new CallLog({ arguments: "off" });
  const servers = createToolServers({ state, calls, metrics, version: "1", log, clock });
  const never = async (): Promise<never> => {
    throw new Error("expected no call");
  };
  const discovery = createDiscovery({
    ...{
      config: {},
      policy: openPolicy(),
      state,
      servers,
      agentTools: { list: () => [], onChange: () => nothing },
      writesFor: localWrites,
      mayStart: false,
      secretsDir: "",
    },
    ...{ promptAgent: never, callForwarding: never, metrics, log, clock },
  });
  const gateway = await serve(discovery.withServerTools(createToolSource([discovery.tool], false)));
  while (discovery.countIndexed() < count) await new Promise((resolve) => setTimeout(resolve, 20));
  const listed = await list(gateway.url);
  await discovery.close();
  await gateway.close();
  await servers.close();
  await tools.close();
  return listed;
}

const tokenizer = new Tiktoken(o200kBase);
const countTokens = (tools: readonly object[]): number =>
  tools.reduce((sum, tool) => sum + tokenizer.encode(JSON.stringify(tool)).length, 0);

const measured = new Map<number, number>();
for (const count of [10, 1_000, 10_000]) {
  reportProgress(`the registry tool before ${count} tools`);
  measured.set(count, countTokens(await listGateway(count, false)));
}
reportProgress(`${listedTools} tools in the list`);
const all = await listGateway(listedTools, true);
const others = all.filter((tool) => Reflect.get(tool, "name") !== "registry");
const listed = countTokens(others);
const [few = 0, some = 0, many = 0] = measured.values();
printReport({
  name: "registry-tokens",
  ratio: many / listed,
  goal: shareGoal,
  agents: 0,
  figures: [
    { key: "registryTokens", label: "registry tool before 1,000 tools", value: some, unit: " tokens" },
    { key: "listedTokens", label: `${others.length} tools in the list`, value: listed, unit: " tokens" },
    { key: "share", label: "registry tool ÷ list of 1,000", value: some / listed, atMost: shareGoal },
    { key: "growth", label: "before 10,000 tools ÷ before 10", value: many / few, atMost: 1, atLeast: 1 },
  ],
  notes: ["Descriptions and parameters are those of public catalogues; whole schemas of servers are larger."],
});
