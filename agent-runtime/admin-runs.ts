// The admin routes by which the instance's gateway sees the calls of this agent and aborts them. They are for that one account:
// its token is checked by keys in the live configuration, so that an agent needs no way to the API server, and no secret that
// somebody would have to hand out. Without such keys there are no such routes.
import { Hono, type MiddlewareHandler } from "hono";
import type { LiveConfig } from "../crds/run-config.ts";
import type { AbortReport, RunReport } from "../crds/runs.ts";
import type { Clock } from "../lib/process/clock.ts";
import type { Logger } from "../lib/process/log.ts";
import { AbortedRun } from "./call-error.ts";
import type { Calls } from "./calls.ts";
import type { ReadLiveConfig } from "./inputs/live-config.ts";

export interface AdminRunsParts {
  agent: string;
  calls: Calls;
  readLive: ReadLiveConfig;
  log: Logger;
  clock: Clock;
}

/** `GET /runs`, `DELETE /runs` and `DELETE /runs/{id}`. */
export function createAdminRuns(parts: AdminRunsParts): Hono {
  const { agent, calls, log } = parts;
  const app = new Hono();
  const guard = createGuard(parts);
  app.use("/runs", guard);
  app.use("/runs/*", guard);
  app.get("/runs", (c) => {
    const report: RunReport = { agent, runs: calls.list() };
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

function createGuard({ readLive, clock }: AdminRunsParts): MiddlewareHandler {
  return async (c, next) => {
    const { gateway } = await readLive();
    if (gateway === undefined)
      return c.text("nobody may see the calls of this agent: its instance has no gateway\n", 404);
    const token = /^bearer +(\S+) *$/i.exec(c.req.header("authorization") ?? "")?.[1];
    const problem = token === undefined ? "expected one bearer token" : await findProblem(token, gateway, clock);
    if (problem !== undefined) {
      const headers = { "WWW-Authenticate": token === undefined ? "Bearer" : 'Bearer error="invalid_token"' };
      return c.text(`${problem}; only the gateway of this agent's instance may see its calls\n`, 401, headers);
    }
    await next();
    return undefined;
  };
}

/** Undefined when the token is the gateway's. What checks it is loaded with the first one. */
async function findProblem(token: string, gateway: Gateway, clock: Clock): Promise<string | undefined> {
  const [{ createLocalJWKSet }, { verifyToken }] = await Promise.all([import("jose"), import("../lib/auth/token.ts")]);
  const keys = { find: createLocalJWKSet({ keys: gateway.keys }) };
  const trusted = { issuer: gateway.issuer, audiences: [gateway.audience] };
  const verdict = await verifyToken(token, trusted, keys, new Date(clock.wallNow()));
  if (verdict.kind !== "valid") return verdict.why;
  return verdict.subject === gateway.subject ? undefined : "the token is another account's";
}

type Gateway = NonNullable<LiveConfig["gateway"]>;
