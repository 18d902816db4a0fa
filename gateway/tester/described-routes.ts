// The routes of the tester as the OpenAPI document describes them: all of the lists from which they are served, with what they answer.
// Pure.
import * as z from "zod";
import { flag, inQuery, list, object, text, whole, words } from "../rest/described-route.ts";
import type { DescribedRoute, ErrorStatus, Method } from "../rest/described-route.ts";
import { callerRoutes } from "./caller-routes.ts";
import { exportFormats } from "./export.ts";
import { serverPrefix, transientPrefix, type RouteFacts } from "./route.ts";
import { callRoute, serverRoutes } from "./server-routes.ts";
import { transientRoutes } from "./transient-routes.ts";

const anything = { type: "object" };
/** Of the tested server, which may say more. */
const inItsWords = (properties: Record<string, object>) => ({ ...object(properties), additionalProperties: true });
const pageOf = (items: string) => inItsWords({ [items]: list(anything), nextCursor: text });
const done = object({ ok: flag });
const entries = object({
  entries: list(
    object({
      id: whole,
      timestamp: text,
      kind: words("notification", "progress"),
      server: text,
      tool: text,
      args: anything,
      response: text,
      latency_ms: whole,
      success: flag,
    }),
  ),
});
const question = inItsWords({
  id: text,
  serverName: text,
  kind: words("elicitation", "sampling"),
  createdAt: whole,
  expiresAt: whole,
});
const roots = object({ roots: list(object({ uri: text, name: text })) });

/** By the path, without what stands before it. */
const answers: Readonly<Record<string, object>> = {
  info: inItsWords({
    name: text,
    version: text,
    title: text,
    instructions: text,
    capabilities: anything,
    protocolVersion: text,
    era: text,
  }),
  tools: pageOf("tools"),
  resources: pageOf("resources"),
  "resource-templates": pageOf("resourceTemplates"),
  prompts: pageOf("prompts"),
  export: object({ format: words(...exportFormats), config: {} }),
  call: inItsWords({ content: list(anything), isError: flag }),
  "resource/read": inItsWords({ contents: list(anything) }),
  "resource/subscribe": done,
  "resource/unsubscribe": done,
  "prompt/get": inItsWords({ description: text, messages: list(anything) }),
  ping: object({ ok: flag, rtt_ms: whole }),
  "logging-level": object({ ok: flag, level: text }),
  roots,
  "logs/notifications": entries,
  "logs/progress": entries,
  elicitations: object({ entries: list(question) }),
  "elicitations/:question/respond": done,
  transient: object({
    handle: text,
    serverName: text,
    tools: list(anything),
    capabilities: anything,
    serverVersion: object({ name: text, version: text }),
    expiresAt: whole,
  }),
  "transient/:handle": done,
};

const parameters: Readonly<Record<string, object>> = {
  cursor: inQuery("cursor", text, "The nextCursor of the page before."),
  format: inQuery("format", words(...exportFormats), "Of which client. Default mcp-json."),
};

const methods: Readonly<Record<RouteFacts["method"], Method>> = {
  GET: "get",
  POST: "post",
  PUT: "put",
  DELETE: "delete",
};

type Described = RouteFacts & { schema?: z.ZodType };

/** Of what may ask the tested server. */
const serverErrors: readonly ErrorStatus[] = ["409", "429", "502", "503", "504"];
const bodyErrors: readonly ErrorStatus[] = ["400", "413", "415", "422"];

function describe(prefix: string, { method, path, role, summary, query = [], status, schema }: Described) {
  const answer = answers[path.replace(/^\/api\//, "")];
  const asksServer = prefix !== "" || path === "/api/transient";
  return {
    method: methods[method],
    path: `${prefix}${path}`.replaceAll(/:(\w+)/g, "{$1}"),
    summary,
    role,
    ...(status === 201 && { statuses: ["201"] as const }),
    ...(answer && { answer }),
    ...(schema && { body: renderBody(schema) }),
    query: query.flatMap((name) => parameters[name] ?? []),
    errors: [
      ...(schema === undefined ? [] : bodyErrors),
      ...(query.includes("format") ? (["422"] as const) : []),
      ...(asksServer ? serverErrors : []),
    ],
  } satisfies DescribedRoute;
}

function renderBody(schema: z.ZodType): object {
  const { $schema: _, ...body } = z.toJSONSchema(schema, { io: "input" });
  return body;
}

export const testerRoutes: readonly DescribedRoute[] = [
  ...[...callerRoutes, ...transientRoutes].map((route) => describe("", route)),
  ...serverRoutes.map((route) => describe(serverPrefix, route)),
  ...[...serverRoutes, callRoute].map((route) => describe(transientPrefix, route)),
];
