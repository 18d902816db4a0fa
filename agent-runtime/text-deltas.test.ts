// The answer as it is written: what callers of both eras get that ask for it, and what becomes of it when they are slow.
import { describe, expect, test } from "vitest";
import type { TextDelta } from "../crds/text-delta.ts";
import type { Progress } from "../lib/mcp/table.ts";
import { ManualClock, settle } from "../lib/process/testing/manual-clock.ts";
import { stopAfterEach } from "./testing/cleanup.ts";
import { connect2025, connect2026 } from "./testing/client.ts";
import { callTool, createScriptedModels } from "./testing/scripted-models.ts";
import { startAgent } from "./testing/servers.ts";
import { maxCallChars, createTextDeltas, maxWaitingChars } from "./text-deltas.ts";

const started = stopAfterEach();
const delta = "ca.helu.pallas/text_delta";
const wanted = { "ca.helu.pallas/text_deltas": true };

function start() {
  const clock = new ManualClock();
  const sent: TextDelta[] = [];
  let gate = Promise.resolve();
  let open = () => {};
  const deltas = createTextDeltas({
    send: (each) => {
      sent.push(each);
      return gate;
    },
    clock,
  });
  return {
    clock,
    sent,
    deltas,
    /** Until the returned function is called nothing more can be sent. */
    block() {
      ({ promise: gate, resolve: open } = Promise.withResolvers<void>());
      return async () => {
        gate = Promise.resolve();
        open();
        await settle();
      };
    },
  };
}

describe("PRG-1 pieces of text", () => {
  test("are gathered for 100 ms, and nothing is sent where nothing came", async () => {
    const { clock, sent, deltas } = start();
    deltas.add(1, "Good ", 0);
    deltas.add(1, "morning", 5);
    await clock.advance(99);
    expect(sent).toEqual([]);
    await clock.advance(1);
    expect(sent).toEqual([{ step: 1, text: "Good morning", start: true }]);
    await clock.advance(1_000);
    expect(clock.pending).toEqual([]);
    deltas.add(1, "!", 12);
    await clock.advance(100);
    expect(sent[1]).toEqual({ step: 1, text: "!" });
  });

  test("of a turn that is tried again begin anew, and what waited of the first try is not sent", async () => {
    const { clock, sent, deltas } = start();
    deltas.add(1, "Once", 0);
    await clock.advance(100);
    deltas.add(1, " upon", 4);
    deltas.add(1, "Twice", 0);
    await clock.advance(100);
    expect(sent.slice(1)).toEqual([{ step: 1, text: "Twice", start: true }]);
  });

  test("of another step do not wait for those before them", async () => {
    const { sent, deltas, clock } = start();
    deltas.add(1, "First.", 0);
    deltas.add(3, "Second.", 0);
    await clock.advance(100);
    expect(sent).toEqual([
      { step: 1, text: "First.", start: true },
      { step: 3, text: "Second.", start: true },
    ]);
  });

  test("never part a character of two halves", async () => {
    const { clock, sent, deltas } = start();
    deltas.add(1, "a\ud83d", 0);
    await clock.advance(100);
    deltas.add(1, "\ude00b", 2);
    await clock.advance(100);
    expect(sent.map(({ text }) => text)).toEqual(["a", "😀b"]);
  });

  test("wait for a slow caller up to a limit, then are left out, and the next one is marked", async () => {
    const { clock, sent, deltas, block } = start();
    const unblock = block();
    deltas.add(1, "a", 0);
    await clock.advance(100);
    deltas.add(1, "b".repeat(maxWaitingChars), 1);
    deltas.add(1, "c", maxWaitingChars + 1);
    deltas.add(1, "d", maxWaitingChars + 2);
    await clock.advance(60_000);
    expect(sent).toHaveLength(1);
    await unblock();
    await clock.advance(100);
    deltas.add(1, "e", maxWaitingChars + 3);
    await clock.advance(100);
    expect(sent.slice(1)).toEqual([
      { step: 1, text: "b".repeat(maxWaitingChars) },
      { step: 1, text: "e", gap: true },
    ]);
  });

  test("a piece that is too long by itself is left out and marked", async () => {
    const { clock, sent, deltas } = start();
    deltas.add(1, "x".repeat(maxWaitingChars + 1), 0);
    deltas.add(1, "y", maxWaitingChars + 1);
    await clock.advance(100);
    expect(sent).toEqual([{ step: 1, text: "y", start: true, gap: true }]);
  });

  test.each([1, 1_000, maxWaitingChars])("of %i characters end with the share of a call", async (size) => {
    const { clock, sent, deltas } = start();
    // Each costs its characters and 300 more.
    const most = Math.ceil(maxCallChars / (size + 300));
    for (let n = 0; n < most + 3; n += 1) {
      deltas.add(1, "x".repeat(size), n * size);
      await clock.advance(100);
    }
    expect(sent).toHaveLength(most);
  });
});

describe("PRG-1 a caller that asks for the text as it is written", () => {
  const script = () =>
    createScriptedModels([
      ({ onText }) => {
        onText?.("Look", 0);
        onText?.("ing.", 4);
        return { text: "Looking.", toolCalls: [callTool("nope")] };
      },
      ({ onText }) => {
        onText?.("Done.", 0);
        return { text: "Done." };
      },
    ]);
  const deltasOf = (progress: Progress[], metaOf: (each: Progress) => unknown) =>
    progress.flatMap((each) => {
      const meta = metaOf(each);
      return typeof meta === "object" && meta !== null && delta in meta ? [meta[delta]] : [];
    });
  const expected = [
    { step: 1, text: "Looking.", start: true },
    { step: 3, text: "Done.", start: true },
  ];

  async function startScripted() {
    const agent = await startAgent({}, { models: script() });
    started.push(agent);
    return agent.mcpUrl;
  }

  test("gets it in _meta of rising progress notifications, in the 2026 era", async () => {
    const connection = await connect2026(await startScripted());
    const progress: Progress[] = [];
    const { signal } = new AbortController();
    const onProgress = (each: Progress) => void progress.push(each);
    const options = { signal, idleTimeoutMs: 10_000, onProgress };
    const { content } = await connection.callTool("send_message", { message: "go" }, { ...options, meta: wanted });
    expect(content).toEqual([{ type: "text", text: "Looking.\n\nDone." }]);
    expect(deltasOf(progress, ({ meta }) => meta)).toEqual(expected);
    expect(progress.map((each) => each.progress)).toEqual(progress.map((_, index) => index + 1));
    expect(progress.flatMap(({ message }) => message ?? [])).toEqual([
      "tech_research step 1 (llm)",
      "tech_research step 2 (tool)",
      "tech_research step 3 (llm)",
    ]);
    progress.splice(0);
    await connection.callTool("send_message", { message: "go" }, options);
    expect(deltasOf(progress, ({ meta }) => meta)).toEqual([]);
    await connection.close();
  });

  test("gets it in the 2025 era", async () => {
    const client = await connect2025(await startScripted());
    const progress: (Progress & { _meta?: unknown })[] = [];
    const onprogress = (each: Progress) => void progress.push(each);
    const request = { name: "tech_research", arguments: { message: "go" }, _meta: wanted };
    await client.callTool(request, { onprogress });
    expect(deltasOf(progress, (each) => ("_meta" in each ? each["_meta"] : undefined))).toEqual(expected);
    await client.close();
  });
});
