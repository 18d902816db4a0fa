// The tester: what people try MCP servers with, over HTTP. Who may do what, which server a path means, and how what goes wrong is
// answered; what is asked of a server is in the lists of routes. Whatever a server said or asked is shown to the one caller whose
// session it is.
import { Hono, type Context } from "hono";
import { requireRole, type Identity } from "../../lib/auth/roles.ts";
import { createMemoryBudget, deriveBudgetBytes } from "../../lib/process/memory-budget.ts";
import type { CallResult } from "../../lib/mcp/connect.ts";
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import { McpError } from "../../lib/mcp/mcp-error.ts";
import type { OpenFetch } from "../../lib/mcp/safe-fetch.ts";
import type { Clock } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import { seesServer } from "../management/access.ts";
import type { GatewayRoutes } from "../name-caller.ts";
import { notFound, renderError } from "../rest/answers.ts";
import { requestWaitMs } from "../policy/asked-people.ts";
import type { GatewayPolicy } from "../policy/gateway-policy.ts";
import type { Permit } from "../policy/judged-call.ts";
import type { PlainAddress } from "../state/servers.ts";
import { callerRoutes } from "./caller-routes.ts";
import type { CommandServers } from "./command-servers.ts";
import { toExported } from "./export.ts";
import { TesterProblem } from "./problem.ts";
import { serverPrefix, transientPrefix, type Asked, type AskedOf, type AskedOfJudged, type Route } from "./route.ts";
import { callLimits, callRoute, serverRoutes } from "./server-routes.ts";
import type { Target } from "./session.ts";
import { Sessions, type HeardEntry, type SessionBounds } from "./sessions.ts";
import { transientRoutes, type AskedOfTransients } from "./transient-routes.ts";
import { transientKey, Transients, type TransientBounds } from "./transients.ts";

/** A server of the instance as the tester sees it. */
export interface TestedServer {
  readonly name: string;
  /** Where it is called; else why it cannot be now. */
  readonly address: PlainAddress | { readonly problem: string; readonly status: 409 | 503 };
  /** Whether its tool of this name is offered. */
  offers(tool: string): boolean;
}

export interface TesterParts {
  policy: Pick<GatewayPolicy, "judge">;
  /** By its name or its number. */
  findServer(idOrName: string, caller: Identity): TestedServer | undefined;
  commands: CommandServers;
  /** Hears of everything that was asked, and that servers said. */
  onEntry: (heard: HeardEntry) => void;
  version: string;
  clock: Clock;
  openFetch?: OpenFetch | undefined;
  bounds?: { sessions?: SessionBounds; transients?: TransientBounds; connectTimeoutMs?: number };
}

export interface SessionCall {
  /** For a tool of a server of the instance, with the arguments. */
  permit: Permit;
  caller: Identity;
  /** The Authorization header of a caller whose token may go on. */
  authorization: string | undefined;
  idleTimeoutMs: number;
  signal: AbortSignal;
}

export interface Tester {
  routes: Hono<GatewayRoutes>;
  /**
   * Calls a tool of a server of the instance in the caller's own session, so that what the server asks can be answered by hand. Who
   * may, and what is kept of it, is for whoever serves such calls. Rejects with McpError, or RestError where there is no session.
   */
  callTool(call: SessionCall): Promise<CallResult>;
  /** Ends all sessions, and what transient servers stand on. */
  close(): Promise<void>;
}

const defaultConnectTimeoutMs = 10_000;

type Gateway = Context<GatewayRoutes>;

