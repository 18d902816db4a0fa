// Steps of an answer as its lines of progress tell them (PRG-2): `server/tool: started`, `… completed`, `… failed`, `agent step N (llm)`. Pure.
// Calls run side by side, and those of sub-agents come in between: a line ends the oldest open step of its name.

export interface Step {
  readonly id: number;
  /** Of a call: server or agent; of a model's step the agent. */
  readonly server: string;
  readonly tool: string;
  readonly outcome: "running" | "done" | "failed";
  /** By the page's own clock, in milliseconds. */
  readonly startedAtMs: number;
  readonly endedAtMs: number | undefined;
}

export interface Steps {
  /** The oldest first; at most `maxSteps`, the oldest that are over give way. */
  readonly list: readonly Step[];
  /** How many gave way. */
  readonly leftOut: number;
  /** Of the agent's own loop: the number of the step it is at. */
  readonly turn: number;
  readonly nextId: number;
}

export const maxSteps = 2_000;
export const noSteps: Steps = { list: [], leftOut: 0, turn: 0, nextId: 1 };

export type ProgressLine =
  | {
      readonly kind: "call";
      readonly server: string;
      readonly tool: string;
      readonly event: "started" | "completed" | "failed";
    }
  | { readonly kind: "step"; readonly agent: string; readonly turn: number };

const callLine = /^([^/\s]{1,200})\/([^\s]{1,400}): (started|completed|failed)$/;
const stepLine = /^([^\s]{1,200}) step (\d{1,9}) \((?:llm|tool)\)$/;

/** Undefined for any other message, such as a server's own. */
export function parseLine(message: string): ProgressLine | undefined {
  const [, server, tool, event] = callLine.exec(message) ?? [];
  if (
    server !== undefined &&
    tool !== undefined &&
    (event === "started" || event === "completed" || event === "failed")
  ) {
    return { kind: "call", server, tool, event };
  }
  const [, agent, turn] = stepLine.exec(message) ?? [];
  return agent === undefined || turn === undefined ? undefined : { kind: "step", agent, turn: Number(turn) };
}

/** @param agent the model-facing name of the agent that is talked to: steps of others are their own loops' */
export function addLine(steps: Steps, line: ProgressLine, agent: string, nowMs: number): Steps {
  if (line.kind === "step") {
    return line.agent === agent && line.turn !== steps.turn ? { ...steps, turn: line.turn } : steps;
  }
  const { server, tool, event } = line;
  if (event === "started") {
    const step: Step = { id: steps.nextId, server, tool, outcome: "running", startedAtMs: nowMs, endedAtMs: undefined };
    return limit({ ...steps, list: [...steps.list, step], nextId: steps.nextId + 1 });
  }
  const index = steps.list.findIndex(
    (each) => each.outcome === "running" && each.server === server && each.tool === tool,
  );
  const found = steps.list[index];
  if (found === undefined) return steps;
  const ended: Step = { ...found, outcome: event === "completed" ? "done" : "failed", endedAtMs: nowMs };
  return { ...steps, list: steps.list.with(index, ended) };
}

function limit(steps: Steps): Steps {
  if (steps.list.length <= maxSteps) return steps;
  const oldest = steps.list.findIndex(({ outcome }) => outcome !== "running");
  if (oldest < 0) return { ...steps, list: steps.list.slice(1), leftOut: steps.leftOut + 1 };
  return { ...steps, list: steps.list.toSpliced(oldest, 1), leftOut: steps.leftOut + 1 };
}

/** What was still running when the answer ended is over; whether it was made, nobody said. */
export const endSteps = (steps: Steps, nowMs: number): Steps => ({
  ...steps,
  list: steps.list.map((step) =>
    step.outcome === "running" ? { ...step, outcome: "failed", endedAtMs: nowMs } : step,
  ),
});
