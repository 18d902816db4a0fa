// What an agent's admin port says of the calls that it is working on and of its last ones, and what the gateway reads of it. Nothing
// of what a call is about is in it: whoever may see that an agent works need not see what people ask it.
import * as z from "zod";
import { callOutcomes } from "./metric-names.ts";

const count = z.int().min(0);

const runSchema = z.object({
  /** Random, of one process: no other call ever has it. */
  id: z.string().min(1).max(64),
  /** RFC 3339, UTC. */
  startedAt: z.string().max(64),
  /** Who called, where that is proven. */
  caller: z.string().max(256).exactOptional(),
  /** Turns of the model until now, or in all; 0 also from an agent that does not say. */
  steps: count.default(0),
  /** Of all kinds, as the model counts them. */
  tokens: count.default(0),
});
export type Run = z.output<typeof runSchema>;

const endedRunSchema = runSchema.extend({ endedAt: z.string().max(64), outcome: z.enum(callOutcomes) });
export type EndedRun = z.output<typeof endedRunSchema>;

/** Of the calls that have ended, the last ones are told. */
export const maxEndedRuns = 50;

const runReportSchema = z.object({
  agent: z.string(),
  runs: z.array(runSchema),
  ended: z.array(endedRunSchema).max(maxEndedRuns).default([]),
});
/** In the query of `GET /runs` it leaves out those that have ended: lists of many agents only count. */
export const runningOnly = "running-only";
/** What `GET /runs` answers: running and waiting calls, the oldest first, and those that ended, the newest first. */
export type RunReport = z.output<typeof runReportSchema>;

/** What `DELETE /runs` answers. */
const abortReportSchema = z.object({ aborted: z.int().min(0) });
export type AbortReport = z.output<typeof abortReportSchema>;

/** Far above what an agent with all the calls it may have reports. */
export const maxRunReportBytes = 1024 * 1024;

/** What `agent` answered. Throws on anything that is no report of its own. */
export function parseRunReport(text: string, agent: string): RunReport {
  const data = parse(text, runReportSchema, `expected the runs of agent "${agent}"`);
  // An address that was an agent's can be another's before a cache knows.
  if (data.agent !== agent) {
    throw new Error(`expected the runs of agent "${agent}", found those of "${data.agent.slice(0, 100)}"`);
  }
  return data;
}

/** Throws on anything else than what `DELETE /runs` answers. */
export const parseAbortReport = (text: string): AbortReport =>
  parse(text, abortReportSchema, "expected how many calls were aborted");

function parse<T>(text: string, schema: z.ZodType<T>, expected: string): T {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${expected}, found no JSON`, { cause });
  }
  const { success, data } = schema.safeParse(json);
  if (!success) throw new Error(`${expected}, found another shape`);
  return data;
}
