// The admin route by which the instance's gateway asks what other rules would have decided of this agent's last calls (MGM-3). The
// arguments stay here.
import { Hono } from "hono";
import { dryRunRequest, judgedPath, maxDryRunRequestBytes, type JudgedReport } from "../../crds/judged-calls.ts";
import { readMessage } from "../../lib/mcp/request-body.ts";
import type { JudgedRing } from "../../lib/policy/judged-ring.ts";
import type { MemoryBudget } from "../../lib/process/memory-budget.ts";
import { runInTurns } from "../../lib/process/steps.ts";

export interface JudgedRoutesParts {
  /** Its name. */
  agent: string;
  ring: JudgedRing;
  memory: MemoryBudget;
}

/** For the gateway alone: `POST /judged` with rules. Faulty ones are no error: they deny every call, and the answer says so. */
export function createJudgedRoutes({ agent, ring, memory }: JudgedRoutesParts): Hono {
  const app = new Hono();
  app.post(judgedPath, async (c) => {
    const body = await readMessage(c.req.raw, { maxBytes: maxDryRunRequestBytes, budget: memory });
    if (!body.ok) {
      const { status, message, headers } = body.failure;
      return new Response(`${message}\n`, { status, ...(headers && { headers }) });
    }
    try {
      const { success, data } = dryRunRequest.safeParse(body.message);
      if (!success) return c.text("expected rules, a list, and perhaps a default, and nothing else\n", 422);
      const report: JudgedReport = { agent, ...(await runInTurns(ring.dryRun(data))) };
      return c.json(report, 200, { "Cache-Control": "no-store" });
    } finally {
      body.holder?.release();
    }
  });
  return app;
}
