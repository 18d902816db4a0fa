// `pallas policy test`: what the policies of some manifests say of calls, without asking or starting anything. The same
// code decides as where calls are made; how often a caller called before is not known here, so limits are told and not played.
import { count } from "../manifests/diagnostic.ts";
import { UsageError } from "../manifests/find-files.ts";
import { jsonLine } from "../plain-text.ts";
import type { Terminal } from "../terminal.ts";
import { findPolicies } from "./find-policies.ts";
import { readCalls } from "./read-calls.ts";
import { policyToJson, renderPolicy } from "./show-rules.ts";
import { renderVerdicts, tryCalls, verdictToJson } from "./verdicts.ts";

export interface TryOptions {
  readonly paths: readonly [string, ...string[]];
  readonly policy: string | undefined;
  /** A file of calls; without it the rules are shown. */
  readonly calls: string | undefined;
  readonly json: boolean;
}

/**
 * Prints what is decided of each call, or without calls the rules in the order in which they are tried.
 * @returns the exit code: 0, or 1 when a policy is faulty or a call is not decided as expected
 * @throws UsageError when a file cannot be read or is not as expected, or it is not clear which policy is meant
 */
export async function tryPolicy({ paths, policy, calls, json }: TryOptions, terminal: Terminal): Promise<0 | 1> {
  const found = await findPolicies(paths, policy, terminal);
  const faulty = found.filter(({ problems }) => problems.length > 0);
  for (const { name, place, problems } of faulty) {
    for (const problem of problems) terminal.complain(`${place}: error: PallasPolicy ${name}: ${problem}`);
  }
  if (calls === undefined) {
    if (json) terminal.printStyled(jsonLine({ ok: faulty.length === 0, policies: found.map(policyToJson) }));
    else printLines(found.flatMap(renderPolicy), terminal);
    return faulty.length === 0 ? 0 : 1;
  }
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) {
    const names = found.map(({ name, place }) => `${name} (${place})`).join(", ");
    throw new UsageError(`these files have several policies, ${names}; name one with --policy`);
  }
  const verdicts = tryCalls(only.policy, await readCalls(calls));
  const failed = verdicts.filter(({ holds }) => !holds).length;
  if (json) {
    const told = verdicts.map(verdictToJson);
    terminal.printStyled(jsonLine({ ok: failed + faulty.length === 0, policy: only.name, failed, calls: told }));
  } else {
    printLines(renderVerdicts(verdicts), terminal);
    const outcome = failed === 0 ? "all as expected" : `${failed} not as expected`;
    terminal.print(`${count(verdicts.length, "call")}, ${outcome}`);
  }
  return failed + faulty.length === 0 ? 0 : 1;
}

function printLines(lines: readonly string[], terminal: Terminal): void {
  for (const line of lines) terminal.print(line.trimEnd());
}
