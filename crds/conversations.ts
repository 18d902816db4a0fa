// What an agent's admin port says of the conversations that one caller has with it, and what the gateway reads of it: enough
// for a list, and nothing of what was said but the first words. Whoever asks says for whom; the gateway alone may.
import * as z from "zod";
import { scopes } from "./agent-settings.ts";

/** On the admin port of an agent, for its gateway: `POST` with a ConversationsRequest, answered with a ConversationReport. */
export const conversationsPath = "/conversations";

/** Of one caller; older ones are not listed. */
export const maxConversations = 200;
export const maxTitleChars = 80;

/** Far above the subject of any caller; it must be read before it is judged. */
export const maxConversationsRequestBytes = 64 * 1024;

/** For whom: the subject that the gateway knows them by. */
export const conversationsRequest = z.strictObject({ subject: z.string().min(1) });
export type ConversationsRequest = z.output<typeof conversationsRequest>;

const time = z.string().max(64);

const conversation = z.object({
  /** By which its owner goes on with it; absent: it has no name, since there is one for all. */
  sessionId: z.string().min(1).max(256).exactOptional(),
  /** The first words of its first message; "" where that has no text. */
  title: z.string().max(maxTitleChars),
  /** RFC 3339, UTC. */
  begunAt: time,
  lastAt: time,
  /** Messages of callers; absent: they are not counted yet. */
  turns: z.int().min(0).exactOptional(),
  /** Whether a call works on it now. */
  answering: z.boolean(),
});
export type Conversation = z.output<typeof conversation>;

const report = z.object({
  agent: z.string(),
  scope: z.enum(scopes),
  conversations: z.array(conversation).max(maxConversations),
});
/** What `POST /conversations` answers, the newest first. */
export type ConversationReport = z.output<typeof report>;

/** Of a report with the longest ids and titles there are. */
export const maxConversationReportBytes = 512 * 1024;

/** What `agent` answered. Throws on anything that is no report of its own. */
export function parseConversationReport(text: string, agent: string): ConversationReport {
  const expected = `expected the conversations of agent "${agent}"`;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${expected}, found no JSON`, { cause });
  }
  const { success, data } = report.safeParse(json);
  if (!success) throw new Error(`${expected}, found another shape`);
  // An address that was an agent's can be another's before a cache knows.
  if (data.agent !== agent) throw new Error(`${expected}, found those of "${data.agent.slice(0, 100)}"`);
  return data;
}
