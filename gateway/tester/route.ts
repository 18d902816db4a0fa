// What a route of the tester is: data, from which it is served, checked and described. One that is about a server is served for
// servers of the instance and for transient ones alike.
import type * as z from "zod";
import type { Identity, Role } from "../../lib/auth/roles.ts";
import type { Judged } from "../policy/judged-call.ts";
import { readBody } from "./body.ts";
import type { Exported } from "./export.ts";
import type { Session } from "./session.ts";
import type { Sessions } from "./sessions.ts";

export interface Asked {
  caller: Identity;
  sessions: Sessions;
  query(name: string): string | undefined;
  /** A part of the path that the route names. */
  path(name: string): string;
  /** Aborts when the caller has gone. */
  signal: AbortSignal;
}

/** With the server that the path names. */
export interface AskedOf extends Asked {
  /** Of its session. */
  key: string;
  /** How clients reach it. */
  exported: Exported;
  /** Whether its tool of this name may be seen and called. */
  offers(tool: string): boolean;
  /** The caller's session with it, opened where there is none. Throws TesterProblem where it cannot be reached now. */
  session(): Session;
}

/** With the judgement of the gateway's policy. */
export interface AskedOfJudged extends AskedOf {
  /** Rejects where the call is denied. */
  judge(tool: string, args: Record<string, unknown>): Promise<Judged>;
}

/** Before the routes about a server of the instance, and about a transient one. */
export const serverPrefix = "/api/servers/:id/";
export const transientPrefix = "/api/transient/:handle/";

export interface RouteFacts {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** As hono writes it; of a route about a server what stands after the server. */
  path: string;
  role: Role;
  summary: string;
  /** Query parameters. */
  query?: readonly string[];
  /** 200 unless said. */
  status?: 201;
}

export interface Route<Context extends Asked> extends RouteFacts {
  /** Of its body, where it takes one. */
  schema?: z.ZodType;
  answer(asked: Context, request: Request): Promise<object>;
}

type Answer = Promise<object> | object;

/** A route without a body. */
export const reads = <Context extends Asked>(facts: RouteFacts, run: (asked: Context) => Answer): Route<Context> => ({
  ...facts,
  answer: async (asked) => run(asked),
});

export const takes = <Context extends Asked, Body>(
  facts: RouteFacts,
  schema: z.ZodType<Body>,
  run: (asked: Context, body: Body) => Answer,
): Route<Context> => ({
  ...facts,
  schema,
  answer: async (asked, request) => run(asked, await readBody(request, schema)),
});
