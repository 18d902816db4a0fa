// A gateway as `pallas search` meets it: a real MCP endpoint whose tool `registry` answers as a gateway's does.
import { expect, onTestFinished, test } from "vitest";
import { listen } from "../../lib/process/http-server.ts";
import { createLogger } from "../../lib/process/log.ts";
import { serveMcp } from "../../lib/mcp/serve.ts";
import { staticTools, type ToolEntry, type ToolResult } from "../../lib/mcp/table.ts";
import { recordTerminal } from "../testing/manifests.ts";
import { search } from "./search.ts";

const found = {
  found: true,
  confidence: "high",
  score: 0.87,
  call_as: "mcp__slack__post_message",
  server: "slack",
  tool: "post_message",
  description: "Post a message to a Slack\u001b[31m channel.",
  required_args: [],
  optional_count: 1,
  next_step: "invoke call_as directly",
  other_matches: [
    { call_as: "mcp__slack__list_channels", tool: "list_channels", description: "List channels.", score: 0.2 },
  ],
};

async function startGateway(answer: object, isError = false) {
  const asked: unknown[] = [];
  const registry: ToolEntry = {
    name: "registry",
    description: "finds tools",
    inputSchema: { type: "object" },
    call: async (args): Promise<ToolResult> => {
      asked.push(args);
      return { content: [{ type: "text", text: JSON.stringify(answer) }], structuredContent: { ...answer }, isError };
    },
  };
  const table = { server: { name: "gateway", version: "1" }, tools: staticTools([registry]), prompts: [] };
  const log = createLogger({ logger: "test", level: "SILENT" });
  const sessions = { idleTtlMs: 60_000, max: 10 };
  const endpoint = serveMcp(table, { log, bodyLimitBytes: 100_000, callers: "anyone", sessions });
  const app = await listen(endpoint.app.fetch, { port: 0, hostname: "127.0.0.1", log });
  onTestFinished(async () => {
    await endpoint.close();
    await app.close({ graceMs: 0 });
  });
  return { asked, url: `http://127.0.0.1:${app.port}` };
}

async function ask(url: string, json = false, token = "the-token") {
  const terminal = recordTerminal("/");
  process.env["PALLAS_TOKEN"] = token;
  onTestFinished(() => void delete process.env["PALLAS_TOKEN"]);
  const code = await search({ text: "post to slack", gateway: url, tools: [], json }, { terminal, process });
  return { code, ...terminal };
}

test("DSC-2 pallas search shows what the gateway's registry finds, and has nothing activated", async () => {
  const gateway = await startGateway(found);
  const { code, printed, complaints } = await ask(gateway.url);
  expect([code, complaints]).toEqual([0, []]);
  expect(printed).toEqual([
    "mcp__slack__post_message   0.87  Post a message to a Slack channel.",
    "mcp__slack__list_channels  0.20  List channels.",
  ]);
  expect(gateway.asked).toEqual([{ action: "find_tool", query: "post to slack", limit: 5, auto_activate: false }]);
});

test("DSC-2 pallas search --json gives it to scripts", async () => {
  const gateway = await startGateway(found);
  const { printed } = await ask(`${gateway.url}/mcp`, true);
  const answer: unknown = JSON.parse(printed[0] ?? "");
  expect(answer).toMatchObject({
    confidence: "high",
    matches: [{ name: "mcp__slack__post_message", score: 0.87 }, {}],
  });
});

test("DSC-2 pallas search says what the gateway advises when nothing fits", async () => {
  const gateway = await startGateway({ found: false, top_score: 0.1, hint: "name the service" });
  expect(await ask(gateway.url)).toMatchObject({ code: 1, complaints: ["no tool was found: name the service"] });
});

test("DSC-2 pallas search shows what comes nearest, and that it is not likely", async () => {
  const other = { call_as: "mcp__slack__post_message", tool: "post_message", description: "Posts.", score: 0.04 };
  const gateway = await startGateway({ found: false, top_score: 0.04, hint: "name it", other_matches: [other] });
  const { code, complaints, printed } = await ask(gateway.url);
  expect({ code, printed }).toEqual({
    code: 0,
    printed: [expect.stringMatching(/^mcp__slack__post_message +0\.04 {2}Posts\.$/)],
  });
  expect(complaints).toEqual([expect.stringContaining("none of these is likely")]);
});

test.each([
  ["refuses", () => startGateway({ message: "no" }, true).then((gateway) => ask(gateway.url)), /refused/],
  ["is no gateway", () => startGateway({ other: 1 }).then((gateway) => ask(gateway.url)), /has no tool registry/],
  ["is asked without a token", () => ask("http://127.0.0.1:9", false, ""), /set PALLAS_TOKEN/],
  ["is not there", () => ask("http://127.0.0.1:9"), /127\.0\.0\.1:9/],
])("DSC-2 pallas search says why, when what is asked %s", async (_, run, sentence) => {
  expect(await run()).toMatchObject({ code: 1, complaints: [expect.stringMatching(sentence)] });
});
