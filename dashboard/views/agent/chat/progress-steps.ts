// The calls of one answer, from its lines of progress: `server/tool: started`, `completed` or `failed`, what a call waits for, and
// `agent step N (llm)` or `(tool)`. Lines name no call and no caller: calls run side by side, and those of sub-agents come in between. So a line
// ends the oldest open call of its name, and a call belongs to the agent that last said it turns to its tools. Pure.

export type StepOutcome = "running" | "waits" | "done" | "failed";

export interface Step {
  readonly id: number;
  /** Of a call: server or agent, as the agent's model names it. */
  readonly server: string;
  readonly tool: string;
  readonly outcome: StepOutcome;
  /** By the page's own clock, in milliseconds. */
  readonly startedAtMs: number;
  readonly endedAtMs: number | undefined;
  /** The agent's call that this one is made in; undefined: the agent's that is talked to. */
  readonly inside: number | undefined;
  /** 0: made by the agent that is talked to. */
  readonly depth: number;
  /** While it waits for people: by which name. */
  readonly approval: string | undefined;
  /** What the tool itself said last. */
  readonly note: string | undefined;
  /** Of an agent's call: the number of the step it is at. */
  readonly turn: number;
  /** Of an agent's call: when it turned to its tools, in the order of all that did; 0 while its model works. */
  readonly turnedAt: number;
}

export interface Steps {
  /** In the order of a tree: each agent's call before those it makes. At most `maxSteps`; the oldest that are over give way. */
  readonly list: readonly Step[];
  /** How many gave way. */
  readonly leftOut: number;
  /** Of the agent's own loop: the number of the step it is at. */
  readonly turn: number;
  /** Of how many steps in which its tools were called. */
  readonly toolTurns: number;
  /** How often agents below turned to their tools. */
  readonly turned: number;
  readonly nextId: number;
}

export const maxSteps = 2_000;
export const maxDepth = 8;
const maxNoteChars = 200;
export const noSteps: Steps = { list: [], leftOut: 0, turn: 0, toolTurns: 0, turned: 0, nextId: 1 };

interface Label {
  readonly server: string;
  readonly tool: string;
}

export type ProgressLine =
  | (Label & { readonly kind: "call"; readonly event: "started" | "completed" | "failed" })
  | (Label & { readonly kind: "waits"; readonly approval: string | undefined })
  | (Label & { readonly kind: "note"; readonly text: string })
  | { readonly kind: "step"; readonly agent: string; readonly turn: number; readonly phase: "llm" | "tool" };

const callLine = /^([^/\s]{1,200})\/(\S{1,400}): (.*)$/s;
const stepLine = /^(\S{1,200}) step (\d{1,9}) \((llm|tool)\)$/;
const waitsText = /^waits for (?:an answer|approval (\S{1,300})(?: until \S{1,64})?)$/;

/** Undefined for a message of another form. */
export function parseLine(message: string): ProgressLine | undefined {
  const [, server, tool, text] = callLine.exec(message) ?? [];
  if (server !== undefined && tool !== undefined && text !== undefined) {
    if (text === "started" || text === "completed" || text === "failed") {
      return { kind: "call", server, tool, event: text };
    }
    const waits = waitsText.exec(text);
    if (waits !== null) return { kind: "waits", server, tool, approval: waits[1] };
    return { kind: "note", server, tool, text: text.slice(0, maxNoteChars) };
  }
  const [, agent, turn, phase] = stepLine.exec(message) ?? [];
  if (agent === undefined || turn === undefined) return undefined;
  return { kind: "step", agent, turn: Number(turn), phase: phase === "tool" ? "tool" : "llm" };
}

/** A sub-agent's tool is the agent itself. */
export const isAgentStep = ({ server, tool }: Label): boolean => tool === `${server}__${server}`;

export const isOpen = ({ outcome }: Step): boolean => outcome === "running" || outcome === "waits";

/** @param agent the model-facing name of the agent that is talked to */
export function addLine(steps: Steps, line: ProgressLine, agent: string, nowMs: number): Steps {
  switch (line.kind) {
    case "step":
      return addTurn(steps, line, agent);
    case "call":
      return line.event === "started" ? start(steps, line, nowMs) : end(steps, line, nowMs);
    case "waits":
      return waitFor(steps, line, nowMs);
    case "note":
      return change(steps, findOpen(steps, line), { note: line.text });
  }
}

