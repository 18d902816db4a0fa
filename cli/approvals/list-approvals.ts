// `pallas approvals`: the calls that wait for a person, those that are over, or each as it comes.
import { sleep, type Clock } from "../../lib/process/clock.ts";
import { jsonLine } from "../plain-text.ts";
import { renderTable } from "../render-table.ts";
import type { Terminal } from "../terminal.ts";
import { describeRow } from "./describe-approval.ts";
import { withApprovals, type Edges, type Session } from "./edges.ts";
import type { GatewayApprovals } from "./gateway-approvals.ts";
import type { Approval } from "./shown-approval.ts";

export interface ListOptions {
  readonly gateway: string;
  /** Those that are over, too. */
  readonly all: boolean;
  /** One JSON object in place of the lines; with `watch` one for each change. */
  readonly json: boolean;
  /** Until it is interrupted. */
  readonly watch: boolean;
}

/** A gateway that went away says nothing: it is asked at least this often. */
const checkMs = 30_000;

/** @returns the exit code: 0, also when nothing waits; 1 when the gateway cannot be asked, 130 when it was interrupted before */
export function listApprovals({ gateway, all, json, watch }: ListOptions, edges: Edges): Promise<number> {
  const { terminal } = edges;
  return withApprovals(gateway, edges, async (session) => {
    const { approvals, clock } = session;
    if (watch) return await watchApprovals(session, json, terminal);
    const found = [...(await approvals.pending()), ...(all ? await approvals.history() : [])];
    if (json) terminal.printStyled(jsonLine({ approvals: found }));
    else if (found.length === 0) terminal.complain(all ? "there are no approvals" : "nothing waits for a person");
    else printRows(found, clock, terminal);
    return 0;
  });
}

function printRows(approvals: readonly Approval[], clock: Clock, terminal: Terminal): void {
  const rows = approvals.map((approval) => describeRow(approval, clock.wallNow()));
  for (const line of renderTable(rows, "start")) terminal.printStyled(line.trimEnd());
}

async function watchApprovals(session: Session, json: boolean, terminal: Terminal): Promise<number> {
  const { approvals, signal, clock } = session;
  let waiting = new Map<string, Approval>();
  let wake = new AbortController();
  approvals.follow(() => wake.abort());
  while (!signal.aborted) {
    const now = new Map((await approvals.pending()).map((each) => [each.call_id, each]));
    const changed = [
      ...[...now.values()].filter(({ call_id: name }) => !waiting.has(name)),
      ...(await findEnded(
        [...waiting.keys()].filter((name) => !now.has(name)),
        approvals,
      )),
    ];
    for (const approval of changed) {
      if (json) terminal.printStyled(jsonLine(approval));
      else printRows([approval], clock, terminal);
    }
    waiting = now;
    await sleep(clock, checkMs, AbortSignal.any([signal, wake.signal])).catch(() => undefined);
    wake = new AbortController();
  }
  return 0;
}

/** What became of those that wait no longer; what is gone altogether was withdrawn. */
async function findEnded(names: readonly string[], approvals: GatewayApprovals): Promise<Approval[]> {
  const ended: Approval[] = [];
  for (const name of names) {
    const approval = await approvals.find(name);
    if (approval !== undefined) ended.push(approval);
  }
  return ended;
}
