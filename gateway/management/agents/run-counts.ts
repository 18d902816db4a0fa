// How many calls each agent works on, for lists: asked of agents only while somebody follows, of few at once and each now and then, and
// told when a number is another. What an agent does not answer is not known.
import type { Clock } from "../../../lib/process/clock.ts";
import type { GatewayState } from "../../state/state.ts";
import { createSettled } from "../../discovery/settled.ts";
import type { AdminClient } from "./admin-client.ts";
import { createAsked } from "./asked.ts";

/** That are asked; of further ones nothing is known. */
export const maxCountedAgents = 1_024;
const times = { keptMs: 0, everyMs: 10_000, timeoutMs: 3_000, maxAtOnce: 16 };
/** Answers of so long are told together. */
const settleMs = 1_000;

export interface RunCounts {
  /** Undefined where it is not known, as while nobody follows. */
  get(agent: string): number | undefined;
  /** Asks until what it returns is called. */
  follow(onChange: () => void): () => void;
  close(): void;
}

export interface RunCountsParts {
  admin: Pick<AdminClient, "countRuns">;
  state: Pick<GatewayState, "listAgents" | "onChange">;
  clock: Clock;
}

export function createRunCounts({ admin, state, clock }: RunCountsParts): RunCounts {
  const listeners = new Set<() => void>();
  const look = () => listeners.forEach((listener) => listener());
  const settled = createSettled({ clock, settleMs, look });
  const counted = createCounted(admin, clock, () => settled.note(""));
  let stopState: (() => void) | undefined;
  const followAll = () => {
    const names = state.listAgents().map(({ metadata }) => metadata.name);
    counted.follow(new Set(names.slice(0, maxCountedAgents)));
  };
  const end = () => {
    stopState?.();
    stopState = undefined;
    counted.follow(new Set());
  };
  return {
    get: counted.get,
    follow(onChange) {
      const own = () => onChange();
      listeners.add(own);
      stopState ??= state.onChange(({ agents }) => {
        if (agents.length > 0) followAll();
      });
      followAll();
      return () => {
        listeners.delete(own);
        if (listeners.size === 0) end();
      };
    },
    close() {
      listeners.clear();
      end();
      settled.close();
      counted.close();
    },
  };
}

/** Each answer is noted where it is asked for. */
const heardAlready = () => undefined;

function createCounted(admin: RunCountsParts["admin"], clock: Clock, onChange: () => void) {
  const counts = new Map<string, number>();
  const followed = new Map<string, () => void>();
  const note = (agent: string, count: number | undefined) => {
    if (!followed.has(agent) || counts.get(agent) === count) return;
    if (count === undefined) counts.delete(agent);
    else counts.set(agent, count);
    onChange();
  };
  const ask = async (agent: string, signal: AbortSignal) => {
    try {
      const count = await admin.countRuns(agent, signal);
      note(agent, count);
      return count;
    } catch (error) {
      note(agent, undefined);
      throw error;
    }
  };
  const asked = createAsked({ ask, ...times, clock });
  return {
    get: (agent: string): number | undefined => counts.get(agent),
    /** These and no others. */
    follow(names: ReadonlySet<string>) {
      for (const [name, stop] of followed) {
        if (names.has(name)) continue;
        stop();
        followed.delete(name);
        counts.delete(name);
      }
      const added = [...names].filter((name) => !followed.has(name));
      for (const name of added) followed.set(name, asked.follow(name, heardAlready));
    },
    close: asked.close,
  };
}
