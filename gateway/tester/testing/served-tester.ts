// A tester over real HTTP whose callers say by a header who they are: name and role, as a middleware before it would have found.
import { Hono, type Context } from "hono";
import { onTestFinished } from "vitest";
import * as z from "zod";
import { roles, type PersonIdentity, type Role } from "../../../lib/auth/roles.ts";
import { systemClock, type Clock } from "../../../lib/process/clock.ts";
import { McpError } from "../../../lib/mcp/mcp-error.ts";
import { listen } from "../../../lib/process/http-server.ts";
import { createLogger } from "../../../lib/process/log.ts";
import type { GatewayRoutes } from "../../name-caller.ts";
import { openPolicy, permitFor } from "../../policy/testing/open-policy.ts";
import { needs, renderError, RestError } from "../../rest/answers.ts";
import { noCommands } from "../command-servers.ts";
import type { HeardEntry } from "../sessions.ts";
import { createTester, type TestedServer, type Tester, type TesterParts } from "../tester.ts";

export interface Asking {
  method?: string;
  body?: unknown;
  as?: string;
  role?: Role | "agent";
  headers?: Record<string, string>;
}

export interface ServedTester {
  /** Status and JSON. */
  ask(path: string, asking?: Asking): Promise<{ status: number; body: Record<string, unknown> }>;
  url: string;
  entries: HeardEntry[];
  close(): Promise<void>;
}

export const addressOf = (url: string, headers: Record<string, string> = {}): TestedServer["address"] => ({
  url,
  headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
  forwardInboundAuth: false,
});

/** @param servers by name */
export async function serveTester(
  servers: Record<string, TestedServer["address"]>,
  parts: Partial<TesterParts> & { clock?: Clock } = {},
): Promise<ServedTester> {
  const entries: ServedTester["entries"] = [];
  const tester = createTester({
    policy: openPolicy(),
    findServer: (name) => {
      const address = servers[name];
      return address && { name, address, offers: (tool) => tool !== "hidden" };
    },
    commands: noCommands(422, "commands are not run here"),
    onEntry: (heard) => void entries.push(heard),
    version: "1",
    clock: systemClock,
    ...parts,
  });
  const app = new Hono<GatewayRoutes>();
  app.use(async (c, next) => {
    const role = roles.find((each) => each === c.req.header("x-role"));
    const subject = c.req.header("x-subject") ?? "alice";
    const person: PersonIdentity = { kind: "person", subject, name: subject, groups: [], ...(role && { role }) };
    const servers = c.req.header("x-servers");
    c.set(
      "caller",
      c.req.header("x-role") === "agent"
        ? { kind: "agent", subject, agent: "clerk", name: "agent:clerk" }
        : { ...person, ...(servers && { servers: [servers] }) },
    );
    await next();
  });
  app.post("/api/servers/:id/call", needs("caller"), (c) => callAsRest(c, tester));
  app.route("/", tester.routes);
  const log = createLogger({ logger: "test", level: "ERROR" });
  const server = await listen(app.fetch, { port: 0, hostname: "127.0.0.1", log, deadlineMs: 60_000 });
  const close = async () => {
    await tester.close();
    await server.close({ graceMs: 0 });
  };
  onTestFinished(close);
  return {
    url: server.url,
    entries,
    close,
    async ask(path, { method, body, as = "alice", role = "caller", headers = {} } = {}) {
      const answer = await fetch(`${server.url}${path}`, {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: {
          "x-subject": as,
          "x-role": role,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const answered: unknown = await answer.json();
      return { status: answer.status, body: Object(answered) };
    },
  };
}

const callBody = z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()).optional() });

/** What REST does with a call of a server of the instance, and no more. */
async function callAsRest(c: Context<GatewayRoutes>, tester: Tester): Promise<Response> {
  const { tool, args = {} } = callBody.parse(await c.req.json());
  try {
    const result = await tester.callTool({
      permit: await permitFor(c.req.param("id") ?? "", tool, args),
      caller: c.get("caller"),
      authorization: c.req.header("authorization"),
      idleTimeoutMs: 60_000,
      signal: c.req.raw.signal,
    });
    return c.json(result);
  } catch (error) {
    if (error instanceof McpError) return c.json({ error: error.kind, message: error.tell(), code: error.code }, 502);
    if (error instanceof RestError) return renderError(error, c);
    throw error;
  }
}
