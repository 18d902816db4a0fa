// Downstream servers that are down, come back, or answer badly.
import { describe, expect, test, vi } from "vitest";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { ask } from "../testing/client.ts";
import { renderTestConfig, renderTestServer, renderTestSubAgent } from "../testing/run-config.ts";
import { callTool, createScriptedModels } from "../testing/scripted-models.ts";
import { startAgent, startToolServer, textResult, type ToolServer } from "../testing/servers.ts";

const keep = keepUntilEnd();

const portOf = (server: ToolServer) => Number(new URL(server.url).port);
const readTool = { read: () => textResult("read it") };
const readNow = { message: "***CALL_TOOL argos__read {}" };
/** A port on which nothing listens any more. */
const findDeadUrl = async () => {
  const server = await startToolServer({});
  await server.stop();
  return server.url;
};

test("AGT-15 tools of two servers that would have one name are both offered and both called", async () => {
  const first = await keep(startToolServer({ z: () => textResult("of the first") }));
  const second = await keep(startToolServer({ y__z: () => textResult("of the second") }));
  const servers = [
    { ...renderTestServer("one", first.url), prefix: "x__y" },
    { ...renderTestServer("two", second.url), prefix: "x" },
  ];
  const models = createScriptedModels([{ text: "names" }]);
  const agent = await keep(startAgent({ servers }, { models }));
  await ask(agent.mcpUrl, { message: "go" });
  const names = models.requests[0]?.tools.map(({ name }) => name) ?? [];
  expect(names).toEqual(["x__y__z", expect.stringMatching(/^x__y__z_[0-9a-f]{8}$/)]);
  const caller = await keep(startAgent({ servers }));
  for (const [index, text] of ["of the first", "of the second"].entries()) {
    expect((await ask(caller.mcpUrl, { message: `***CALL_TOOL ${names[index]} {}` })).text).toBe(text);
  }
});

