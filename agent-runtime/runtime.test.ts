// What a caller sees of an agent over real HTTP: answers, progress lines, failures.
import { describe, expect, test } from "vitest";
import { keepUntilEnd } from "./testing/cleanup.ts";
import { callMessage, modernCall, openSession, post, readMessages } from "../lib/mcp/raw-client.fixture.ts";
import { ask } from "./testing/client.ts";
import { renderTestServer, renderTestSubAgent } from "./testing/run-config.ts";
import { callTool, createScriptedModels } from "./testing/scripted-models.ts";
import { startAgent, startToolServer, textResult } from "./testing/servers.ts";

const keep = keepUntilEnd();

const search = { search_web: () => textResult("found it"), read: () => textResult("read it") };

describe("PRG-2 PRG-3 progress of a call", () => {
  test("a text answer has one model step and no total", async () => {
    const agent = await keep(startAgent());
    const answer = await ask(agent.mcpUrl, { message: "hello" });
    expect(answer).toMatchObject({ text: "hello", isError: false });
    expect(answer.progress).toEqual([{ progress: 1, message: "tech_research step 1 (llm)" }]);
  });

  test("a tool call is started and completed between two model steps", async () => {
    const argos = await keep(startToolServer(search));
    const agent = await keep(startAgent({ servers: [renderTestServer("argos", argos.url)] }));
    const answer = await ask(agent.mcpUrl, { message: '***CALL_TOOL argos__search_web {"q":"x"}' });
    expect(answer.text).toBe("found it");
    expect(answer.progress).toEqual([
      { progress: 1, message: "tech_research step 1 (llm)" },
      { progress: 2, message: "tech_research step 2 (tool)" },
      { progress: 3, message: "argos/search_web: started" },
      { progress: 4, total: 4, message: "argos/search_web: completed" },
      { progress: 5, message: "tech_research step 3 (llm)" },
    ]);
  });

  test("parallel tools are one tool step and rise on one counter", async () => {
    const argos = await keep(startToolServer(search));
    const agent = await keep(startAgent({ servers: [renderTestServer("argos", argos.url)] }));
    const answer = await ask(agent.mcpUrl, {
      message: "***CALL_TOOL argos__search_web {}\n***CALL_TOOL argos__read {}",
    });
    expect(answer.text).toBe("found it read it");
    expect(answer.lines.filter((line) => line.includes("step"))).toEqual([
      "tech_research step 1 (llm)",
      "tech_research step 2 (tool)",
      "tech_research step 3 (llm)",
    ]);
    expect(answer.lines.filter((line) => line.startsWith("argos/")).toSorted()).toEqual([
      "argos/read: completed",
      "argos/read: started",
      "argos/search_web: completed",
      "argos/search_web: started",
    ]);
    expect(answer.progress.map(({ progress }) => progress)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test("a failing tool ends in failed, and the model sees its text", async () => {
    const argos = await keep(startToolServer({ search_web: () => ({ ...textResult("no luck"), isError: true }) }));
    const agent = await keep(startAgent({ servers: [renderTestServer("argos", argos.url)] }));
    const answer = await ask(agent.mcpUrl, { message: "***CALL_TOOL argos__search_web {}" });
    expect(answer).toMatchObject({ text: "no luck", isError: false });
    expect(answer.progress.at(3)).toEqual({ progress: 4, total: 4, message: "argos/search_web: failed" });
  });

  test("emitLoopProgress false leaves the step lines out and keeps the tools'", async () => {
    const argos = await keep(startToolServer(search));
    const servers = [renderTestServer("argos", argos.url)];
    const agent = await keep(startAgent({ servers, emitLoopProgress: false }));
    const answer = await ask(agent.mcpUrl, { message: "***CALL_TOOL argos__read {}" });
    expect(answer.lines).toEqual(["argos/read: started", "argos/read: completed"]);
  });
});

describe("PRG-4 progress of others is passed on", () => {
  test("a sub-agent's lines come as they are, between its started and completed", async () => {
    const argos = await keep(startToolServer(search));
    const agentOf = (name: string) => ({ ...renderAgent(name), scope: "connection" as const });
    const worker = await keep(startAgent({ ...agentOf("worker"), servers: [renderTestServer("argos", argos.url)] }));
    const agents = [renderTestSubAgent("worker", worker.mcpUrl)];
    const models = createScriptedModels([
      { text: "I ask.", toolCalls: [callTool("worker__worker", { message: "***CALL_TOOL argos__read {}" })] },
      { text: "Done." },
    ]);
    const lead = await keep(startAgent({ ...agentOf("lead"), agents }, { models }));
    const answer = await ask(lead.mcpUrl, { message: "go" });
    expect(answer.text).toBe("I ask.\n\nDone.");
    expect(answer.lines).toEqual([
      "lead step 1 (llm)",
      "lead step 2 (tool)",
      "worker/worker__worker: started",
      "worker step 1 (llm)",
      "worker step 2 (tool)",
      "argos/read: started",
      "argos/read: completed",
      "worker step 3 (llm)",
      "worker/worker__worker: completed",
      "lead step 3 (llm)",
    ]);
    expect(answer.progress.filter(({ total }) => total !== undefined)).toEqual([
      { progress: 7, total: 7, message: "argos/read: completed" },
      { progress: 9, total: 9, message: "worker/worker__worker: completed" },
    ]);
    expect(models.requests[1]?.messages.at(-1)).toMatchObject({ results: [{ text: "read it", isError: false }] });
  });

  test("a server's own progress is prefixed with server and tool", async () => {
    const argos = await keep(
      startToolServer({
        crawl: async (_args, { sendProgress }) => {
          await sendProgress?.({ progress: 1, total: 3, message: "page 1" });
          await sendProgress?.({ progress: 2, total: 3 });
          return textResult("crawled");
        },
      }),
    );
    const agent = await keep(startAgent({ servers: [renderTestServer("argos", argos.url)] }));
    const answer = await ask(agent.mcpUrl, { message: "***CALL_TOOL argos__crawl {}" });
    expect(answer.lines.slice(2, 6)).toEqual([
      "argos/crawl: started",
      "argos/crawl: page 1",
      "argos/crawl: 2/3",
      "argos/crawl: completed",
    ]);
    expect(answer.progress[3]).toEqual({ progress: 4, message: "argos/crawl: page 1" });
  });
});

describe("AGT-7 one terminal result", () => {
  const script = (message: string) => ({ message, expectError: message === "" });
  test.each([script("***CALL_TOOL nope {}"), script("hello"), script("")])(
    "in both eras the stream ends with it, after all progress: %j",
    async ({ message, expectError }) => {
      const agent = await keep(startAgent());
      const meta = { progressToken: "p" };
      const modern = modernCall("send_message", { message }, meta);
      const session = await openSession(agent.mcpUrl);
      const answers = [
        await post(agent.mcpUrl, modern.message, modern.headers),
        await post(agent.mcpUrl, callMessage("send_message", { message }, 1, meta), session),
      ];
      for (const answer of answers) {
        const messages = await readMessages(answer);
        expect(messages.filter((each) => "id" in each)).toHaveLength(1);
        const last = messages.at(-1);
        expect(last).toMatchObject({ id: 1, result: { content: [{ type: "text" }] } });
        expect(JSON.stringify(last).includes('"isError":true')).toBe(expectError);
        expect(messages.slice(0, -1).every((each) => each["method"] === "notifications/progress")).toBe(true);
      }
    },
  );
});

const renderAgent = (name: string) => ({
  agent: { name, namespace: "agents", instance: "ouranos", title: name, description: name, version: "1.0.0" },
});
