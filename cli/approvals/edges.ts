// What the commands on approvals are given, and how each reaches the gateway.
import { systemClock, type Clock } from "../../lib/process/clock.ts";
import { reportFailure } from "../chat/chat-error.ts";
import { readToken } from "../chat/gateway-connection.ts";
import type { Terminal } from "../terminal.ts";
import { stopSignal } from "../up/signals.ts";
import { readVersion } from "../version.ts";
import { openApprovals, type GatewayApprovals } from "./gateway-approvals.ts";

export interface Edges {
  terminal: Terminal;
  process: NodeJS.Process;
  clock?: Clock;
}

export interface Session {
  readonly approvals: GatewayApprovals;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

const interrupted = 130;

/**
 * Runs `work` with the gateway's approvals, by $PALLAS_TOKEN.
 * @returns what `work` does; 1 with a sentence when the gateway cannot be asked or refuses; 130 when it was interrupted
 * @throws UsageError for a URL or a token that is none
 */
export async function withApprovals(
  gateway: string,
  { terminal, process, clock = systemClock }: Edges,
  work: (session: Session) => Promise<number>,
): Promise<number> {
  const { signal, release } = stopSignal(process);
  try {
    const token = readToken(process.env["PALLAS_TOKEN"]);
    const approvals = await openApprovals({ gateway, token, clientVersion: readVersion(), signal });
    try {
      return await work({ approvals, signal, clock });
    } finally {
      await approvals.close();
    }
  } catch (error) {
    if (signal.aborted) return interrupted;
    return reportFailure(error, terminal);
  } finally {
    release();
  }
}
