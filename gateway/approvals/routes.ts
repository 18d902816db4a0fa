// How agents ask for approvals (MGM-6): over requests of their own, since nobody else reaches into them for it. The answer to a
// question is a stream of lines that lasts until somebody has decided, and is taken up again by name after whatever broke it.
import { Hono, type Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { ApprovalDecision, PallasApproval } from "../../crds/approval.ts";
import {
  agentApprovalsPath,
  maxPendingApprovals,
  parseApprovalQuestion,
  parseApprovalUse,
  parseCallerAnswer,
  type ApprovalError,
} from "../../crds/approval-wire.ts";
import { requireAgent } from "../../lib/auth/roles.ts";
import type { Clock } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import type { GatewayRoutes } from "../name-caller.ts";
import { readObject, RestError } from "../rest/answers.ts";
import { ApprovalRefused, type ApprovalRefusal, type Approvals } from "./approvals.ts";
import { notFound } from "./parts.ts";
import { streamOutcome } from "./stream.ts";

/** Of one agent: equal calls wait for the same approval, each on a stream of its own. */
const maxStreams = 2 * maxPendingApprovals;
const maxNameChars = 253;

const statuses: Readonly<Record<ApprovalRefusal, ContentfulStatusCode>> = {
  full: 429,
  "too-large": 422,
  invalid: 422,
  unready: 503,
  forbidden: 403,
  not_found: 404,
  decided: 409,
  undecided: 409,
  used: 409,
  expired: 409,
  hash: 409,
};
const retryAfterSeconds = "5";

export interface RoutesParts {
  approvals: Approvals;
  clock: Clock;
}

type Asked = Context<GatewayRoutes>;

/** `close` ends the streams, which agents take up again elsewhere. */
export function createApprovalRoutes({ approvals, clock }: RoutesParts): {
  routes: Hono<GatewayRoutes>;
  close(): void;
} {
  const closing = new AbortController();
  const streams = new Map<string, number>();
  const agentOf = (c: Asked): string => {
    const found = requireAgent(c.get("caller"));
    if (found.kind === "refused") throw new ApprovalRefused("forbidden", found.message);
    return found.agent;
  };
  /** Of this agent and no other. */
  const find = (c: Asked): PallasApproval => {
    const agent = agentOf(c);
    const name = c.req.param("name") ?? "";
    const approval = name.length > maxNameChars ? undefined : approvals.get(name);
    if (approval?.spec.agentRef?.name !== agent) throw notFound(name);
    return approval;
  };
  const stream = (c: Asked, agent: string, approval: PallasApproval): Response => {
    const open = streams.get(agent) ?? 0;
    if (open >= maxStreams) {
      throw new ApprovalRefused("full", `agent "${agent}" has ${maxStreams} streams open: end some first`);
    }
    streams.set(agent, open + 1);
    const onEnd = () => {
      const left = (streams.get(agent) ?? 1) - 1;
      if (left > 0) streams.set(agent, left);
      else streams.delete(agent);
    };
    c.env.outgoing.once("close", onEnd);
    return streamOutcome({ approvals, approval, signal: closing.signal, clock });
  };

  const routes = new Hono<GatewayRoutes>();
  routes.post(agentApprovalsPath, async (c) => {
    const agent = agentOf(c);
    const question = await readBody(c, parseApprovalQuestion);
    return stream(c, agent, await approvals.open(question, { agent }));
  });
  routes.get(`${agentApprovalsPath}/:name`, (c) => stream(c, agentOf(c), find(c)));
  routes.post(`${agentApprovalsPath}/:name/use`, async (c) => {
    const { name } = find(c).metadata;
    return c.json({ decision: await approvals.use(name, await readBody(c, parseApprovalUse)) });
  });
  routes.post(`${agentApprovalsPath}/:name/caller`, async (c) => {
    const { name } = find(c).metadata;
    const { spec } = await approvals.decideAsCaller(name, await readBody(c, parseCallerAnswer));
    return c.json({ decision: spec.decision });
  });
  routes.delete(`${agentApprovalsPath}/:name`, async (c) => {
    await approvals.withdraw(find(c).metadata.name);
    return c.body(null, 204);
  });
  routes.onError((error, c) => renderError(error, c));
  return { routes, close: () => closing.abort() };
}

async function readBody<T>(c: Asked, parse: (text: string) => T): Promise<T> {
  const body = await readObject(c.req.raw);
  try {
    return parse(JSON.stringify(body));
  } catch (cause) {
    throw new ApprovalRefused("invalid", cause instanceof Error ? cause.message : "the body has another shape", {
      cause,
    });
  }
}

function renderError(error: Error, c: Context): Response {
  if (error instanceof RestError) return render(c, error.status, error.error, error.message);
  if (!(error instanceof ApprovalRefused)) throw error;
  const { kind, message, decision } = error;
  return render(c, statuses[kind], kind, message, decision);
}

const maxMessageChars = 4_000;

function render(
  c: Context,
  status: ContentfulStatusCode,
  word: string,
  message: string,
  decision?: ApprovalDecision,
): Response {
  const body: ApprovalError = { error: word, message: message.slice(0, maxMessageChars), ...defined({ decision }) };
  if (status === 429 || status === 503) c.header("Retry-After", retryAfterSeconds);
  return c.json(body, status);
}
