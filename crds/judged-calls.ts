// What other rules would have decided of the calls that were judged lately: how an agent's admin port, or the gateway of its own
// calls, is asked (MGM-3, a proposal's dry run), what it answers, and how several answers become one. No arguments are in it.
import * as z from "zod";

/** As lib/policy orders them, the strictest last. */
const judgedActions = ["allow", "ask", "denyContinue", "denyAbort"] as const;
const action = z.enum(judgedActions);
type JudgedAction = z.output<typeof action>;

/** The last calls that a process keeps, and that a dry run is about. */
export const maxJudgedCalls = 500;

/** On the admin port of an agent, for its gateway: `POST` with a DryRunRequest, answered with a JudgedReport. */
export const judgedPath = "/judged";

/** Of a whole policy is at most 256 KiB, and of its envelope some. */
export const maxDryRunRequestBytes = 300 * 1024;

/** The rules to try, as in a PallasPolicy's spec; who is asked compiles them, and faulty ones deny everything. */
export const dryRunRequest = z.strictObject({ rules: z.array(z.unknown()), default: z.unknown().exactOptional() });
export type DryRunRequest = z.output<typeof dryRunRequest>;

/** Longer than any name that a policy lets through. */
const name = z.string().max(1_024);

const rejudgedCall = z.object({
  /** When it was judged; RFC 3339, UTC. */
  at: z.string().max(64),
  server: name,
  tool: name,
  /** As rules see who called. */
  caller: name,
  /** What the rules said then and what these say, limits left out: how often somebody may still call is of the moment. */
  before: action,
  after: action,
  /** That decides now; absent: the default. */
  rule: z.string().max(63).exactOptional(),
});
export type RejudgedCall = z.output<typeof rejudgedCall>;

const judgedReport = z.object({ agent: z.string(), calls: z.array(rejudgedCall).max(maxJudgedCalls) });
/** What `POST /judged` answers: all calls that are kept, in any order, those of which nothing changes included. */
export type JudgedReport = z.output<typeof judgedReport>;

/** Of a report with the longest names there are in all its calls. */
export const maxJudgedReportBytes = 16 * 1024 * 1024;

/** What `agent` answered. Throws on anything that is no report of its own. */
export function parseJudgedReport(text: string, agent: string): JudgedReport {
  const expected = `expected the judged calls of agent "${agent}"`;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${expected}, found no JSON`, { cause });
  }
  const { success, data } = judgedReport.safeParse(json);
  if (!success) throw new Error(`${expected}, found another shape`);
  // An address that was an agent's can be another's before a cache knows.
  if (data.agent !== agent) throw new Error(`${expected}, found those of "${data.agent.slice(0, 100)}"`);
  return data;
}

/** A call and where it was judged; "" is the gateway itself. */
export type PlacedCall = RejudgedCall & { agent: string };

export interface DryRun {
  /** How many calls it is about. */
  total: number;
  /** How many went from what to what, what stays the same included. */
  counts: { before: JudgedAction; after: JudgedAction; calls: number }[];
  /** Those of which something else would have become: the ones that would be looser first, of these the newest. */
  calls: PlacedCall[];
}

/** Of calls that were judged again anywhere the newest `maxJudgedCalls`. */
export function summarizeDryRun(all: readonly PlacedCall[]): DryRun {
  const newest = all.toSorted(byTime).slice(0, maxJudgedCalls);
  const pairs = judgedActions.flatMap((before) => judgedActions.map((after) => ({ before, after })));
  const counts = pairs
    .map((pair) => ({ ...pair, calls: newest.filter((call) => isPair(call, pair)).length }))
    .filter(({ calls }) => calls > 0);
  const changed = newest.filter(({ before, after }) => before !== after);
  return {
    total: newest.length,
    counts,
    calls: [...changed.filter(isLooser), ...changed.filter((call) => !isLooser(call))],
  };
}

type Pair = Pick<RejudgedCall, "before" | "after">;

const isPair = (call: Pair, { before, after }: Pair) => call.before === before && call.after === after;
const isLooser = ({ before, after }: Pair) => judgedActions.indexOf(after) < judgedActions.indexOf(before);
const byTime = (a: RejudgedCall, b: RejudgedCall) => (a.at === b.at ? 0 : a.at > b.at ? -1 : 1);