export function createTester(parts: TesterParts): Tester {
  const { clock, onEntry, version: clientVersion, openFetch, bounds = {} } = parts;
  const memory = createMemoryBudget(deriveBudgetBytes());
  const { connectTimeoutMs = defaultConnectTimeoutMs } = bounds;
  const connect = { clientName: "pallas-tester", clientVersion, connectTimeoutMs, memory, openFetch };
  const sessions = new Sessions({ connect, clock, onEntry, bounds: bounds.sessions });
  const transients = new Transients({ sessions, commands: parts.commands, clock, bounds: bounds.transients });
  const routes = new Hono<GatewayRoutes>();
  routes.onError(renderError);
  const asked = (c: Gateway): Asked => ({
    caller: c.get("caller"),
    sessions,
    query: (name) => c.req.query(name),
    path: (name) => c.req.param(name) ?? "",
    signal: c.req.raw.signal,
  });
  const place = { sessions, parts, transients };
  for (const route of callerRoutes) serve(routes, route, route.path, asked);
  for (const route of transientRoutes) {
    serve(routes, route, route.path, (c): AskedOfTransients => ({ ...asked(c), transients }));
  }
  for (const route of serverRoutes) {
    serve(routes, route, `${serverPrefix}${route.path}`, (c) => ({
      ...asked(c),
      ...findServer({ id: c.req.param("id") ?? "", ...whoAsks(c) }, place),
    }));
  }
  for (const route of [...serverRoutes, callRoute]) {
    serve(routes, route, `${transientPrefix}${route.path}`, (c): AskedOfJudged => {
      const found = { ...asked(c), ...findTransient(c, place) };
      return { ...found, judge: (tool, args) => judge(parts, found, tool, args) };
    });
  }
  return {
    routes,
    async callTool({ permit: { server, tool, args }, caller, authorization, idleTimeoutMs, signal }) {
      const session = findServer({ id: server, caller, authorization }, place).session();
      const limits = { ...callLimits, idleTimeoutMs };
      try {
        return await session.use(async (inspection) => {
          const called = await inspection.callTool(tool, args, { signal, ...limits });
          const { content, isError, structuredContent: structured, _meta: meta } = called;
          const structuredContent = isJsonObject(structured) ? structured : undefined;
          return { content, ...defined({ isError, structuredContent, meta }) };
        }, signal);
      } catch (error) {
        throw error instanceof TesterProblem && error.cause instanceof McpError ? error.cause : error;
      }
    },
    async close() {
      parts.commands.close();
      await transients.close();
      await sessions.close();
    },
  };
}

function serve<Of extends Asked>(app: Hono<GatewayRoutes>, route: Route<Of>, path: string, of: (c: Gateway) => Of) {
  app.on(route.method, path, async (c) => {
    // Each request to a server has deadlines of its own.
    c.env.deadline?.restart(undefined);
    const refusal = requireRole(c.get("caller"), route.role);
    if (refusal !== undefined) throw new TesterProblem(403, refusal.message);
    return c.json(await route.answer(of(c), c.req.raw), route.status ?? 200);
  });
}

/** Of a transient server nobody has listed what its tools are; its key is a name that no server of the instance has. */
const judge = (
  { policy }: TesterParts,
  { key, caller, signal }: AskedOf,
  tool: string,
  args: Record<string, unknown>,
) =>
  policy.judge({
    ...{ server: key, definition: { name: tool, inputSchema: { type: "object" } }, args },
    ...{ identity: caller, signal, waitMs: requestWaitMs },
  });

type Found = Pick<AskedOf, "key" | "exported" | "offers" | "session">;

interface Places {
  sessions: Sessions;
  parts: TesterParts;
  transients: Transients;
}

interface Wanted {
  id: string;
  caller: Identity;
  authorization: string | undefined;
}

const whoAsks = (c: Gateway) => ({ caller: c.get("caller"), authorization: c.req.header("authorization") });

/** What somebody may not see reads like what is not there. */
function findServer({ id, caller, authorization }: Wanted, { sessions, parts }: Places): Found {
  const server = parts.findServer(id, caller);
  if (server === undefined || !seesServer(caller, server.name)) throw notFound(id);
  const { name, address, offers } = server;
  const key = `servers/${name}`;
  if ("problem" in address) {
    const fail = (): never => {
      throw new TesterProblem(address.status, address.problem);
    };
    return { key, offers, session: fail, exported: { name, url: "", headers: [] } };
  }
  const target = toTarget(name, address, authorization);
  return {
    key,
    offers,
    exported: toExported(name, address),
    session: () => sessions.open(caller.subject, key, target),
  };
}

function toTarget(
  name: string,
  { url, headers, forwardInboundAuth }: PlainAddress,
  bearer: string | undefined,
): Target {
  const forwarded = forwardInboundAuth ? defined({ Authorization: bearer }) : {};
  return {
    name,
    url,
    headers: { ...forwarded, ...Object.fromEntries(headers.map((each) => [each.name, each.value])) },
  };
}

function findTransient(c: Gateway, { sessions, transients }: Places): Found {
  const { subject } = c.get("caller");
  const handle = c.req.param("handle") ?? "";
  const found = transients.find(subject, handle);
  if (found === undefined) throw new TesterProblem(404, "you have no transient server of this handle");
  const key = transientKey(handle);
  return {
    key,
    offers: () => true,
    exported: found.exported,
    session: () => sessions.open(subject, key, found.target),
  };
}
