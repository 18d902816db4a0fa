// What a model of the mock says and when, as data: one schema for tests and for script files. Unknown fields are refused.
import * as z from "zod";

const call = z.strictObject({
  name: z.string(),
  /** A string is sent as it is, so that broken JSON can be scripted. */
  arguments: z.unknown(),
  id: z.string().exactOptional(),
});
export type ScriptedCall = z.output<typeof call>;

const count = z.int().nonnegative();

const answer = z.strictObject({
  /** Several texts are several pieces of one text. */
  text: z.union([z.string(), z.array(z.string())]).exactOptional(),
  reasoning: z.string().exactOptional(),
  toolCalls: z.array(call).exactOptional(),
  stop: z.enum(["end", "length"]).exactOptional(),
  /** As the provider counts: input includes what was cached, except with Anthropic. */
  usage: z
    .strictObject({
      input: count.exactOptional(),
      output: count.exactOptional(),
      cacheRead: count.exactOptional(),
      cacheWrite: count.exactOptional(),
      reasoning: count.exactOptional(),
    })
    .exactOptional(),
});
export type ScriptedAnswer = z.output<typeof answer>;

/** Errors that the mock writes as the vendor of the called API does. */
export const vendorErrors = [
  "auth",
  "not_found",
  "quota",
  "rate_limit",
  "overloaded",
  "context_overflow",
  "invalid_request",
] as const;
export type VendorError = (typeof vendorErrors)[number];

const reply = answer.extend({
  /** Instead of an answer: an error of the vendor; `status` and `headers` may add to it. */
  error: z.enum(vendorErrors).exactOptional(),
  /** Instead of an answer: an HTTP status with `body` and `headers`. */
  status: z.int().min(200).max(599).exactOptional(),
  /** Objects are sent as JSON, strings as they are. Without `status`: a 200 that is no model's answer. */
  body: z.unknown().exactOptional(),
  headers: z.record(z.string(), z.string()).exactOptional(),
  /** Before anything is sent. */
  delayMs: count.exactOptional(),
  /** Between two frames. */
  frameDelayMs: count.exactOptional(),
  /** Nothing is ever sent, not even a status. */
  silent: z.boolean().exactOptional(),
  /** The connection is cut after so many frames. */
  cutAfterFrames: count.exactOptional(),
  /** The answer ends in good order after so many frames, without the protocol's own end. */
  endAfterFrames: count.exactOptional(),
  /** Nothing more is sent after so many frames, and the connection stays open. */
  stallAfterFrames: count.exactOptional(),
  /** Bytes of no protocol are sent after so many frames, and the answer ends. */
  garbageAfterFrames: count.exactOptional(),
  /** Sent after so many frames instead of the rest: an error in mid-stream, as the protocol writes it. */
  errorFrame: z
    .strictObject({ afterFrames: count, event: z.string().exactOptional(), data: z.unknown() })
    .exactOptional(),
});
export type ScriptedReply = z.output<typeof reply>;

const conversation = z.strictObject({
  /** Part of the conversation's first user message; left out = any. */
  match: z.string().exactOptional(),
  /** One per model call; each conversation goes through them by itself. */
  replies: z.array(reply).min(1),
  /** After the last reply comes the first again, instead of a refusal. */
  repeat: z.boolean().exactOptional(),
});

const scriptFile = z.strictObject({
  /** What the lists know: facts by name, such as Anthropic's `max_input_tokens`. */
  models: z.record(z.string(), z.record(z.string(), z.unknown())).exactOptional(),
  /** The first whose `match` fits answers. */
  conversations: z.array(conversation).min(1),
});
export type ScriptFile = z.output<typeof scriptFile>;
export type ScriptedConversations = Pick<ScriptFile, "conversations">;

/**
 * Reads a script file.
 * @throws Error naming each faulty field.
 */
export function parseScriptFile(text: string): ScriptFile {
  const parsed = scriptFile.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  throw new Error(`the script is not valid: ${z.prettifyError(parsed.error)}`);
}
