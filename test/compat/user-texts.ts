// Reads what the user has said in a request of the chat API to a model.
import * as z from "zod";

const requestSchema = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.unknown().optional() })),
});
const partsSchema = z.array(z.object({ text: z.string() }));

export function readUserTexts(body: unknown): string[] {
  const { messages } = requestSchema.parse(body);
  return messages
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) =>
      typeof content === "string" ? content : partsSchema.parse(content).map(({ text }) => text),
    );
}
