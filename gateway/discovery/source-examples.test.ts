// The interface that discovery comes from, example by example: the same calls of the registry tool, and answers of the same shape (DSC-1…4).
import { describe, expect, it } from "vitest";
import type { JsonObjectSchema, ToolEntry } from "../../lib/mcp/table.ts";
import { openDiscoveryScene } from "../testing/discovery-scene.ts";
import { remoteServer, startMcpServer } from "../testing/server-scene.ts";

const text = (description: string) => ({ type: "string", description });

function toolOf(name: string, description: string, properties: Record<string, object>, required: string[]): ToolEntry {
  const inputSchema: JsonObjectSchema = {
    type: "object",
    properties: JSON.parse(JSON.stringify(properties)),
    required,
  };
  const call: ToolEntry["call"] = async (args) => ({ content: [{ type: "text", text: JSON.stringify(args) }] });
  return { name, description, inputSchema, call };
}

const slackTools = [
  toolOf(
    "post_message",
    "Post a message to a Slack channel or thread.",
    { channel: text("Channel ID or name."), text: text("Message body."), thread_ts: text("Thread to answer in.") },
    ["channel", "text"],
  ),
  toolOf("list_channels", "List the channels of a Slack workspace.", { limit: { type: "integer" } }, []),
];
const sentryTools = [
  toolOf("list_issues", "Recent errors of a Sentry project.", { project: text("Project.") }, ["project"]),
];
const linearTools = [toolOf("create_issue", "Create a Linear issue.", { title: text("Title.") }, ["title"])];

async function openExamples() {
  const scene = await openDiscoveryScene({ mode: "cluster" });
  const all = { slack: slackTools, sentry: sentryTools, linear: linearTools };
  for (const [name, tools] of Object.entries(all)) {
    const { url } = await startMcpServer(tools);
    scene.state.put(remoteServer(name, url, { description: `The ${name} server.`, tags: ["work"] }));
  }
  await expect.poll(() => scene.discovery.countIndexed(), { timeout: 5_000 }).toBe(4);
  return scene;
}

const anyScore = expect.any(Number);

describe("DSC-2 find_tool", () => {
  it("names the best tool, what its call needs, and others", async () => {
    const { act } = await openExamples();
    const answer = await act("caller", {
      action: "find_tool",
      query: "post a message to a slack channel",
      auto_activate: false,
    });
    expect(answer).toEqual({
      found: true,
      confidence: expect.stringMatching(/^(high|medium|low)$/),
      score: anyScore,
      call_as: "mcp__slack__post_message",
      server: "slack",
      tool: "post_message",
      description: "Post a message to a Slack channel or thread.",
      required_args: [
        { name: "channel", type: "string", description: "Channel ID or name." },
        { name: "text", type: "string", description: "Message body." },
      ],
      optional_count: 1,
      next_step: expect.stringMatching(/^invoke call_as directly/),
      other_matches: expect.any(Array),
    });
    expect(answer["other_matches"]).toContainEqual({
      call_as: "mcp__slack__list_channels",
      tool: "list_channels",
      description: "List the channels of a Slack workspace.",
      score: anyScore,
    });
  });

  it("says what is not found, and a hint", async () => {
    const { act } = await openExamples();
    expect(await act("caller", { action: "find_tool", query: "brew coffee" })).toEqual({
      found: false,
      top_score: anyScore,
      hint: expect.stringContaining("name the service, the action and the object"),
    });
  });
});

