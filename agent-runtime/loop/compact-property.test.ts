// Whatever is said, called, cut off and condensed in whatever order: what a model is shown is a valid conversation, and what
// is stored is all that was said.
import fc from "fast-check";
import { expect, test } from "vitest";
import { ModelError, type TurnRequest, type TurnResult } from "../model/types.ts";
import { createSessions } from "../session/sessions.ts";
import { StoreError } from "../session/store.ts";
import type { HistoryEntry, WithdrawnEntry } from "../session/transcript.ts";
import { callTool } from "../testing/scripted-models.ts";
import { checkShown } from "../testing/shown.ts";
import { createMemoryStore, talk, type MemoryStore } from "../testing/talk.ts";

interface Step {
  /** How many tools are called, and how long their results are; 0 ends the call. */
  tools: number;
  resultLength: number;
  textLength: number;
  /** Tokens as the provider counts them, over ours; 0: it does not say. */
  counted: number;
}

interface Message {
  length: number;
  steps: Step[];
  /** The process dies at this append; `kept` says whether the entry was. */
  crash: { at: number; kept: boolean } | undefined;
  summary: "written" | "empty" | "fails";
}

const step = fc.record({
  tools: fc.constantFrom(0, 1, 1, 2, 5),
  resultLength: fc.constantFrom(0, 40, 400, 2_000),
  textLength: fc.constantFrom(0, 0, 10, 300),
  counted: fc.constantFrom(0, 1, 2),
});
const message: fc.Arbitrary<Message> = fc.record({
  length: fc.constantFrom(1, 50, 800),
  steps: fc.array(step, { maxLength: 7 }),
  crash: fc.option(fc.record({ at: fc.integer({ min: 1, max: 12 }), kept: fc.boolean() }), { nil: undefined }),
  summary: fc.constantFrom("written", "written", "empty", "fails"),
});
const scene = fc.record({
  messages: fc.array(message, { minLength: 1, maxLength: 8 }),
  declaredWindow: fc.constantFrom(300, 1_000, 100_000),
  /** Of what the model takes, as we estimate. */
  realWindow: fc.constantFrom(250, 900, 3_000, 100_000),
  keepTurns: fc.integer({ min: 1, max: 3 }),
});

const sizeOf = ({ messages }: TurnRequest) => JSON.stringify(messages).length / 4;

/** The store as one process has it, which dies as the message says. `said` gets what was kept. */
function createProcess(store: MemoryStore, { crash }: Message, said: HistoryEntry[]) {
  let appends = 0;
  let dead = false;
  const append = async (key: string, entry: HistoryEntry | WithdrawnEntry) => {
    appends += 1;
    const dies = !dead && appends === crash?.at;
    if (!dead && !(dies && !crash.kept)) {
      await store.append(key, entry);
      if (entry.role === "withdrawn") said.splice(-entry.messages);
      else if (entry.role !== "summary") said.push(structuredClone(entry));
    }
    dead ||= dies;
    if (dead) throw new StoreError("the process is gone");
  };
  return { ...store, load: store.load, append };
}

function createModel(
  { steps, summary }: Message,
  realWindow: number,
  counts: { summaries: number; overflows: number },
) {
  let at = 0;
  return {
    async turn(request: TurnRequest): Promise<TurnResult> {
      checkShown(request.messages);
      const rest = { stopReason: "end" as const, model: "m" };
      if (sizeOf(request) > realWindow) {
        counts.overflows += 1;
        throw new ModelError("too long", { kind: "context_overflow", provider: "p" });
      }
      if (request.system !== "agent") {
        counts.summaries += 1;
        if (summary === "fails") throw new ModelError("down", { kind: "network", provider: "p" });
        return { ...rest, text: summary === "empty" ? "" : "s".repeat(60), toolCalls: [], usage: {} };
      }
      const { tools, textLength, counted } = steps[at] ?? { tools: 0, textLength: 5, counted: 1 };
      at += 1;
      // The same ids again and again, as some providers have them.
      const toolCalls = Array.from({ length: tools }, (_, index) => callTool("tool", { index }, `call_${index % 4}`));
      const usage = counted === 0 ? {} : { input: Math.ceil(sizeOf(request) * counted), output: 1 };
      return { ...rest, text: "t".repeat(textLength), toolCalls, usage };
    },
  };
}

test("AGT-4 AGT-5 what is shown is always a valid conversation, and what is stored is all that was said", async () => {
  const counts = { summaries: 0, overflows: 0 };
  const property = fc.asyncProperty(scene, async ({ messages, declaredWindow, realWindow, keepTurns }) => {
    const store = createMemoryStore();
    const said: HistoryEntry[] = [];
    for (const [index, each] of messages.entries()) {
      const length = () => each.steps[Math.min(index, each.steps.length - 1)]?.resultLength ?? 0;
      const outcome = await talk("u".repeat(each.length), {
        store: createProcess(store, each, said),
        models: createModel(each, realWindow, counts),
        capabilities: { contextWindow: declaredWindow },
        compaction: { compactAt: 0.5, keepTurns },
        dispatch: async (_context, _toolbox, { id, name }) => ({
          callId: id,
          name,
          text: "r".repeat(length()),
          images: [],
          isError: false,
        }),
      }).catch((failure: unknown) => ({ failure }));
      // An assertion of the model's, too, would end the call.
      const { failure } = { failure: undefined, ...outcome };
      const isExpected = failure === undefined || failure instanceof StoreError || failure instanceof ModelError;
      if (!isExpected) throw new Error("the call failed unexpectedly", { cause: failure });
    }
    const sessions = createSessions({ scope: "shared", maxQueued: 1, store });
    const { messages: read } = await sessions.readPage({ caller: "anyone" }, { messages: Infinity, bytes: Infinity });
    expect(read).toEqual(said);
  });
  await fc.assert(property, { numRuns: 300 });
  // Else it has shown nothing.
  expect(counts.summaries).toBeGreaterThan(100);
  expect(counts.overflows).toBeGreaterThan(50);
}, 60_000);