describe("a downstream server that is down", () => {
  test("at start hinders neither the start nor the tools of others", async () => {
    const neo4j = await keep(startToolServer({ query: () => textResult("rows") }));
    const servers = [renderTestServer("argos", await findDeadUrl()), renderTestServer("neo4j", neo4j.url)];
    const models = createScriptedModels([{ toolCalls: [callTool("neo4j__query")] }, { text: "ok" }]);
    const agent = await keep(startAgent({ servers }, { models }));
    expect((await ask(agent.mcpUrl, { message: "go" })).text).toBe("ok");
    expect(models.requests[0]?.tools.map(({ name }) => name)).toEqual(["neo4j__query"]);
  });

  test("LOG-3 keeps its tools listed; a call to it is an error result, logged under pallas.forward.trace", async () => {
    const argos = await startToolServer(readTool);
    const models = createScriptedModels([{ text: "one" }, { toolCalls: [callTool("argos__read")] }, { text: "two" }]);
    const agent = await keep(startAgent({ servers: [renderTestServer("argos", argos.url)] }, { models }));
    await ask(agent.mcpUrl, { message: "go" });
    await argos.stop();
    const answer = await ask(agent.mcpUrl, { message: "go" });
    expect(answer).toMatchObject({ text: "two", isError: false });
    expect(answer.lines).toContain("argos/read: failed");
    expect(models.requests[2]?.messages.at(-1)).toMatchObject({
      results: [{ isError: true, text: expect.stringContaining("The tool failed: ") }],
    });
    const failure = agent.lines.find(({ message }) => message === "a tool call failed");
    expect(failure).toMatchObject({
      logger: "pallas.forward.trace",
      server: "argos",
      err: { stack: expect.any(String) },
    });
  });

  test("LOG-3 that cannot list its tools is logged with its stack too", async () => {
    const agent = await keep(startAgent({ servers: [renderTestServer("argos", "http://127.0.0.1:1/mcp")] }));
    await ask(agent.mcpUrl, { message: "go" });
    expect(agent.lines.find(({ message }) => message === "tools of a server cannot be listed")).toMatchObject({
      logger: "pallas.forward.trace",
      server: "argos",
      err: { stack: expect.any(String) },
    });
  });

  test.each([{ only2025: false }, { only2025: true }])("is used again once it is back: %j", async (options) => {
    const argos = await startToolServer(readTool, options);
    const agent = await keep(startAgent({ servers: [renderTestServer("argos", argos.url)] }));
    expect((await ask(agent.mcpUrl, readNow)).text).toBe("read it");
    await argos.stop();
    expect((await ask(agent.mcpUrl, readNow)).text).toContain("The tool failed");
    await keep(startToolServer(readTool, { ...options, port: portOf(argos) }));
    await vi.waitFor(async () => expect((await ask(agent.mcpUrl, readNow)).text).toBe("read it"));
  });

  test("that restarted between two calls has its lost session renewed without an error", async () => {
    const argos = await startToolServer(readTool, { only2025: true });
    const agent = await keep(startAgent({ servers: [renderTestServer("argos", argos.url)] }));
    expect((await ask(agent.mcpUrl, readNow)).text).toBe("read it");
    await argos.stop();
    const successor = await keep(startToolServer(readTool, { only2025: true, port: portOf(argos) }));
    expect((await ask(agent.mcpUrl, readNow)).text).toBe("read it");
    expect(successor.seen).toHaveLength(1);
    expect(successor.seen[0]?.context.era).toBe("2025");
  });

  test("that comes back with another generation of the protocol is connected to anew", async () => {
    const argos = await startToolServer(readTool);
    const agent = await keep(startAgent({ servers: [renderTestServer("argos", argos.url)] }));
    expect((await ask(agent.mcpUrl, readNow)).text).toBe("read it");
    await argos.stop();
    const successor = await keep(startToolServer(readTool, { only2025: true, port: portOf(argos) }));
    expect((await ask(agent.mcpUrl, readNow)).text).toContain("The tool failed");
    expect((await ask(agent.mcpUrl, readNow)).text).toBe("read it");
    expect(successor.seen.map(({ context }) => context.era)).toEqual(["2025"]);
  });

  test("a sub-agent that is down is an error result too", async () => {
    const models = createScriptedModels([
      { toolCalls: [callTool("worker__worker", { message: "x" })] },
      { text: "ok" },
    ]);
    const agents = [renderTestSubAgent("worker", await findDeadUrl())];
    const agent = await keep(startAgent({ agents }, { models }));
    expect(await ask(agent.mcpUrl, { message: "go" })).toMatchObject({ text: "ok", isError: false });
  });
});

