// A call of a tool through the gateway as it comes to be judged, and what becomes of it. Pure.
import { createHash } from "node:crypto";
import { readHints } from "../../lib/approvals/called-tool.ts";
import type { QuestionBy } from "../../lib/approvals/question.ts";
import type { Identity } from "../../lib/auth/roles.ts";
import type { ToolDescription } from "../../lib/mcp/connect.ts";
import type { Asking } from "../../lib/mcp/asking.ts";
import type { ToolResult } from "../../lib/mcp/table.ts";
import type { Call } from "../../lib/policy/policy.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Waiting } from "../approvals/approvals.ts";

export interface CallToJudge {
  /** A server's name; of a message to an agent the agent's. */
  readonly server: string;
  /** The tool as its server lists it. */
  readonly definition: ToolDescription;
  readonly args: Record<string, unknown>;
  readonly identity: Identity;
  /** Of the 2025 era. */
  readonly sessionId?: string | undefined;
  readonly signal: AbortSignal;
  /** Hears that somebody is asked, at once and every 10 s. */
  readonly onWaiting?: ((waiting: Waiting) => void) | undefined;
  /** The way to ask the caller itself, where it can be asked. */
  readonly asking?: Asking | undefined;
  /**
   * How long it waits for an answer; then the call is denied, and the approval goes on waiting for the same call. Undefined: until
   * the approval expires.
   */
  readonly waitMs?: number | undefined;
  /** The tool as it is listed now: what is approved is the one that was shown. */
  readonly current?: (() => ToolDescription | undefined) | undefined;
}

declare const judged: unique symbol;

/** That a call may be made: whatever calls a tool of a server asks for one, and only `GatewayPolicy.judge` makes them. */
export interface Permit {
  readonly [judged]: true;
  readonly server: string;
  readonly tool: string;
  /** With which the call is made; others than those that were judged, where somebody edited them. */
  readonly args: Record<string, unknown>;
}

/** `answer`: the call is not made, somebody answered in its place. */
export type Judged = { readonly permit: Permit; readonly answer?: undefined } | { readonly answer: ToolResult };

/** Who calls, as rules see it (an agent has no role), and in whose run: "" for a person's call through the gateway itself. */
export const readCaller = (identity: Identity): Pick<Call, "caller" | "role" | "agent"> =>
  identity.kind === "agent"
    ? { caller: identity.name, role: "none", agent: identity.agent }
    : { caller: identity.name, role: identity.role ?? "none", agent: "" };

export const renderCall = ({ server, definition, args, identity }: CallToJudge): Call => ({
  server,
  tool: definition.name,
  ...readCaller(identity),
  arguments: args,
  hints: readHints(definition),
});

/** Who makes it, as an approval says. */
export function renderBy(call: CallToJudge): QuestionBy {
  const { identity } = call;
  const person = identity.kind === "person" ? identity : undefined;
  return {
    sessionHash: hashSession(call),
    caller: identity.name,
    ...defined({ role: person?.role }),
    chain: [identity.kind === "agent" ? { agent: identity.agent } : { caller: identity.name }],
  };
}

/** In the 2026 era, and over REST, a session is all that a caller asks. */
const hashSession = ({ identity, sessionId }: Pick<CallToJudge, "identity" | "sessionId">): string =>
  createHash("sha256")
    .update(JSON.stringify([identity.kind, identity.subject, sessionId ?? null]))
    .digest("hex");
