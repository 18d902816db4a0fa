// A person's own conversations with an agent, newest first, as the agent keeps them.
import * as z from "zod";
import { jsonResource } from "../connect/resources.ts";

export const conversationSchema = z.looseObject({
  /** Null where there is one history for all. */
  session_id: z.string().nullable(),
  title: z.string().default(""),
  begun_at: z.string().optional(),
  last_at: z.string(),
  turns: z.number().optional(),
  answering: z.boolean().default(false),
  shared: z.boolean().optional(),
});
export type ShownConversation = z.output<typeof conversationSchema>;

export const conversationsUri = (agent: string): string =>
  `resource://agents/${encodeURIComponent(agent)}/conversations`;
export const conversationsResource = jsonResource(
  z.looseObject({
    agent_id: z.string(),
    scope: z.enum(["shared", "connection", "request"]).optional(),
    conversations: z.array(conversationSchema),
    message: z.string().optional(),
  }),
);
