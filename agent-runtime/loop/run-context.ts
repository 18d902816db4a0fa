// What one call carries through the loop, the model and the tools, always as an argument and never as module state:
// a token or a signal kept elsewhere could reach the wrong call (BRR-2).
import type { ApprovalStep } from "../../crds/approval.ts";
import type { Asking } from "../../lib/mcp/asking.ts";
import type { RunCaller } from "../policy/types.ts";
import type { Budget } from "./budget.ts";
import type { RunClock } from "./run-clock.ts";
import type { RunMemory } from "./run-memory.ts";

/** How a downstream tool is called in progress messages: `{server}/{tool}`. */
export interface ToolLabel {
  server: string;
  tool: string;
}

/** A progress message of a tool itself, ready to be shown. */
export interface ToolLine {
  message: string;
  /** A sub-task below is done: `total` then equals `progress` (PRG-3). */
  done: boolean;
  /** Comes from an agent, which limits its own lines; those of other tools give way when there are too many. */
  fromAgent: boolean;
  /** That agent waits for people. */
  waits?: boolean;
}

/** What happens during a call, told to whoever watches. Listeners never fail and never delay the call. */
export interface RunEvents {
  step(phase: "llm" | "tool"): void;
  toolStarted(label: ToolLabel): void;
  toolProgress(label: ToolLabel, line: ToolLine): void;
  toolEnded(label: ToolLabel, outcome: "completed" | "failed"): void;
  /** Says what a call waits for, now and every 10 s, until what it returns is called. */
  toolWaits(label: ToolLabel, what: string): () => void;
  /** The step that the call is at, as its progress says. */
  stepName(): string;
  /** What the call called before, the latest last: names alone. */
  steps(): readonly ApprovalStep[];
  /** A piece of the running turn's text, after `offset` characters of it. Absent: nobody wants them. */
  text?: ((piece: string, offset: number) => void) | undefined;
}

export interface RunContext {
  /** The agent's name in its MCP spelling. */
  readonly agent: string;
  /** The history this call works on. */
  readonly sessionKey: string;
  /** The caller's JSON-RPC request id, for logs. */
  readonly requestId: string;
  /** The token of the very request this call came with. */
  readonly bearer?: string;
  /** Aborts when the caller cancels, at the deadline, and when draining is over. */
  readonly signal: AbortSignal;
  /** Aborts the whole run, which then fails for this reason. */
  end(reason: Error): void;
  /** For whom it works, as policies and approvals have it. */
  readonly calledBy: RunCaller;
  /** When the call is given up (limits.wallClock), by the clock's `now`: later by all the time that people are asked. */
  readonly deadlineMs: number;
  /** The same time, for who has it stand still. */
  readonly time: Pick<RunClock, "pause" | "rests">;
  readonly budget: Budget;
  readonly memory: RunMemory;
  /** The way to ask the caller, where it can be asked. */
  readonly asking?: Asking;
  readonly events: RunEvents;
}
