// The OpenAPI 3.1 description of all that the gateway serves as JSON over HTTP: tool servers, the tester, and the directory. Each route of
// these is in it, which a test checks, as it checks the document by the schema of the OpenAPI Initiative. MCP endpoints and the
// WebSocket have descriptions of their own kind, and are not in it. Pure.
import { directoryRoutes, directorySchemas } from "../directory/described-routes.ts";
import { testerRoutes } from "../tester/described-routes.ts";
import { browseRoutes } from "./described-browse.ts";
import { object, refTo, text, type DescribedRoute, type ErrorStatus, type Method } from "./described-route.ts";
import { restRoutes, restSchemas } from "./described-routes.ts";

const failure = { ...object({ error: text, message: text }), required: ["error", "message"] };

const errorWords: Readonly<Record<ErrorStatus, string>> = {
  "400":
    "The request is not as it must be: a body that is no JSON object, a query that is not understood, or a server that cannot be started as it is.",
  "401": "No token, or none that is believed.",
  "403": "The role is too low, it belongs to somebody else, or the instance does not allow it.",
  "404": "There is no such thing, or it is not for the caller.",
  "409": "A name that is taken, a server that is not active, or what was changed meanwhile.",
  "413": "The body is too large.",
  "415": "The body is not sent as application/json.",
  "422": "A field is wrong or missing.",
  "429": "Too many requests of the caller are running.",
  "501": "Not switched on here: the message has the cure.",
  "502": "The server, or the API server, did not answer, or answered with an error.",
  "503": "Not now: come again later.",
  "504": "The server took too long.",
  "507": "The directory is full.",
};

const json = (description: string, schema: object) => ({ description, content: { "application/json": { schema } } });
const inPath: Readonly<Record<string, string>> = {
  id: "Its name or its number; in the directory, its id.",
  key: "Name of the variable.",
  handle: "What opening it answered.",
  question: "Id of the question.",
  endpointId: "Id of the endpoint.",
};

function renderOperation(route: DescribedRoute) {
  const { path, summary, role, statuses = ["200"], answer, body, query = [], errors = [] } = route;
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const failures: ErrorStatus[] = ["401", "403", ...(named.length > 0 ? (["404"] as const) : []), ...errors];
  const answered = answer === undefined ? { description: "Done." } : json("The answer.", answer);
  return {
    summary,
    description: `Takes the role ${role}.`,
    ...(route.mayBePublic === true && { security: [{ bearer: [] }, {}] }),
    parameters: [
      ...named.map((name) => ({
        ...{ name, in: "path", required: true, description: inPath[name] ?? "", schema: text },
      })),
      ...query,
    ],
    ...(body && { requestBody: { required: true, content: json("", body).content } }),
    responses: {
      ...Object.fromEntries(statuses.map((status) => [status, answered])),
      ...Object.fromEntries(failures.map((each) => [each, json(errorWords[each], refTo("Failure"))])),
    },
  };
}

export function renderOpenApi(version: string) {
  const paths: Record<string, Partial<Record<Method, object>>> = {};
  for (const route of [...restRoutes, ...browseRoutes, ...testerRoutes, ...directoryRoutes]) {
    (paths[route.path] ??= {})[route.method] = renderOperation(route);
  }
  return {
    openapi: "3.1.0",
    info: { title: "Pallas gateway", version, description: "The tool servers of an instance, and its directory." },
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      schemas: { ...restSchemas, ...directorySchemas, Failure: failure },
    },
  };
}
