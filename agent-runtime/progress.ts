// Progress notifications of one call (PRG-1…5): the lines, their rising numbers, the heartbeat, and the promise that a slow or
// broken receiver never disturbs the run. Lines of the loop are never dropped; a tool's own ones give way when there are too many.
import { waitsMetaKey } from "../crds/names.ts";
import { textDeltaMetaKey } from "../crds/text-delta.ts";
import type { Progress } from "../lib/mcp/table.ts";
import { settledWithin, type Clock, type Timer } from "../lib/process/clock.ts";
import { defined } from "../lib/process/defined.ts";
import type { RunEvents, ToolLabel } from "./loop/run-context.ts";
import { createCallSteps } from "./call-steps.ts";
import { createTextDeltas, type TextDeltas } from "./text-deltas.ts";

/** Clients commonly give up after 60 s of silence. */
const heartbeatMs = 15_000;
const waiting = { [waitsMetaKey]: true };
/** While people are asked, who may take far longer. */
const waitingHeartbeatMs = 10_000;
/** A tool's own progress may come in a burst of this many lines, and then at this rate. */
const passedOnBurst = 50;
const passedOnPerSecond = 10;
/** With this many lines waiting for a slow receiver, a tool's newer line takes the place of its older one. */
const maxWaitingLines = 64;
/** With this many lines waiting, those of agents below are left out; more than any sound call below can make. */
const maxRelayedLines = 2_000;
/** How long the result waits for lines that are still being sent. */
const flushMs = 1_000;

interface Line {
  message?: string;
  meta?: Record<string, unknown>;
  /** Called when it has been sent, or could not be. */
  onSent?: () => void;
  /** `total` equals `progress`: this sub-task is done (PRG-3). */
  final: boolean;
  /** Set on a tool's own progress, which a later line of the same tool may replace. */
  source?: ToolLabel;
}

export interface ProgressOptions {
  /** The agent's name in its MCP spelling. */
  agent: string;
  /** False leaves out the step lines. */
  emitLoopProgress: boolean;
  /** Absent when the caller sent no progress token (PRG-1). */
  send?: ((progress: Progress) => Promise<void>) | undefined;
  /** Whether the caller wants the model's text as it is written. */
  sendsText?: boolean;
  clock: Clock;
}

export interface ProgressReporter extends RunEvents {
  /** Sends what is waiting, at most for a second, and nothing after it. */
  end(): Promise<void>;
}

/** Its steps have their names all the same. */
function createSilent(agent: string, clock: Clock): ProgressReporter {
  const steps = createSteps(agent);
  const calls = createCallSteps(clock);
  return {
    step: steps.next,
    toolStarted: () => {},
    toolProgress: () => {},
    toolEnded: calls.ended,
    toolWaits: calls.waits,
    stepName: steps.name,
    steps: calls.list,
    end: async () => {},
  };
}

function createSteps(agent: string) {
  let count = 0;
  let name = `${agent} step 1 (llm)`;
  return {
    next(phase: "llm" | "tool") {
      count += 1;
      name = `${agent} step ${count} (${phase})`;
    },
    count: () => count,
    name: () => name,
  };
}

