// What the gateway asks of an agent's admin port, one request each, and how it ends calls there. Whether and how often is for
// whoever calls. The port of an address that is now another agent's is found out by the name in the answer.
import { maxHealthReportBytes, parseHealthReport, type HealthReport } from "../../../crds/health.ts";
import { maxRunReportBytes, parseAbortReport, parseRunReport, type Run } from "../../../crds/runs.ts";
import { fetchLimited, fetchText } from "../../../lib/outgoing/fetch-limited.ts";
import type { GatewayState } from "../../state/state.ts";

export interface AdminClient {
  /** The calls in flight of one process of the agent. Rejects with a sentence. */
  fetchRuns(agent: string, signal: AbortSignal): Promise<readonly Run[]>;
  fetchHealth(agent: string, signal: AbortSignal): Promise<HealthReport>;
  /** False when there is no such call. */
  abortRun(agent: string, run: string, signal: AbortSignal): Promise<boolean>;
  /** How many calls there were. */
  abortAll(agent: string, signal: AbortSignal): Promise<number>;
}

export interface AdminClientParts {
  state: Pick<GatewayState, "getEndpoint">;
  /** The gateway's own token for its agents, read anew each time, since it is renewed. */
  readAgentsToken: () => Promise<string>;
}

const accept = "application/json";
const maxAnswerBytes = 65_536;

export function createAdminClient({ state, readAgentsToken }: AdminClientParts): AdminClient {
  const urlOf = (agent: string, path: string): string => {
    const endpoint = state.getEndpoint(agent);
    if (endpoint === undefined) throw new Error(`agent "${agent}" has no process that could be asked`);
    return `${endpoint.adminUrl}${path}`;
  };
  const headers = async () => ({ authorization: `Bearer ${await readAgentsToken()}` });
  const end = async (agent: string, path: string, signal: AbortSignal) => {
    const request = { method: "DELETE" as const, headers: await headers(), signal, accept, maxBytes: maxAnswerBytes };
    return await fetchLimited(urlOf(agent, path), request);
  };
  return {
    async fetchRuns(agent, signal) {
      const request = { headers: await headers(), signal, accept, maxBytes: maxRunReportBytes };
      return parseRunReport(await fetchText(urlOf(agent, "/runs"), request), agent).runs;
    },
    async fetchHealth(agent, signal) {
      return parseHealthReport(
        await fetchText(urlOf(agent, "/health"), { signal, accept, maxBytes: maxHealthReportBytes }),
        agent,
      );
    },
    async abortRun(agent, run, signal) {
      const { status } = await end(agent, `/runs/${encodeURIComponent(run)}`, signal);
      if (status === 204) return true;
      if (status === 404) return false;
      throw new Error(`expected 204 or 404 from agent "${agent}", found ${status}`);
    },
    async abortAll(agent, signal) {
      const { status, text } = await end(agent, "/runs", signal);
      if (status !== 200) throw new Error(`expected 200 from agent "${agent}", found ${status}`);
      return parseAbortReport(text).aborted;
    },
  };
}
