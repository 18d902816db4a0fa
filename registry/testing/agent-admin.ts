// The admin port of an agent as a real HTTP server whose answers a test chooses.
import { createServer, type ServerResponse } from "node:http";
import type { HealthReport } from "../../crds/health.ts";

type Answer = (response: ServerResponse) => void;

export interface AgentAdmin {
  url: string;
  answers: { metrics: Answer; health: Answer };
  /** Requests so far, by path. */
  asked: string[];
  stop(): Promise<void>;
}

export const answerText =
  (body: string, status = 200): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "text/plain" }).end(body);
  };

/** Headers, then nothing. */
export const answerNothing: Answer = (response) => {
  response.writeHead(200).flushHeaders();
};

export const makeReport = (report: Partial<HealthReport> = {}): HealthReport => ({
  agent: "research",
  status: "ok",
  timestamp: "2026-11-21T10:00:00Z",
  providers: {},
  downstreams: {},
  ...report,
});

export async function startAgentAdmin(metrics: string = "", report: HealthReport = makeReport()): Promise<AgentAdmin> {
  const answers = { metrics: answerText(metrics), health: answerText(JSON.stringify(report)) };
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    if (path === "/metrics") answers.metrics(response);
    else if (path === "/health") answers.health(response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the agent's admin port is not listening");
  return {
    url: `http://127.0.0.1:${address.port}`,
    answers,
    asked,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
