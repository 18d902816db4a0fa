// DSC-3 what an agent tells its gateway of servers that need secrets: by real servers, over the admin port.
import { describe, expect, test } from "vitest";
import type { LivePolicy, RunServer } from "../crds/run-config.ts";
import { maxReportedTools, parseToolReport, toolReportPath } from "../crds/tool-report.ts";
import { ManualClock } from "../lib/process/testing/manual-clock.ts";
import { createTestLog, startAgent, startToolServer, textResult } from "./testing/servers.ts";
import { keepUntilEnd } from "./testing/cleanup.ts";
import { createTestGateway } from "./testing/gateway.ts";
import { renderTestServer } from "./testing/run-config.ts";
import { createToolReports, type ReportedMount } from "./tool-reports.ts";

const keep = keepUntilEnd();
const handle = () => textResult("");
const reported = { reported: true as const };

async function start(servers: RunServer[], policy?: LivePolicy) {
  const { readLive, sign } = await createTestGateway();
  const live = { ...(await readLive()), ...(policy && { policy }) };
  const changes = { gateway: true as const, servers, ...(policy && { policy: true as const }) };
  const agent = await keep(startAgent(changes, { readLive: async () => live }));
  const token = await sign();
  const request = async (server: string, headers: Record<string, string> = { authorization: `Bearer ${token}` }) => {
    const response = await fetch(`${agent.adminUrl}${toolReportPath(server)}`, { headers });
    return { status: response.status, text: await response.text(), etag: response.headers.get("etag") };
  };
  const read = async (server: string) => parseToolReport((await request(server)).text, "tech-research", server);
  return { request, read, token };
}

describe("DSC-3 an agent tells its gateway", () => {
  test("the tools of a server with secrets, as it may use them, and what the server says of its use", async () => {
    const tools = { search: { handle, inputSchema: { type: "object" as const, required: ["q"] } }, drop: handle };
    const server = await keep(startToolServer(tools, { instructions: "Searches the archive." }));
    const { read } = await start([renderTestServer("my.archive", server.url, { deny: ["dr*"], ...reported })]);
    expect(await read("my.archive")).toMatchObject({
      agent: "tech-research",
      server: "my.archive",
      serverDescription: "Searches the archive.",
      tools: [{ name: "search", description: "The tool search.", inputSchema: { required: ["q"] } }],
    });
    expect(server.seen).toEqual([]);
  });

  test("MGM-5 nothing of tools that are denied to everybody, and of those that are denied to some", async () => {
    const server = await keep(startToolServer({ search: handle, drop: handle, keep: handle }));
    const rules = [
      { name: "drop", match: { tools: ["drop"] }, action: "denyAbort" },
      { name: "keep", match: { tools: ["keep"], callers: ["ann"] }, action: "denyAbort" },
    ];
    const policy = { name: "careful", generation: 1, rules, default: "allow" as const };
    const { read } = await start([renderTestServer("archive", server.url, reported)], policy);
    expect((await read("archive")).tools.map(({ name }) => name)).toEqual(["search", "keep"]);
  });

  test("nothing of servers that it was not told to, that take callers' tokens, or that it has not", async () => {
    const server = await keep(startToolServer({ search: handle }));
    const { request } = await start([
      renderTestServer("plain", server.url),
      renderTestServer("callers", server.url, { ...reported, forwardInboundAuth: true }),
    ]);
    for (const name of ["plain", "callers", "unknown", "__proto__"]) {
      expect(await request(name)).toMatchObject({ status: 404 });
    }
    expect(server.authorizations).toEqual([]);
  });

  test("and nobody else", async () => {
    const server = await keep(startToolServer({ search: handle }));
    const { request } = await start([renderTestServer("archive", server.url, reported)]);
    expect(await request("archive", {})).toMatchObject({ status: 401 });
    expect(await request("archive", { authorization: "Bearer x.y.z" })).toMatchObject({ status: 401 });
    expect(server.authorizations).toEqual([]);
  });

  test("once: the version that it has is answered with 304 and no body", async () => {
    const server = await keep(startToolServer({ search: handle }));
    const { request, token } = await start([renderTestServer("archive", server.url, reported)]);
    const { etag } = await request("archive");
    const authorization = `Bearer ${token}`;
    const again = await request("archive", { authorization, "if-none-match": etag ?? "" });
    expect(again).toEqual({ status: 304, text: "", etag });
    expect(await request("archive", { authorization, "if-none-match": '"older"' })).toMatchObject({ status: 200 });
  });

  test("what it knew of a server that is down now, and 503 of one that never answered", async () => {
    const server = await startToolServer({ search: handle });
    const dead = renderTestServer("dead", "http://127.0.0.1:1/mcp", reported);
    const { request, read } = await start([renderTestServer("archive", server.url, reported), dead]);
    const { version } = await read("archive");
    await server.stop();
    expect(await read("archive")).toMatchObject({ version });
    expect(await request("dead")).toMatchObject({ status: 503 });
  });
});

describe("DSC-3 a report has limits", () => {
  const tool = (name: string, changes: object = {}) => ({ name, inputSchema: { type: "object" as const }, ...changes });
  const ask = async (tools: ReturnType<typeof tool>[], more: Partial<ReportedMount> = {}) => {
    const { log, lines } = createTestLog();
    const server = { name: "s", reported: true as const, forwardInboundAuth: false, instructions: true };
    const link = { latest: () => undefined };
    const mount = { server, link, tools: async () => tools, observeState: () => ({ state: "running" }), ...more };
    const clock = new ManualClock();
    const app = createToolReports({ agent: "a", mounts: [mount], log, clock });
    const answer = app.request("/servers/s/tools");
    await clock.advance(5_000);
    const { status } = await answer;
    const text = await (await answer).text();
    return { report: () => parseToolReport(text, "a", "s"), lines, bytes: text.length, status };
  };

  test("512 tools are told, and one more is left out with a line in the log", async () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => tool(`t${at}`));
    expect((await ask(many(maxReportedTools))).lines).toEqual([]);
    const { report, lines } = await ask(many(maxReportedTools + 1));
    expect(report().tools).toHaveLength(maxReportedTools);
    expect(lines).toMatchObject([{ left: 1 }]);
  });

  test("texts are cut, a schema of 64 KiB is told and a larger one is not, and a report stays below 4 MiB", async () => {
    const schemaOf = (bytes: number) => ({ type: "object", title: "x".repeat(bytes - 28) });
    expect(JSON.stringify(schemaOf(65_536))).toHaveLength(65_536);
    const fits = tool("a", { inputSchema: schemaOf(65_536), description: "d".repeat(5_000) });
    const { report } = await ask([fits, tool("b", { inputSchema: schemaOf(65_537) }), tool("n".repeat(257))]);
    expect(report().tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema)])).toEqual([
      ["a", ["type", "title"]],
      ["b", ["type"]],
    ]);
    expect(report().tools[0]?.description).toHaveLength(4_000);
    const full = await ask(Array.from({ length: 100 }, (_, at) => tool(`t${at}`, { inputSchema: schemaOf(65_536) })));
    expect(full.bytes).toBeLessThan(4 * 1024 * 1024);
    expect(full.report().tools.length).toBeGreaterThan(60);
  });

  test("a server that hangs is waited for 5 seconds", async () => {
    expect(await ask([], { tools: () => new Promise(() => undefined) })).toMatchObject({ status: 503 });
  });
});
