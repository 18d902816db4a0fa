import { afterEach, describe, expect, it } from "vitest";
import type { LiveConfig, RunConfig } from "../crds/run-config.ts";
import { callMessage, initializeMessage, post, readMessages } from "../lib/mcp/raw-client.fixture.ts";
import { startAgent, type TestAgent } from "./testing/servers.ts";

let agent: TestAgent;
afterEach(() => agent.stop());

/** Whether an initialize opens a session, and how a call is answered without one and with one of another pod. */
async function observe() {
  const opened = await post(agent.mcpUrl, initializeMessage);
  await opened.text();
  const call = (headers: Record<string, string>) =>
    post(agent.mcpUrl, callMessage("send_message", { message: "hello" }), headers);
  const answers = await Promise.all([{}, { "mcp-session-id": "f".repeat(32) }].map((headers) => call(headers)));
  const texts = await Promise.all(answers.map(async (answer) => JSON.stringify(await readMessages(answer))));
  const statuses = answers.map(({ status }, i) => (status === 200 && !texts[i]?.includes("hello") ? "empty" : status));
  return { opens: opened.headers.has("mcp-session-id"), statuses };
}

describe("AGT-6 OPR-10 an agent that learns of other pods, and that they are gone", () => {
  const start = async (scope: RunConfig["scope"]) => {
    const live: LiveConfig = { schema: 1, severalPods: false };
    agent = await startAgent({ scope }, { readLive: async () => live });
    return live;
  };

  it("opens sessions while it is alone, and loses no call in between", async () => {
    const live = await start("request");
    expect(await observe()).toEqual({ opens: true, statuses: [200, 404] });
    live.severalPods = true;
    expect(await observe()).toEqual({ opens: false, statuses: [200, 200] });
    live.severalPods = false;
    expect(await observe()).toEqual({ opens: true, statuses: [200, 404] });
  });

  it("with a scope that keeps conversations it always opens them, and needs them", async () => {
    const live = await start("connection");
    live.severalPods = true;
    expect(await observe()).toEqual({ opens: true, statuses: [400, 404] });
  });
});

describe("OPR-11 an agent without a live configuration", () => {
  it.each([true, false])("opens sessions as its run configuration says: %s", async (sessions) => {
    agent = await startAgent({ scope: "request", sessions });
    expect((await observe()).opens).toBe(sessions);
  });
});
