import { CallToolRequestSchema, ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, test } from "vitest";
import { connectMcp } from "./connect.ts";
import { answer, startServer2025 } from "./downstream-servers.fixture.ts";
import { answerBounds } from "../outgoing/response-limit.ts";
import type { Question } from "./asking.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const requestedSchema = { type: "object" as const, properties: {} };
const question = { method: "elicitation/create" as const, params: { message: "Who?", requestedSchema } };

/** A server whose call asks on the stream of the call itself, or on the one that belongs to no call. */
async function start(where: "its own stream" | "no call's stream") {
  const outcomes: string[] = [];
  const app = await startServer2025();
  stops.push(() => app.stop());
  app.server.setRequestHandler(CallToolRequestSchema, async (_request, extra) => {
    const asked =
      where === "its own stream"
        ? extra.sendRequest(question, ElicitResultSchema)
        : app.server.request(question, ElicitResultSchema);
    outcomes.push(await asked.then(({ action }) => action, String));
    return answer;
  });
  const signal = new AbortController().signal;
  const connection = await connectMcp({
    url: app.url,
    clientName: "test",
    clientVersion: "1",
    signal,
    connectTimeoutMs: 5_000,
    askable: { form: true, url: false, sampling: false },
  });
  stops.push(() => connection.close());
  const reached: Question[] = [];
  const ask = async (given: Question) => {
    reached.push(given);
    return { action: "decline" };
  };
  await connection.callTool("only", {}, { signal, idleTimeoutMs: 5_000, ask });
  return { outcomes, reached };
}

describe("BRR-2 a server's question during a call", () => {
  test("is the call's when it comes on its stream", async () => {
    const { outcomes, reached } = await start("its own stream");
    expect(outcomes).toEqual(["decline"]);
    expect(reached).toMatchObject([question]);
  });

  test("is nobody's when it comes on the stream that belongs to no call, though only one call runs", async () => {
    const { outcomes, reached } = await start("no call's stream");
    expect(outcomes).toEqual([expect.stringContaining("belongs to no call of this client that runs")]);
    expect(reached).toEqual([]);
  });
});

test("SEC-6 a call that may be asked learns of an answer that is too much as any other does", async () => {
  const app = await startServer2025();
  stops.push(() => app.stop());
  let structuredContent: Record<string, unknown> = {};
  for (let level = 0; level < answerBounds.maxDepth; level += 1) structuredContent = { a: structuredContent };
  app.server.setRequestHandler(CallToolRequestSchema, () => ({ ...answer, structuredContent }));
  const signal = new AbortController().signal;
  const options = { url: app.url, clientName: "test", clientVersion: "1", signal, connectTimeoutMs: 5_000 };
  const connection = await connectMcp({ ...options, askable: { form: true, url: false, sampling: false } });
  stops.push(() => connection.close());
  const ask = async () => ({ action: "decline" });
  await expect(connection.callTool("only", {}, { signal, idleTimeoutMs: 5_000, ask })).rejects.toMatchObject({
    kind: "protocol",
    message: expect.stringContaining("nested more than 200 deep"),
  });
});
