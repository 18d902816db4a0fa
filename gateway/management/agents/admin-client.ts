// What the gateway asks of agents' admin ports, one request for each process of an agent, and how it ends calls there. Whether
// and how often is for whoever calls. The port of an address that is now another agent's is found out by the name in the answer.
import {
  conversationsPath,
  maxConversationReportBytes,
  parseConversationReport,
  type ConversationReport,
  type ConversationsRequest,
} from "../../../crds/conversations.ts";
import { maxHealthReportBytes, parseHealthReport, type HealthReport } from "../../../crds/health.ts";
import {
  judgedPath,
  maxJudgedReportBytes,
  parseJudgedReport,
  type DryRunRequest,
  type RejudgedCall,
} from "../../../crds/judged-calls.ts";
import {
  maxEndedRuns,
  maxRunReportBytes,
  parseAbortReport,
  parseRunReport,
  runningOnly,
  type EndedRun,
  type Run,
} from "../../../crds/runs.ts";
import { maxToolReportBytes, parseToolReport, toolReportPath, type ToolReport } from "../../../crds/tool-report.ts";
import { fetchLimited, fetchText } from "../../../lib/outgoing/fetch-limited.ts";
import type { GatewayState } from "../../state/state.ts";

export interface AdminClient {
  /** Rejects with a sentence where nobody knows whether there are calls in flight. */
  fetchRuns(agent: string, signal: AbortSignal): Promise<AgentRuns>;
  /** How many calls are in flight; rejects as `fetchRuns` does. */
  countRuns(agent: string, signal: AbortSignal): Promise<number>;
  /** As one process of it says. */
  fetchHealth(agent: string, signal: AbortSignal): Promise<HealthReport>;
  /** Those that the caller of this subject has with it. */
  fetchConversations(agent: string, subject: string, signal: AbortSignal): Promise<ConversationReport>;
  /**
   * The tools of a server that it alone can ask; "same" where it says what `known` is the version of. Rejects with a sentence where
   * it says nothing of the server.
   */
  fetchTools(
    agent: string,
    server: string,
    known: string | undefined,
    signal: AbortSignal,
  ): Promise<ToolReport | "same">;
  /** Its last calls as other rules would decide them, of all its processes. Rejects with a sentence where one cannot be asked. */
  fetchJudged(agent: string, rules: DryRunRequest, signal: AbortSignal): Promise<readonly RejudgedCall[]>;
  /** False when there is no such call. Rejects with a sentence where a process that may have it cannot be asked. */
  abortRun(agent: string, run: string, signal: AbortSignal): Promise<boolean>;
  /** How many calls there were. Rejects with a sentence where a process cannot be asked; those of the others are aborted. */
  abortAll(agent: string, signal: AbortSignal): Promise<number>;
}

/** Of all processes of an agent that answered. */
export interface AgentRuns {
  /** In flight, the oldest first. */
  readonly runs: readonly Run[];
  /** The last ones that have ended, the newest first. */
  readonly ended: readonly EndedRun[];
}

export interface AdminClientParts {
  state: Pick<GatewayState, "getEndpoint" | "listAdminUrls">;
  /** The gateway's own token for its agents, read anew each time, since it is renewed. */
  readAgentsToken: () => Promise<string>;
}

const accept = "application/json";
const maxAnswerBytes = 65_536;
/** Far above the replicas that anybody gives an agent. */
const maxProcesses = 64;

