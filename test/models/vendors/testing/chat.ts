// Pieces of chat requests for the tests of the servers that speak OpenAI's chat.
import type { Json } from "../json.ts";
import { png } from "./pictures.ts";
import type { RuleCase } from "./rule-cases.ts";

export const chatPath = "/v1/chat/completions";
export const user = { role: "user", content: "hi" };

export const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

export const objectSchema = { type: "object", properties: {} };

export const chatTool = (fields: Json = {}) => ({
  type: "function",
  function: { name: "f", description: "d", parameters: objectSchema, ...fields },
});
export const chatTools = (fields: Json) => ({ tools: [chatTool(fields)] });
export const withSchema = (parameters: unknown) => chatTools({ parameters });

export const call = (id: string, fields: Json = {}) => ({
  id,
  type: "function",
  function: { name: "f", arguments: "{}", ...fields },
});
export const calls = (...ids: string[]) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => call(id)),
});
export const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "ok" });

/** A turn with one call, and what follows it. */
export const callTurn = (id: string, ...after: Json[]) => ({ messages: [user, calls(id), result(id), ...after] });

export const image = (url: string) => ({
  messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }],
});

export const wire = (model = "m") => ({ path: chatPath, base: { model, messages: [user] } });

export const text = (length: number) => ({ messages: [{ role: "user", content: "x".repeat(length) }] });

export const picture = image(`data:image/png;base64,${png()}`);

export const answer = (content: unknown) => ({ messages: [user, { role: "assistant", content }, user] });

export const overflow = (says: string, fields: Partial<RuleCase> = {}): RuleCase => ({
  rule: "overflow",
  settings: { contextWindow: 100 },
  taken: text(380),
  refused: text(410),
  says,
  ...fields,
});
