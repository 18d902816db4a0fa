// A model that does as it is told: of the message `pay {"amount":5}` it calls the tool pay with these arguments, and then says what it was told of it.
import * as z from "zod";
import type { ServedRequest } from "../../models/journal.ts";
import type { ScriptedReply } from "../../models/script.ts";

const partSchema = z.looseObject({ text: z.string().default("") });
const messageSchema = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(partSchema)]).nullish(),
});
const bodySchema = z.looseObject({ messages: z.array(messageSchema) });

const textOf = ({ content }: z.output<typeof messageSchema>): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text }) => text).join("\n");

/** Reply to a request of OpenAI's chat API. */
export function obey({ body }: ServedRequest): ScriptedReply {
  const { messages } = bodySchema.parse(body);
  const last = messages.at(-1);
  if (last?.role === "tool") return { text: `told: ${textOf(last)}` };
  const said = messages.findLast(({ role }) => role === "user");
  const [, tool = "", args = "{}"] = /(\w+) (\{.*\})/.exec(said ? textOf(said) : "") ?? [];
  return { toolCalls: [{ name: `bank__${tool}`, arguments: JSON.parse(args) }] };
}
