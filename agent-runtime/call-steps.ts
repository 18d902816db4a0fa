// What one call of an agent called before, for people who are asked about what it wants to call next: names and how each ended, never
// what was sent or answered. The latest are kept.
import { maxStepChars, maxSteps, type ApprovalStep } from "../crds/approval.ts";
import { cutText } from "../lib/approvals/question.ts";
import { renderTime, type Clock } from "../lib/process/clock.ts";
import type { ToolLabel } from "./loop/run-context.ts";

export interface CallSteps {
  ended(label: ToolLabel, outcome: "completed" | "failed"): void;
  /** Until what it returns is called. */
  waits(label: ToolLabel): () => void;
  /** In the order in which they ended, and then those that wait. */
  list(): readonly ApprovalStep[];
}

export function createCallSteps(clock: Clock): CallSteps {
  const ended: ApprovalStep[] = [];
  const waiting = new Set<ApprovalStep>();
  const render = ({ server, tool }: ToolLabel, outcome: ApprovalStep["outcome"]): ApprovalStep => ({
    text: cutText(`${server}/${tool}`, maxStepChars),
    outcome,
    at: renderTime(clock),
  });
  return {
    ended(label, outcome) {
      ended.push(render(label, outcome === "completed" ? "ok" : "failed"));
      if (ended.length > maxSteps) ended.shift();
    },
    waits(label) {
      const step = render(label, "waiting");
      waiting.add(step);
      return () => void waiting.delete(step);
    },
    list: () => [...ended, ...waiting].slice(-maxSteps),
  };
}
