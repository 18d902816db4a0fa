import { describe, expect, test } from "vitest";
import type { ConversationReport } from "../../../crds/conversations.ts";
import { ManualClock } from "../../../lib/process/testing/manual-clock.ts";
import { conversationTimes, createAskedConversations, settleMs } from "./asked-conversations.ts";

const ann = { subject: "https://issuer ann" };
const bob = { subject: "https://issuer bob" };

/** An agent that lists as many conversations of each caller as `counts` says. */
function open() {
  const clock = new ManualClock();
  const counts = new Map<string, number>();
  const asked: string[] = [];
  const fetchConversations = async (agent: string, subject: string): Promise<ConversationReport> => {
    asked.push(`${agent}: ${subject}`);
    const one = { title: "t", begunAt: "", lastAt: "", answering: false };
    const conversations = Array.from({ length: counts.get(subject) ?? 0 }, () => one);
    return { agent, scope: "connection", conversations };
  };
  const conversations = createAskedConversations({ admin: { fetchConversations }, clock });
  return { clock, counts, asked, conversations };
}

describe("MGM-2 the conversations of one person with an agent", () => {
  test("are asked for and kept for that person alone", async () => {
    const { counts, asked, conversations } = open();
    counts.set(ann.subject, 2);
    const lengthOf = async (who: typeof ann) => {
      const answer = await conversations.get("clerk", who);
      return answer.ok && answer.value.conversations.length;
    };
    expect([await lengthOf(ann), await lengthOf(bob), await lengthOf(ann)]).toEqual([2, 0, 2]);
    expect(asked).toEqual([`clerk: ${ann.subject}`, `clerk: ${bob.subject}`]);
  });

  test("are asked for anew by who reads them after a call of that person", async () => {
    const { counts, conversations } = open();
    const lengthOf = async (who: typeof ann) => {
      const answer = await conversations.get("clerk", who);
      return answer.ok && answer.value.conversations.length;
    };
    expect([await lengthOf(ann), await lengthOf(bob)]).toEqual([0, 0]);
    for (const { subject } of [ann, bob]) counts.set(subject, 1);
    conversations.note("clerk", ann);
    expect([await lengthOf(ann), await lengthOf(bob)]).toEqual([1, 0]);
  });

  test("that change are told to who follows them, and to nobody who follows another's", async () => {
    const { clock, counts, conversations } = open();
    const heard: string[] = [];
    const stop = conversations.follow("clerk", ann, () => heard.push("ann"));
    conversations.follow("clerk", bob, () => heard.push("bob"));
    await clock.advance(0);
    counts.set(ann.subject, 1);
    await clock.advance(conversationTimes.everyMs);
    expect(heard).toEqual(["ann"]);
    stop();
    counts.set(ann.subject, 2);
    await clock.advance(conversationTimes.everyMs);
    expect(heard).toEqual(["ann"]);
    conversations.close();
  });

  test("are asked for soon after calls of that person, once for those of a moment, and never where nobody follows", async () => {
    const { clock, counts, asked, conversations } = open();
    conversations.note("clerk", ann);
    await clock.advance(settleMs);
    expect(asked).toEqual([]);
    const heard: string[] = [];
    conversations.follow("clerk", ann, () => heard.push("ann"));
    await clock.advance(0);
    expect(asked).toHaveLength(1);
    counts.set(ann.subject, 1);
    for (const who of [ann, ann, bob]) conversations.note("clerk", who);
    conversations.note("boss", ann);
    await clock.advance(settleMs - 1);
    expect(asked).toHaveLength(1);
    await clock.advance(1);
    expect(asked).toEqual([`clerk: ${ann.subject}`, `clerk: ${ann.subject}`]);
    expect(heard).toEqual(["ann"]);
    conversations.note("clerk", ann);
    conversations.close();
    await clock.advance(60_000);
    expect(asked).toHaveLength(2);
    expect(clock.pending).toEqual([]);
  });
});