export function createAdminClient({ state, readAgentsToken }: AdminClientParts): AdminClient {
  const headers = async () => ({ authorization: `Bearer ${await readAgentsToken()}` });
  const end = async (url: string, signal: AbortSignal) =>
    await fetchLimited(url, { method: "DELETE", headers: await headers(), signal, accept, maxBytes: maxAnswerBytes });
  const askAll = async <T>(agent: string, ask: (adminUrl: string) => Promise<T>) =>
    await askProcesses(agent, state.listAdminUrls(agent), ask);
  const askRuns = async (agent: string, query: string, signal: AbortSignal): Promise<AgentRuns> => {
    const answers = await askAll(agent, async (adminUrl) => {
      const request = { headers: await headers(), signal, accept, maxBytes: maxRunReportBytes };
      return parseRunReport(await fetchText(`${adminUrl}/runs${query}`, request), agent);
    });
    return mergeRuns(answers);
  };
  return {
    fetchRuns: (agent, signal) => askRuns(agent, "", signal),
    countRuns: async (agent, signal) => (await askRuns(agent, `?${runningOnly}`, signal)).runs.length,
    async fetchHealth(agent, signal) {
      const endpoint = state.getEndpoint(agent);
      if (endpoint === undefined) throw new Error(noProcess(agent));
      const request = { signal, accept, maxBytes: maxHealthReportBytes };
      return parseHealthReport(await fetchText(`${endpoint.adminUrl}/health`, request), agent);
    },
    async fetchConversations(agent, subject, signal) {
      const endpoint = state.getEndpoint(agent);
      if (endpoint === undefined) throw new Error(noProcess(agent));
      const request = renderConversationsRequest({ subject }, await headers());
      const url = `${endpoint.adminUrl}${conversationsPath}`;
      return parseConversationReport(await fetchText(url, { ...request, signal }), agent);
    },
    async fetchTools(agent, server, known, signal) {
      const endpoint = state.getEndpoint(agent);
      if (endpoint === undefined) throw new Error(noProcess(agent));
      const condition = known === undefined ? {} : { "if-none-match": `"${known}"` };
      const request = { headers: { ...(await headers()), ...condition }, signal, accept, maxBytes: maxToolReportBytes };
      const { status, text } = await fetchLimited(`${endpoint.adminUrl}${toolReportPath(server)}`, request);
      if (status === 304 && known !== undefined) return "same";
      if (status !== 200) throw new Error(`expected 200 or 304 from agent "${agent}", found ${status}`);
      return parseToolReport(text, agent, server);
    },
    async fetchJudged(agent, rules, signal) {
      const body = JSON.stringify(rules);
      const { values, failures } = await askAll(agent, async (adminUrl) => {
        const sent = { method: "POST" as const, body, signal, accept, maxBytes: maxJudgedReportBytes };
        const request = { ...sent, headers: { ...(await headers()), "content-type": accept } };
        return parseJudgedReport(await fetchText(`${adminUrl}${judgedPath}`, request), agent).calls;
      });
      if (failures.length > 0) throw failures[0];
      return values.flat();
    },
    async abortRun(agent, run, signal) {
      const { values, failures } = await askAll(agent, async (adminUrl) => {
        const { status } = await end(`${adminUrl}/runs/${encodeURIComponent(run)}`, signal);
        if (status === 204 || status === 404) return status === 204;
        throw new Error(`expected 204 or 404 from agent "${agent}", found ${status}`);
      });
      const aborted = values.includes(true);
      if (!aborted && failures.length > 0) throw failures[0];
      return aborted;
    },
    async abortAll(agent, signal) {
      const { values, failures } = await askAll(agent, async (adminUrl) => {
        const { status, text } = await end(`${adminUrl}/runs`, signal);
        if (status !== 200) throw new Error(`expected 200 from agent "${agent}", found ${status}`);
        return parseAbortReport(text).aborted;
      });
      if (failures.length > 0) throw failures[0];
      return values.reduce((sum, aborted) => sum + aborted, 0);
    },
  };
}

function mergeRuns({ values, failures }: Answers<AgentRuns>): AgentRuns {
  const runs = values.flatMap((report) => report.runs);
  if (runs.length === 0 && failures.length > 0) throw failures[0];
  const ended = values.flatMap((report) => report.ended);
  return {
    runs: runs.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1)),
    ended: ended.toSorted((a, b) => (a.endedAt > b.endedAt ? -1 : 1)).slice(0, maxEndedRuns),
  };
}

const renderConversationsRequest = (asked: ConversationsRequest, headers: Record<string, string>) => ({
  method: "POST" as const,
  body: JSON.stringify(asked),
  headers: { ...headers, "content-type": accept },
  accept,
  maxBytes: maxConversationReportBytes,
});

interface Answers<T> {
  values: readonly T[];
  failures: readonly unknown[];
}

async function askProcesses<T>(
  agent: string,
  urls: readonly string[],
  ask: (adminUrl: string) => Promise<T>,
): Promise<Answers<T>> {
  if (urls.length === 0) throw new Error(noProcess(agent));
  if (urls.length > maxProcesses) {
    throw new Error(`agent "${agent}" has ${urls.length} processes, and at most ${maxProcesses} are asked`);
  }
  const settled = await Promise.allSettled(urls.map(ask));
  return {
    values: settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : [])),
    failures: settled.flatMap((each) => (each.status === "rejected" ? [each.reason] : [])),
  };
}

const noProcess = (agent: string): string => `agent "${agent}" has no process that could be asked`;
