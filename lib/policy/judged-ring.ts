// The calls that were judged lately with their real arguments, in the memory of this process alone: what a proposal of other rules is
// tried on (MGM-3). Nobody is shown the arguments; they are only judged again.
import { compilePolicy } from "./compile.ts";
import { decide } from "./decide.ts";
import type { Call, Policy } from "./policy.ts";
import { maxima, type Action } from "./rules.ts";

/** A call as other rules would decide it. */
export interface Rejudged extends Pick<Call, "server" | "tool" | "caller"> {
  /** When it was judged; RFC 3339, UTC. */
  readonly at: string;
  /** What the rules said then and what these say, limits left out. */
  readonly before: Action;
  readonly after: Action;
  /** That decides now; absent: the default. */
  readonly rule?: string;
}

interface Kept extends Omit<Call, "arguments"> {
  /** When it was judged; RFC 3339, UTC. */
  readonly at: string;
  /** What the rules said, limits left out. */
  readonly before: Action;
  /** The arguments as JSON text, so that what is kept is as large as it is counted. */
  readonly text: string;
}

export interface JudgedRingBounds {
  maxCalls: number;
  /** Of arguments of all calls together, as JSON. */
  maxChars: number;
  /** Of one call; a call with longer ones is not kept, since without them it would be judged as another. */
  maxCallChars: number;
}

/** A character takes two bytes at worst: 16 MiB. */
const defaultBounds: JudgedRingBounds = {
  maxCalls: 500,
  maxChars: 8 * 1024 * 1024,
  maxCallChars: 64 * 1024,
};

/** Of arguments that are judged again in one step, at most 25 ms by the slowest rules there can be. */
const charsPerStep = 64 * 1024;
/** What a call without arguments counts for. */
const callChars = 512;

export class JudgedRing {
  readonly #bounds: JudgedRingBounds;
  /** By place; the next call comes to `#next`. */
  readonly #kept: (Kept | undefined)[] = [];
  #next = 0;
  #chars = 0;

  constructor(bounds: Partial<JudgedRingBounds> = {}) {
    this.#bounds = { ...defaultBounds, ...bounds };
  }

  get size(): number {
    return this.#kept.filter((each) => each !== undefined).length;
  }

  /** Arguments that are no JSON, or too deep for it, are not kept; nor is a call with names that no policy lets through. */
  add({ arguments: args, ...call }: Call, before: Action, at: string): void {
    const text = renderText(args);
    const { maxCalls, maxChars, maxCallChars } = this.#bounds;
    if (text === undefined || text.length > maxCallChars) return;
    if ([call.server, call.tool, call.caller].some((name) => name.length > maxima.callNameChars)) return;
    this.#drop(this.#next);
    this.#kept[this.#next] = { ...call, at, before, text };
    this.#chars += text.length;
    this.#next = (this.#next + 1) % maxCalls;
    for (let place = this.#next; this.#chars > maxChars; place = (place + 1) % maxCalls) this.#drop(place);
  }

  /**
   * What these rules would say of the calls that are kept, the newest first. Faulty rules deny everything. It can take seconds, so it
   * is done in steps of some milliseconds (lib/process/steps.ts).
   */
  *dryRun(rules: unknown): Generator<undefined, { calls: Rejudged[] }, undefined> {
    const { policy } = compilePolicy(rules);
    const older = this.#kept.slice(this.#next);
    const oldestFirst = [...older, ...this.#kept.slice(0, this.#next)];
    const calls: Rejudged[] = [];
    let stepChars = 0;
    for (const kept of oldestFirst.toReversed()) {
      if (kept === undefined) continue;
      calls.push(rejudge(policy, kept));
      stepChars += kept.text.length + callChars;
      if (stepChars < charsPerStep) continue;
      yield;
      stepChars = 0;
    }
    return { calls };
  }

  #drop(place: number): void {
    this.#chars -= this.#kept[place]?.text.length ?? 0;
    if (place < this.#kept.length) this.#kept[place] = undefined;
  }
}

function rejudge(policy: Policy, { at, before, text, ...call }: Kept): Rejudged {
  const { action: after, rule } = decide(policy, { ...call, arguments: JSON.parse(text) });
  const { server, tool, caller } = call;
  return { at, server, tool, caller, before, after, ...(rule !== undefined && { rule }) };
}

function renderText(args: unknown): string | undefined {
  try {
    return JSON.stringify(args ?? {});
  } catch {
    return undefined;
  }
}
