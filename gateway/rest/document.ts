// The OpenAPI 3.1 description of REST as the gateway serves it to who may see it. Each route of the application is in it, which a test
// checks, as it checks the document by the schema of the OpenAPI Initiative. Pure.
export const openApiPath = "/openapi.json";

type Method = "get" | "post" | "put" | "delete";

interface Route {
  method: Method;
  path: string;
  summary: string;
  /** Which the caller needs. */
  role: "viewer" | "caller" | "approver" | "operator" | "admin";
  status?: "200" | "201" | "501";
  answer: object;
  body?: object;
  query?: readonly object[];
  /** Beside 401 and 403, and 404 where the path names a server. */
  errors?: readonly string[];
}

const text = { type: "string" };
const whole = { type: "integer" };
const flag = { type: "boolean" };
const nullable = (type: string) => ({ type: [type, "null"] });
const list = (items: object) => ({ type: "array", items });
const object = (properties: Record<string, object>) => ({ type: "object", properties });
const words = (...values: string[]) => ({ type: "string", enum: values });
const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const inQuery = (name: string, schema: object, description: string) => ({ name, in: "query", description, schema });

const tool = object({ id: whole, server_id: whole, name: text, description: text, input_schema: { type: "object" } });
const server = {
  id: whole,
  name: text,
  title: nullable("string"),
  description: text,
  source: words("manual", "instance"),
  installed: flag,
  transport: words("stdio", "streamable-http"),
  command: nullable("string"),
  args: list(text),
  env: { type: "object", additionalProperties: text },
  homepage: nullable("string"),
  tags: list(text),
  package_name: nullable("string"),
  package_version: nullable("string"),
  active: flag,
  listed: flag,
  health_status: words("healthy", "unhealthy", "unknown"),
  last_health_check: nullable("string"),
  error_count: whole,
  tool_count: whole,
  created_at: nullable("string"),
};
const changes = {
  title: text,
  description: text,
  command: text,
  args: list(text),
  url: text,
  env: { type: "object", additionalProperties: text },
  tags: list(text),
};
const entry = object({
  id: whole,
  timestamp: text,
  kind: text,
  server: text,
  tool: text,
  args: {},
  response: nullable("string"),
  latency_ms: whole,
  success: flag,
  caller: text,
});
const failure = { ...object({ error: text, message: text }), required: ["error", "message"] };
const prereqs = object({ npx: flag, uvx: flag, docker: flag, uv: flag });
const difference = object({
  tool: text,
  change: words("added", "changed", "removed"),
  pinned_hash: nullable("string"),
  hash: nullable("string"),
  fields: { type: ["array", "null"], items: object({ field: text, old: {}, new: {} }) },
});

