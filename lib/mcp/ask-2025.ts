// Questions to a client of the 2025 era, by the first SDK: requests on the stream of the call that they are about.
import {
  CreateMessageRequestParamsSchema,
  CreateMessageResultSchema,
  ElicitRequestParamsSchema,
  ElicitResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { readAskable, type Asking, type Question } from "./asking.ts";
import type { Extra2025 } from "./extension.ts";

/** Whoever asks has a deadline. */
const sdkNeverMs = 2 ** 31 - 1;

/** Without a session there is none: an answer would come to another server than the one that waits for it. */
export function renderAsking(
  capabilities: unknown,
  extra: Extra2025,
  sessionId: string | undefined,
): Asking | undefined {
  const can = readAskable(capabilities);
  if (sessionId === undefined || (!can.form && !can.url && !can.sampling)) return undefined;
  return {
    can,
    ask(question, signal) {
      const options = { signal, timeout: sdkNeverMs };
      return question.method === "elicitation/create"
        ? extra.sendRequest(parseElicit(question.params), ElicitResultSchema, options)
        : extra.sendRequest(parseSampling(question.params), CreateMessageResultSchema, options);
    },
    ...(can.url && {
      tellCompleted: (elicitationId: string) =>
        extra.sendNotification({ method: "notifications/elicitation/complete", params: { elicitationId } }),
    }),
  };
}

const parseElicit = (params: Question["params"]) =>
  ({ method: "elicitation/create", params: ElicitRequestParamsSchema.parse(params) }) as const;
const parseSampling = (params: Question["params"]) =>
  ({ method: "sampling/createMessage", params: CreateMessageRequestParamsSchema.parse(params) }) as const;
