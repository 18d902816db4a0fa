// What a call of MCP brings to its judgement, and how its caller hears that somebody is asked: by progress, so that no client takes the wait
// for silence.
import type { CallContext } from "../../lib/mcp/table.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Waiting } from "../approvals/approvals.ts";
import type { CallToJudge } from "./judged-call.ts";

/** Progress only ever grows, and that of the call itself begins after the wait, with 1 mostly. */
const smallStep = 1e-6;

export function askedIn({
  sessionId,
  signal,
  sendProgress,
  asking,
}: Pick<CallContext, "sessionId" | "signal" | "sendProgress" | "asking">): Pick<
  CallToJudge,
  "sessionId" | "signal" | "asking" | "onWaiting"
> {
  let progress = 0;
  const tell =
    sendProgress &&
    (({ name, expiresAt }: Waiting) => {
      progress += smallStep;
      void sendProgress({ progress, message: `waits for approval ${name} until ${expiresAt}` });
    });
  return { signal, ...defined({ sessionId, asking, onWaiting: tell }) };
}
