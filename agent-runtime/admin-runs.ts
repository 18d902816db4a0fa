// The admin routes by which the instance's gateway sees the calls of this agent and aborts them.
import { Hono } from "hono";
import { runningOnly, type AbortReport, type RunReport } from "../crds/runs.ts";
import type { Logger } from "../lib/process/log.ts";
import { AbortedRun } from "./call-error.ts";
import type { Calls } from "./calls.ts";

export interface AdminRunsParts {
  agent: string;
  calls: Calls;
  log: Logger;
}

/** For the gateway alone: `GET /runs`, `DELETE /runs` and `DELETE /runs/{id}`. */
export function createAdminRuns({ agent, calls, log }: AdminRunsParts): Hono {
  const app = new Hono();
  app.get("/runs", (c) => {
    const ended = c.req.query(runningOnly) === undefined ? calls.listEnded() : [];
    const report: RunReport = { agent, runs: calls.list(), ended };
    return c.json(report, 200, { "Cache-Control": "no-store" });
  });
  app.delete("/runs", (c) => {
    const report: AbortReport = { aborted: calls.abortAll(new AbortedRun()) };
    log.warn(report, "calls aborted by an operator");
    return c.json(report);
  });
  app.delete("/runs/:id", (c) => {
    const id = c.req.param("id");
    if (!calls.abort(id, new AbortedRun())) return c.text("no such call is in flight; it may have ended\n", 404);
    log.warn({ run: id }, "a call was aborted by an operator");
    return c.body(null, 204);
  });
  return app;
}
