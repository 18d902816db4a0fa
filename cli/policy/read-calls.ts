// Calls that a policy is tried on: a file of one JSON object a line, each with what is expected of it or without.
import * as z from "zod";
import type { Call } from "../../lib/policy/policy.ts";
import { actions, type Action } from "../../lib/policy/rules.ts";
import { UsageError } from "../manifests/find-files.ts";
import { readJsonLines } from "../search/read-json-lines.ts";

/** More are no test that a person reads. */
const maxCalls = 100_000;
/** As whoever proves nothing of themselves is called. */
const anonymous = "anonymous";

// Strict: a misspelt `expect` would expect nothing.
const callSchema = z.strictObject({
  server: z.string(),
  tool: z.string(),
  caller: z.string().default(anonymous),
  role: z.string().default("none"),
  agent: z.string().default(""),
  arguments: z.unknown().optional(),
  hints: z.strictObject({ readOnly: z.boolean().optional(), destructive: z.boolean().optional() }).default({}),
  expect: z.enum(actions).optional(),
});

export interface TriedCall {
  readonly call: Call;
  /** Undefined: nothing is expected. */
  readonly expected: Action | undefined;
}

/** @throws UsageError naming file and line */
export async function readCalls(path: string): Promise<TriedCall[]> {
  const lines = await readJsonLines(path, callSchema);
  if (lines.length === 0 || lines.length > maxCalls) {
    throw new UsageError(`${path}: expected 1 to ${maxCalls} calls, found ${lines.length}`);
  }
  return lines.map(({ expect: expected, hints, arguments: args = {}, ...names }) => ({
    call: { ...names, arguments: args, hints: keepSaid(hints) },
    expected,
  }));
}

function keepSaid({ readOnly, destructive }: { readOnly?: boolean | undefined; destructive?: boolean | undefined }) {
  return { ...(readOnly === undefined ? {} : { readOnly }), ...(destructive === undefined ? {} : { destructive }) };
}