/** The line is repeated as a sign of life, which says nothing of who calls now. */
function addTurn(steps: Steps, line: ProgressLine & { kind: "step" }, agent: string): Steps {
  const isTool = line.phase === "tool";
  // One agent may be asked by another of the same name only through others: the innermost open call of the name is meant.
  const index = steps.list.findLastIndex((step) => isOpen(step) && isAgentStep(step) && step.server === line.agent);
  const step = steps.list[index];
  if (step !== undefined) {
    if (line.turn <= step.turn) return steps;
    const turned = steps.turned + 1;
    return { ...change(steps, index, { turn: line.turn, turnedAt: isTool ? turned : 0 }), turned };
  }
  if (line.agent !== agent || line.turn <= steps.turn) return steps;
  return { ...steps, turn: line.turn, toolTurns: steps.toolTurns + (isTool ? 1 : 0) };
}

const findOpen = ({ list }: Steps, { server, tool }: Label): number =>
  list.findIndex((step) => isOpen(step) && step.server === server && step.tool === tool);

function start(steps: Steps, label: Label, nowMs: number): Steps {
  // A call that was approved begins at last.
  const waiting = steps.list.findIndex(
    ({ outcome, server, tool }) => outcome === "waits" && server === label.server && tool === label.tool,
  );
  if (waiting >= 0) return change(steps, waiting, { outcome: "running" });
  return insert(steps, label, { outcome: "running", approval: undefined }, nowMs);
}

function waitFor(steps: Steps, line: ProgressLine & { kind: "waits" }, nowMs: number): Steps {
  const { approval } = line;
  const known = steps.list.findIndex(
    (step) => isOpen(step) && step.server === line.server && step.tool === line.tool && step.approval === approval,
  );
  // Told again as a sign of life.
  if (known >= 0 && approval !== undefined) return change(steps, known, { outcome: "waits" });
  const open = findOpen(steps, line);
  const isOwn = steps.list[open]?.approval === undefined;
  if (open >= 0 && isOwn) return change(steps, open, { outcome: "waits", approval });
  return insert(steps, line, { outcome: "waits", approval }, nowMs);
}

function insert(
  steps: Steps,
  { server, tool }: Label,
  { outcome, approval }: Pick<Step, "outcome" | "approval">,
  nowMs: number,
): Steps {
  const parent = findCaller(steps.list);
  const step: Step = {
    ...{ id: steps.nextId, server, tool, outcome, approval, startedAtMs: nowMs, endedAtMs: undefined },
    ...{ inside: parent?.id, depth: parent === undefined ? 0 : Math.min(maxDepth, parent.depth + 1) },
    ...{ note: undefined, turn: 0, turnedAt: 0 },
  };
  const at = parent === undefined ? steps.list.length : endOfTree(steps.list, parent);
  return limit({ ...steps, list: steps.list.toSpliced(at, 0, step), nextId: steps.nextId + 1 });
}

/** Of the agents below that are at their tools, the one that turned to them last; undefined: the agent that is talked to. */
function findCaller(list: readonly Step[]): Step | undefined {
  const callers = list.filter((step) => isOpen(step) && step.turnedAt > 0);
  return callers.toSorted((a, b) => b.turnedAt - a.turnedAt)[0];
}

/** Behind the last of what was called in it. */
function endOfTree(list: readonly Step[], parent: Step): number {
  const inTree = new Set([parent.id]);
  let at = list.indexOf(parent) + 1;
  for (let next = list[at]; next?.inside !== undefined && inTree.has(next.inside); next = list[at]) {
    inTree.add(next.id);
    at += 1;
  }
  return at;
}

function end(steps: Steps, { server, tool, event }: ProgressLine & { kind: "call" }, nowMs: number): Steps {
  const index = findOpen(steps, { server, tool });
  return change(steps, index, { outcome: event === "completed" ? "done" : "failed", endedAtMs: nowMs });
}

function change(steps: Steps, index: number, values: Partial<Step>): Steps {
  const step = steps.list[index];
  return step === undefined ? steps : { ...steps, list: steps.list.with(index, { ...step, ...values }) };
}

function limit(steps: Steps): Steps {
  if (steps.list.length <= maxSteps) return steps;
  const over = steps.list.findIndex((step) => !isOpen(step));
  return { ...steps, list: steps.list.toSpliced(Math.max(0, over), 1), leftOut: steps.leftOut + 1 };
}

/** What was still running when the answer ended is over; whether it was made, nobody said. */
export const endSteps = (steps: Steps, nowMs: number): Steps => ({
  ...steps,
  list: steps.list.map((step) => (isOpen(step) ? { ...step, outcome: "failed", endedAtMs: nowMs } : step)),
});

/** For a short look, in their order: all that are open, and of those that are over the latest, until there are so many. */
export function latestOf(list: readonly Step[], count: number): readonly Step[] {
  const open = list.filter(isOpen);
  const over = list.filter((step) => !isOpen(step)).toSorted((a, b) => (b.endedAtMs ?? 0) - (a.endedAtMs ?? 0));
  const chosen = new Set([...open, ...over.slice(0, Math.max(0, count - open.length))]);
  return list.filter((step) => chosen.has(step));
}
