import { expect, test } from "vitest";
import { createConversations, maxConversations } from "./conversations.ts";
import { person } from "./testing/management.ts";

test("MGM-2 so many conversations are known, and the one unused longest gives way", () => {
  const conversations = createConversations();
  const somebody = (at: number) => ({ ...person("caller"), subject: `person ${at}` });
  for (let at = 0; at < maxConversations; at += 1) conversations.keep(somebody(at), "desk", `id ${at}`);
  expect(conversations.find(somebody(0), "desk")).toBe("id 0");
  conversations.keep(somebody(0), "desk", "id new");
  conversations.keep(somebody(maxConversations), "desk", "id last");
  expect(conversations.find(somebody(1), "desk")).toBeUndefined();
  expect(conversations.find(somebody(0), "desk")).toBe("id new");
  expect(conversations.find(somebody(maxConversations), "desk")).toBe("id last");
});