describe("connections to downstream servers", () => {
  test("a silent tool fails after the server's timeout, which its progress restarts", async () => {
    const argos = await keep(
      startToolServer({
        chatty: async (_args, { sendProgress }) => {
          for (let n = 1; n <= 25; n += 1) {
            await sendProgress?.({ progress: n });
            await new Promise((resolve) => setTimeout(resolve, 100));
          }
          return textResult("finished");
        },
        silent: (_args, { signal }) =>
          new Promise((resolve) => signal.addEventListener("abort", () => resolve(textResult("late")))),
      }),
    );
    const agent = await keep(startAgent({ servers: [renderTestServer("argos", argos.url, { timeoutMs: 2_000 })] }));
    expect((await ask(agent.mcpUrl, { message: "***CALL_TOOL argos__chatty {}" })).text).toBe("finished");
    expect((await ask(agent.mcpUrl, { message: "***CALL_TOOL argos__silent {}" })).text).toContain(
      "silent for 2000 ms",
    );
  });

  test("CFG-8 a tool that reports progress for ever ends before its run does", async () => {
    const argos = await keep(
      startToolServer({
        endless: (_args, { sendProgress, signal }) =>
          new Promise((resolve) => {
            const timer = setInterval(() => void sendProgress?.({ progress: performance.now() }), 50);
            signal.addEventListener("abort", () => resolve(textResult("late")));
            signal.addEventListener("abort", () => clearInterval(timer));
          }),
      }),
    );
    const models = createScriptedModels([{ toolCalls: [callTool("argos__endless")] }, { text: "gave up" }]);
    const limits = { ...renderTestConfig().limits, wallClockMs: 5_000 };
    const servers = [renderTestServer("argos", argos.url, { timeoutMs: 1_000 })];
    const agent = await keep(startAgent({ servers, limits, scope: "request" }, { models }));
    expect(await ask(agent.mcpUrl, { message: "go" })).toMatchObject({ text: "gave up", isError: false });
    expect(models.requests[1]?.messages.at(-1)).toMatchObject({
      results: [{ isError: true, text: expect.stringMatching(/had no result after 4\d\d\d ms/) }],
    });
  });

  test("the runs of one token share a session with a forwarding server, no other run does", async () => {
    const argos = await keep(startToolServer(readTool, { only2025: true }));
    const servers = [renderTestServer("argos", argos.url, { forwardInboundAuth: true })];
    const agent = await keep(startAgent({ servers }));
    for (const token of ["a", "b", "a", "b"]) expect((await ask(agent.mcpUrl, readNow, token)).text).toBe("read it");
    const sessionsOf = (token: string) =>
      new Set(argos.seen.filter(({ bearer }) => bearer === token).map(({ context }) => context.sessionId));
    expect([sessionsOf("a").size, sessionsOf("b").size]).toEqual([1, 1]);
    expect(sessionsOf("a")).not.toEqual(sessionsOf("b"));
    expect(argos.authorizations.every((header) => header === "Bearer a" || header === "Bearer b")).toBe(true);
  });

  test("a tool that is denied after it was listed is not called", async () => {
    const argos = await keep(startToolServer(readTool));
    const server = renderTestServer("argos", argos.url);
    const deny: string[] = [];
    const models = createScriptedModels([
      () => {
        deny.push("re*");
        return { toolCalls: [callTool("argos__read")] };
      },
      { text: "ok" },
    ]);
    const agent = await keep(startAgent({ servers: [{ ...server, deny }] }, { models }));
    expect((await ask(agent.mcpUrl, { message: "go" })).lines).toContain("argos/read: failed");
    expect(argos.seen).toEqual([]);
  });

  test("sub-agents start a conversation per run and continue it within the run", async () => {
    const workerModels = createScriptedModels([({ messages }) => ({ text: `${messages.length} messages` })]);
    const worker = await keep(startAgent({}, { models: workerModels }));
    const askWorker = { toolCalls: [callTool("worker__worker", { message: "x" })] };
    const models = createScriptedModels([askWorker, askWorker, { text: "ok" }, askWorker, { text: "ok" }]);
    const lead = await keep(
      startAgent({ agents: [renderTestSubAgent("worker", worker.mcpUrl)], scope: "request" }, { models }),
    );
    await ask(lead.mcpUrl, { message: "go" });
    await ask(lead.mcpUrl, { message: "go" });
    expect(workerModels.requests.map(({ messages }) => messages.length)).toEqual([1, 3, 1]);
  });

  test("allow and deny choose among a server's tools", async () => {
    const argos = await keep(
      startToolServer({ search_a: () => textResult(""), search_b: () => textResult(""), rm: () => textResult("") }),
    );
    const models = createScriptedModels([{ text: "ok" }]);
    const servers = [renderTestServer("argos", argos.url, { allow: ["search_*"], deny: ["*_b"], prefix: "web" })];
    const agent = await keep(startAgent({ servers }, { models }));
    await ask(agent.mcpUrl, { message: "go" });
    expect(models.requests[0]?.tools.map(({ name }) => name)).toEqual(["web__search_a"]);
  });

  test("a pattern that matches no tool is warned of once, with what may be meant", async () => {
    const time = await keep(startToolServer({ get_time: () => textResult("") }));
    const models = createScriptedModels([{ text: "ok" }, { text: "ok" }]);
    const agent = await keep(
      startAgent({ servers: [renderTestServer("time", time.url, { allow: ["get_tme"] })] }, { models }),
    );
    await ask(agent.mcpUrl, { message: "go" });
    await ask(agent.mcpUrl, { message: "go" });
    expect(agent.lines.filter(({ patterns }) => patterns !== undefined)).toMatchObject([
      { level: "WARNING", server: "time", patterns: ['"get_tme" (did you mean "get_time"?)'] },
    ]);
  });
});
