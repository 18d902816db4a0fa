import { describe, expect, test } from "vitest";
import type { ShownConversation } from "../../../data/conversations.ts";
import { findBegun } from "./own-conversation.ts";

const at = Date.parse("2026-11-24T12:00:00Z");
const listed = (session_id: string | null, title: string, begunMs = at): ShownConversation => ({
  ...{ session_id, title, begun_at: new Date(begunMs).toISOString() },
  ...{ last_at: new Date(begunMs).toISOString(), answering: true },
});
const find = (text: string, list: readonly ShownConversation[], taken: readonly string[] = []) =>
  findBegun({ text, at }, list, new Set(taken));

describe("UI-1 a conversation that was begun here", () => {
  test("is the one of the list with its first words that began when it was sent", () => {
    expect(find("Pay it\n now \u202e", [listed("a", "Other"), listed("b", "Pay it now")])).toBe("b");
    expect(find(`${"word ".repeat(40)}end`, [listed("b", "word word…")])).toBe("b");
    expect(find("", [listed("b", "")])).toBe("b");
    expect(find("Pay it", [listed("b", "…"), listed("c", "Pay it at once")])).toBeUndefined();
  });

  test("is none that began before it, but for what clocks differ", () => {
    expect(find("a", [listed("b", "a", at - 5_000)])).toBe("b");
    expect(find("a", [listed("b", "a", at - 5_001)])).toBeUndefined();
  });

  test("is none where two could be meant, or that is another's of the page", () => {
    expect(find("a", [listed("b", "a"), listed("c", "a")])).toBeUndefined();
    expect(find("a", [listed("b", "a"), listed("c", "a")], ["b"])).toBe("c");
    expect(find("a", [listed(null, "a")])).toBeUndefined();
  });
});
