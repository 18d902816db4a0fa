// What is judged before it leaves an agent: a call, and the run that it belongs to. And how people are asked about it, which
// is for those who know the way to them.
import type { ApprovalStep } from "../../crds/approval.ts";
import type { CalledTool } from "../../lib/approvals/called-tool.ts";
import type { GivenAnswer } from "../../lib/approvals/decided.ts";
import type { ToolAnnotations } from "../../lib/mcp/table.ts";
import type { Asking } from "../../lib/mcp/asking.ts";
import type { Subject } from "../../lib/policy/decide.ts";
import type { Call, Decision } from "../../lib/policy/policy.ts";
import type { Action } from "../../lib/policy/rules.ts";

/** One step of who called whom, the first caller first. */
export interface ChainLink {
  readonly agent?: string;
  readonly caller?: string;
  readonly step?: string;
}

/** Who made a run's calls, as far as that is proven. */
export interface RunCaller {
  /** `anonymous` where nobody has proven who it is. */
  readonly caller: string;
  /** `none` where no gateway vouches for one. */
  readonly role: string;
  readonly chain: readonly ChainLink[];
}

/** Of whom nothing is known. */
export const anonymous: RunCaller = { caller: "anonymous", role: "none", chain: [] };

export interface JudgedCall {
  /** As configured; of a sub-agent its agent name. */
  readonly server: string;
  /** The server's own name of the tool; `send_message` of a sub-agent, `resources/read` for what is read of a server. */
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly definition: CalledTool;
  /** What the server says of the tool now; undefined where it has none of the name. Absent: it is not known. */
  readonly current?: () => Promise<CalledTool | undefined>;
  /** Why nobody knows which tool of the server it is: then no policy can allow it. */
  readonly unnamed?: string;
  /** The step of the run, as progress shows it. */
  readonly step?: string;
  /** What the run called before. */
  readonly steps?: readonly ApprovalStep[];
}

/** What people are asked about: an approval's name and when it is given up. Without a name the caller alone is asked. */
export interface Waiting {
  readonly name?: string;
  /** RFC 3339. */
  readonly expiresAt?: string;
}

export interface JudgedRun extends RunCaller {
  /** SHA-256 of the conversation's key, in hexadecimal. */
  readonly sessionHash: string;
  readonly signal: AbortSignal;
  /** The way to ask the caller, where it can be asked. */
  readonly asking?: Asking;
  /** Hears that somebody is asked, and with undefined that it is over. */
  onWaiting(waiting: Waiting | undefined): void;
}

/** What becomes of a call. */
export type Verdict =
  /** It is made, with these arguments. */
  | { readonly go: true; readonly args: Record<string, unknown> }
  /** It is not made; somebody answered in its place, with this successful result. */
  | { readonly go: false; readonly answer: GivenAnswer }
  /** It is not made. `text` is a sentence for who wanted it; with `abort` the whole run ends. */
  | { readonly go: false; readonly denied: Decision; readonly abort: boolean; readonly text: string };

/** A call that was judged, as it is kept for the trial of other rules. */
export interface RecordedCall {
  /** RFC 3339. */
  readonly at: string;
  /** With the real arguments. */
  readonly call: Call;
  /** What the rules said, limits left out. */
  readonly before: Action;
}

/** Whether every call of a tool by a caller, without one by anybody, is denied, whatever its arguments. */
export type Hider = (subject: Omit<Subject, "hints"> & { annotations?: ToolAnnotations | undefined }) => boolean;
