// What every provider demands of a conversation, for tests of what a model is shown.
import { expect } from "vitest";
import type { ModelMessage } from "../model/types.ts";

/** Fails unless the messages are a conversation that every provider takes. */
export function checkShown(messages: readonly ModelMessage[]): void {
  expect(messages[0]?.role).toBe("user");
  expect(messages.at(-1)?.role).not.toBe("assistant");
  const seen = new Set<string>();
  for (const [index, { role }] of messages.entries()) {
    const before = messages[index - 1];
    const current = messages[index];
    if (role === "user") expect(before?.role).not.toBe("user");
    if (before?.role === "assistant") expect(role).toBe(before.toolCalls.length > 0 ? "tool" : "user");
    if (role === "assistant") expect(before?.role).not.toBe("assistant");
    if (current?.role === "tool") {
      const asked = before?.role === "assistant" ? before.toolCalls.map(({ id }) => id) : [];
      expect(current.results.map(({ callId }) => callId)).toEqual(asked);
    }
    if (current?.role !== "assistant") continue;
    expect(current.text.trim() + current.toolCalls.length).not.toBe("0");
    for (const { id } of current.toolCalls) {
      expect(seen).not.toContain(id);
      seen.add(id);
    }
  }
}