const at = "/api/servers/{id}";
const routes: readonly Route[] = [
  {
    method: "get",
    path: "/health",
    summary: "Whether it serves",
    role: "viewer",
    answer: object({ status: text, version: text, uptime: whole }),
  },
  { method: "get", path: openApiPath, summary: "This document", role: "viewer", answer: { type: "object" } },
  { method: "get", path: "/api/prereqs", summary: "What a server's command may be", role: "viewer", answer: prereqs },
  {
    method: "get",
    path: "/api/servers",
    summary: "The servers that the caller sees",
    role: "viewer",
    answer: list(refTo("Server")),
    query: [
      inQuery("query", text, "Words to find them by."),
      inQuery("source", text, "Only those of it."),
      inQuery("installed", text, "true: those alone."),
    ],
  },
  {
    method: "post",
    path: "/api/servers",
    summary: "Register a server",
    role: "admin",
    status: "201",
    answer: refTo("Server"),
    body: { ...object({ name: text, ...changes }), required: ["name"] },
    errors: ["400", "409", "413", "422", "502"],
  },
  { method: "get", path: at, summary: "A server with its tools", role: "viewer", answer: refTo("ServerWithTools") },
  {
    method: "put",
    path: at,
    summary: "Change a server",
    role: "admin",
    answer: refTo("Server"),
    body: object({ name: text, ...changes }),
    errors: ["400", "409", "413", "422", "502"],
  },
  {
    method: "delete",
    path: at,
    summary: "Remove a server",
    role: "admin",
    answer: object({ status: words("deleted") }),
    errors: ["409", "502"],
  },
  {
    method: "post",
    path: `${at}/activate`,
    summary: "Start it for everybody",
    role: "operator",
    answer: object({ status: words("activated", "already_active"), tool_count: whole }),
    errors: ["409", "502"],
  },
  {
    method: "post",
    path: `${at}/deactivate`,
    summary: "Stop it for everybody",
    role: "operator",
    answer: object({ status: words("deactivated", "not_active") }),
    errors: ["409", "502"],
  },
  {
    method: "post",
    path: `${at}/health`,
    summary: "Ask it now, within 5 s",
    role: "operator",
    answer: object({ status: words("healthy", "unhealthy"), latency_ms: whole, error: text }),
    errors: ["409", "502"],
  },
  {
    method: "post",
    path: `${at}/reset-errors`,
    summary: "Count errors from 0 again",
    role: "operator",
    answer: object({ status: words("reset") }),
  },
  {
    method: "post",
    path: `${at}/call`,
    summary: "Call a tool",
    role: "caller",
    answer: object({ content: list({ type: "object" }), isError: flag }),
    body: { ...object({ tool: text, args: { type: "object" } }), required: ["tool"] },
    errors: ["400", "409", "413", "422", "502", "504"],
  },
  {
    method: "get",
    path: `${at}/pins`,
    summary: "What changed of its tools since they were approved",
    role: "viewer",
    answer: object({ mode: words("off", "warn", "block"), tools_hash: text, pinned: whole, changes: list(difference) }),
  },
  {
    method: "post",
    path: `${at}/pins/approve`,
    summary: "Approve its tools as they were looked at",
    role: "approver",
    answer: object({ status: words("approved"), tools: list(text) }),
    body: { ...object({ tools_hash: text }), required: ["tools_hash"] },
    errors: ["400", "409", "413", "422"],
  },
  {
    method: "get",
    path: `${at}/metrics`,
    summary: "Calls of its tools",
    role: "viewer",
    answer: list(
      object({ tool_name: text, call_count: whole, error_count: whole, avg_latency_ms: whole, last_called_at: text }),
    ),
  },
  {
    method: "get",
    path: "/api/metrics",
    summary: "Calls by server",
    role: "viewer",
    answer: list(object({ server_name: text, total_calls: whole, total_errors: whole, avg_latency_ms: whole })),
  },
  {
    method: "get",
    path: "/api/status",
    summary: "Servers that are active",
    role: "viewer",
    answer: object({
      active_count: whole,
      servers: list(object({ name: text, tool_count: whole, tools: list(text) })),
    }),
  },
  {
    method: "get",
    path: "/api/logs",
    summary: "The last calls, newest first",
    role: "viewer",
    answer: object({ entries: list(entry), total: whole }),
    query: [
      inQuery("limit", { ...whole, default: 100 }, "Max entries (up to 500)."),
      inQuery("offset", { ...whole, default: 0 }, "Skip first N entries."),
    ],
    errors: ["422"],
  },
  {
    method: "delete",
    path: "/api/logs",
    summary: "Clear the log",
    role: "admin",
    answer: object({ status: words("cleared") }),
  },
  {
    method: "get",
    path: `${at}/secrets`,
    summary: "Not here: the cure",
    role: "admin",
    status: "501",
    answer: refTo("Failure"),
  },
  {
    method: "put",
    path: `${at}/secrets/{key}`,
    summary: "Not here: the cure",
    role: "admin",
    status: "501",
    answer: refTo("Failure"),
  },
  {
    method: "delete",
    path: `${at}/secrets/{key}`,
    summary: "Not here: the cure",
    role: "admin",
    status: "501",
    answer: refTo("Failure"),
  },
  {
    method: "get",
    path: "/api/browse",
    summary: "Not here: the cure",
    role: "viewer",
    status: "501",
    answer: refTo("Failure"),
  },
];

const errorWords: Readonly<Record<string, string>> = {
  "400": "The body is no JSON object.",
  "401": "No token, or none that is believed.",
  "403": "The role is too low, or the instance does not allow it.",
  "404": "There is no such server, or it is not for the caller; or it offers no such tool.",
  "409": "A name that is taken, a server that is not active, or one that was changed meanwhile.",
  "413": "The body is too large.",
  "422": "A field is wrong or missing.",
  "502": "The server, or the API server, did not answer.",
  "504": "The server took too long.",
};

const json = (description: string, schema: object) => ({ description, content: { "application/json": { schema } } });
const inPath = { id: "Its name, or its number.", key: "Name of the variable." };

function renderOperation({ path, summary, role, status = "200", answer, body, query = [], errors = [] }: Route) {
  const named = Object.entries(inPath).filter(([name]) => path.includes(`{${name}}`));
  const failures = ["401", "403", ...(named.length > 0 ? ["404"] : []), ...errors];
  return {
    summary,
    description: `Takes the role ${role}.`,
    parameters: [
      ...named.map(([name, description]) => ({ name, in: "path", required: true, description, schema: text })),
      ...query,
    ],
    ...(body && { requestBody: { required: true, content: json("", body).content } }),
    responses: {
      [status]: json("The answer.", answer),
      ...Object.fromEntries(failures.map((each) => [each, json(errorWords[each] ?? "", refTo("Failure"))])),
    },
  };
}

export function renderOpenApi(version: string) {
  const paths: Record<string, Partial<Record<Method, object>>> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method] = renderOperation(route);
  const single = object({ ...server, tools: list(tool) });
  return {
    openapi: "3.1.0",
    info: { title: "Pallas gateway", version, description: "The tool servers of an instance." },
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      schemas: { Server: object(server), ServerWithTools: single, Failure: failure },
    },
  };
}