/** Starts reporting for one call; the heartbeat runs from here on. */
export function createProgress(options: ProgressOptions): ProgressReporter {
  const { agent, clock } = options;
  if (options.send === undefined) return createSilent(agent, clock);
  const outbox = createOutbox(options.send, clock);
  const allowance = createAllowance(clock);
  const held = new Map<ToolLabel, Line>();
  const deltas = options.sendsText === true ? createDeltas(outbox, clock) : undefined;
  const steps = createSteps(agent);
  const calls = createCallSteps(clock);
  let lastStepLine = steps.name();
  /** What calls wait for, the oldest first. */
  const waits = new Map<symbol, Line>();

  // Whoever called reads of each line whether its own time may stand still.
  const add = (line: Line) => outbox.add(waits.size === 0 ? line : { ...line, meta: waiting });
  const flushHeld = (label: ToolLabel) => {
    const line = held.get(label);
    held.delete(label);
    if (line !== undefined) add(line);
  };
  const addToolLine = (label: ToolLabel, state: "started" | "completed" | "failed") =>
    add({ message: `${label.server}/${label.tool}: ${state}`, final: state !== "started" });

  outbox.startHeartbeat({
    everyMs: () => (waits.size > 0 ? waitingHeartbeatMs : heartbeatMs),
    render: () => waits.values().next().value ?? { message: lastStepLine, final: false },
  });
  return {
    step(phase) {
      steps.next(phase);
      if (!options.emitLoopProgress) return;
      lastStepLine = steps.name();
      add({ message: lastStepLine, final: false });
    },
    toolStarted: (label) => addToolLine(label, "started"),
    toolProgress(label, { message, done, fromAgent, waits: agentWaits = false }) {
      const meta = agentWaits || waits.size > 0 ? { meta: waiting } : {};
      if (fromAgent) return outbox.relay({ message, final: done, ...meta });
      const line = { message, final: false, source: label };
      held.delete(label);
      if (allowance.take()) add(line);
      else held.set(label, line);
    },
    toolEnded(label, outcome) {
      calls.ended(label, outcome);
      flushHeld(label);
      addToolLine(label, outcome);
    },
    toolWaits(label, what) {
      const { server, tool } = label;
      const stopWaiting = calls.waits(label);
      const wait = Symbol(tool);
      const line = { message: `${server}/${tool}: ${what}`, meta: waiting, final: false };
      waits.set(wait, line);
      outbox.add(line);
      return () => {
        stopWaiting();
        waits.delete(wait);
      };
    },
    stepName: steps.name,
    steps: calls.list,
    text: deltas && ((piece, offset) => deltas.add(steps.count(), piece, offset)),
    end() {
      deltas?.flush();
      deltas?.close();
      return outbox.close();
    },
  };
}

/** One delta is in the outbox at a time: the others wait where they can be joined. */
const createDeltas = (outbox: Outbox, clock: Clock): TextDeltas =>
  createTextDeltas({
    send: (delta) => new Promise((onSent) => outbox.add({ meta: { [textDeltaMetaKey]: delta }, final: false, onSent })),
    clock,
  });

/** What is said when nothing else is. */
interface Heart {
  everyMs: () => number;
  render: () => Line;
}

interface Outbox {
  add(line: Line): void;
  /** Adds the line of an agent below, unless very many wait already. */
  relay(line: Line): void;
  startHeartbeat(heart: Heart): void;
  close(): Promise<void>;
}

/** Sends lines one after the other and numbers them as they leave, so that the numbers rise on the wire. */
function createOutbox(send: (progress: Progress) => Promise<void>, clock: Clock): Outbox {
  const waiting: Line[] = [];
  let progress = 0;
  let closed = false;
  let sending: Promise<void> | undefined;
  let heart: Heart | undefined;
  let heartbeat: Timer | undefined;

  const armHeartbeat = () => {
    heartbeat?.cancel();
    if (heart === undefined || closed) return;
    const { everyMs, render } = heart;
    // While lines wait for a slow receiver another one would only make it later.
    heartbeat = clock.schedule(everyMs(), () => (waiting.length === 0 ? add(render()) : armHeartbeat()));
  };
  const sendWaiting = async () => {
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
      if (closed) break;
      progress += 1;
      const { message, meta, final } = line;
      try {
        await send({
          progress,
          ...(final && { total: progress }),
          ...defined({ message, meta }),
        });
      } catch {
        // PRG-1: best effort; a receiver that is gone shows as cancellation, not here.
      }
      line.onSent?.();
    }
    sending = undefined;
  };
  const add = (line: Line) => {
    if (closed) return;
    armHeartbeat();
    const mayReplace = line.source !== undefined && waiting.length >= maxWaitingLines;
    const replaced = mayReplace ? waiting.findIndex((other) => other.source === line.source) : -1;
    if (replaced === -1) waiting.push(line);
    else waiting[replaced] = line;
    sending ??= sendWaiting();
  };
  return {
    add,
    relay(line) {
      if (waiting.length < maxRelayedLines) add(line);
    },
    startHeartbeat(its) {
      heart = its;
      armHeartbeat();
    },
    async close() {
      heartbeat?.cancel();
      if (sending !== undefined) await settledWithin(sending, flushMs, clock);
      closed = true;
      heartbeat?.cancel();
    },
  };
}

/** A token bucket for lines that tools write themselves. */
function createAllowance(clock: Clock): { take(): boolean } {
  let tokens = passedOnBurst;
  let filledAt = clock.now();
  return {
    take() {
      const now = clock.now();
      tokens = Math.min(passedOnBurst, tokens + ((now - filledAt) / 1_000) * passedOnPerSecond);
      filledAt = now;
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}
