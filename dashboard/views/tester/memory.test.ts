import { describe, expect, it } from "vitest";
import { createSession } from "../../session/session.ts";
import { jsonObject } from "../../parts/schema-form/json-text.ts";
import { addPast, keepDraft, maxPastCalls, memoryOf, type PastCall } from "./memory.ts";
import { readOutcome } from "./outcome.ts";

const call = (bytes = 10): Omit<PastCall, "key"> => ({
  server: "bank",
  request: { kind: "resources", uri: "u:1" },
  form: { kind: "resources", name: "u:1", value: jsonObject() },
  outcome: { ...readOutcome({ kind: "answered", status: 200, text: "{}", bytes }) },
  at: 0,
  durationMs: 1,
  lastHeard: undefined,
});
const openSession = () =>
  createSession(
    {
      location: { hash: "", pathname: "/", search: "" },
      history: { replaceState: () => undefined },
      storage: { getItem: () => null, setItem: () => undefined, removeItem: () => undefined },
    },
    () => false,
  );

describe("what the tester remembers", () => {
  it("is so many calls, the newest first", () => {
    let past: readonly PastCall[] = [];
    for (let n = 0; n <= maxPastCalls; n += 1) past = addPast(past, call());
    expect(past).toHaveLength(maxPastCalls);
    expect([past[0]?.key, past.at(-1)?.key]).toEqual([maxPastCalls + 1, 2]);
  });

  it("is so many bytes of answers, and the last one whatever its size", () => {
    const large = 16 * 1024 * 1024;
    expect(addPast(addPast([], call(large)), call(large))).toHaveLength(2);
    expect(addPast(addPast(addPast([], call(large)), call(large)), call(1))).toHaveLength(2);
    expect(addPast([], call(10 * large))).toHaveLength(1);
  });

  it("is one person's: whoever signs in after them finds nothing", () => {
    const session = openSession();
    const memory = memoryOf(session, "ann");
    keepDraft(memory, "k", jsonObject());
    expect(memoryOf(session, "ann").drafts.size).toBe(1);
    expect(memoryOf(session, "bob").drafts.size).toBe(0);
    expect(memoryOf(session, "ann").drafts.size).toBe(0);
  });

  it("forgets the draft that was changed longest ago", () => {
    const memory = { drafts: new Map() };
    for (let n = 0; n < 200; n += 1) keepDraft(memory, String(n), jsonObject());
    keepDraft(memory, "0", jsonObject());
    keepDraft(memory, "new", jsonObject());
    expect(memory.drafts.size).toBe(200);
    expect([memory.drafts.has("0"), memory.drafts.has("1")]).toEqual([true, false]);
  });
});