describe("DSC-4 find_tools, get_schema and proxy_call", () => {
  it("find_tools answers one result per intent, in their order", async () => {
    const { act } = await openExamples();
    const intents = ["recent sentry errors for the web project", "create a linear issue"];
    const { results } = await act("caller", { action: "find_tools", intents, auto_activate: false });
    expect(results).toMatchObject([
      { found: true, call_as: "mcp__sentry__list_issues" },
      { found: true, call_as: "mcp__linear__create_issue" },
    ]);
  });

  it("get_schema answers the full schema", async () => {
    const { act } = await openExamples();
    expect(await act("caller", { action: "get_schema", call_as: "mcp__slack__post_message" })).toEqual({
      call_as: "mcp__slack__post_message",
      server: "slack",
      tool: "post_message",
      description: "Post a message to a Slack channel or thread.",
      input_schema: slackTools[0]?.inputSchema,
    });
  });

  it.each([{ call_as: "mcp__slack__post_message" }, { server: "slack", tool: "post_message" }])(
    "proxy_call answers the tool's own result: %o",
    async (named) => {
      const scene = await openExamples();
      const client = await scene.connect("2026", "caller");
      const sent = { channel: "#releases", text: "deploy finished" };
      const answer = await client.call("registry", { action: "proxy_call", ...named, arguments: sent });
      expect(answer).toEqual({
        content: [{ type: "text", text: JSON.stringify(sent) }],
        structuredContent: undefined,
        isError: false,
      });
      expect(scene.calls.page(1, 0, () => true).entries).toMatchObject([
        { server: "slack", tool: "post_message", caller: "somebody caller", success: true },
      ]);
    },
  );

  it("a failed proxy_call names similar tools", async () => {
    const scene = await openExamples();
    const client = await scene.connect("2026", "caller");
    const answer = await client.call("registry", { action: "proxy_call", call_as: "mcp__slack__post_mesage" });
    expect(answer.isError).toBe(true);
    expect(answer.structuredContent).toMatchObject({
      error: { type: "not_found", status: 404 },
      did_you_mean: expect.arrayContaining(["mcp__slack__post_message"]),
    });
    expect(JSON.stringify(answer.content)).toContain("mcp__slack__post_message");
  });
});

describe("DSC-1 the actions of servers", () => {
  it("list finds servers by words", async () => {
    const { act } = await openExamples();
    const { servers } = await act("viewer", { action: "list", query: "slack", installed_only: true });
    expect(servers).toMatchObject([{ name: "slack", active: true, tool_count: 2, installed: true }]);
  });

  it("activate, deactivate and uninstall answer as REST does", async () => {
    const { act, state, written } = await openExamples();
    expect(await act("operator", { action: "activate", name: "slack" })).toEqual({
      status: "activated",
      tool_count: 2,
    });
    expect(await act("operator", { action: "activate", name: "slack" })).toEqual({
      status: "already_active",
      tool_count: 2,
    });
    expect(await act("operator", { action: "deactivate", name: "slack" })).toEqual({ status: "deactivated" });
    expect(await act("operator", { action: "deactivate", name: "slack" })).toEqual({ status: "not_active" });
    expect(await act("admin", { action: "uninstall", name: "slack" })).toEqual({ status: "deleted" });
    expect(state.getServer("slack")).toBeUndefined();
    expect(written).toEqual(["patch slack", "patch slack", "delete slack"]);
  });

  it("status tells what is started", async () => {
    const { act } = await openExamples();
    expect(await act("caller", { action: "status" })).toEqual({
      active_count: 3,
      servers: [
        { name: "linear", tool_count: 1, tools: ["create_issue"] },
        { name: "sentry", tool_count: 1, tools: ["list_issues"] },
        { name: "slack", tool_count: 2, tools: ["post_message", "list_channels"] },
      ],
    });
  });

  it.each([
    ["find_tool", {}, "query is missing"],
    ["find_tools", {}, "intents is missing"],
    ["get_schema", {}, "call_as is missing"],
    ["proxy_call", { server: "slack" }, "tool is missing"],
    ["activate", {}, "name is missing"],
    ["uninstall", {}, "name is missing"],
  ])("%s names the parameter that it misses", async (action, given, message) => {
    const { act } = await openExamples();
    const { error } = await act("admin", { action, ...given });
    expect(error).toMatchObject({ type: "invalid", status: 422, message: expect.stringContaining(message) });
  });

  it.each([
    ["viewer", "find_tool", { query: "x" }, "caller"],
    ["viewer", "proxy_call", { call_as: "mcp__slack__post_message" }, "caller"],
    ["approver", "activate", { name: "slack" }, "operator"],
    ["operator", "uninstall", { name: "slack" }, "admin"],
  ])("%s may not %s, and hears which role it takes", async (as, action, given, role) => {
    const { act } = await openExamples();
    const { error } = await act(as, { action, ...given });
    expect(error).toMatchObject({ type: "forbidden", message: expect.stringContaining(`the role ${role}`) });
  });
});
