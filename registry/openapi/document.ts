// The OpenAPI 3.1 description of everything the registry serves. Each route of the application is in it, which a test
// checks, as it checks real answers against it; its schemas and parameters are those that the routes' own code has.
import { cataloguePath } from "../../crds/catalogue.ts";
import { aiCatalogPath } from "../../crds/server-card.ts";
import { serverParameters } from "../servers/query.ts";
import { refTo, renderParameters, renderSchemas, type Parameter, type SchemaName } from "./schemas.ts";

export const openApiPath = "/openapi.json";

interface Operation {
  summary: string;
  responses: Record<string, object>;
  /** Those in the path come from the path. */
  parameters?: readonly Parameter[];
}
type Paths = Record<string, Partial<Record<"get" | "put" | "post" | "delete" | "patch", Operation>>>;

const answer = (type: string, description: string, schema: object) => ({
  description,
  content: { [type]: { schema } },
});
const json = (name: SchemaName, description: string) => answer("application/json", description, { $ref: refTo(name) });
const failure = (description: string) => json("Failure", description);
const page = (type: string, description: string) => answer(`${type}; charset=utf-8`, description, { type: "string" });

const refused = failure("Host or Origin is not on the allow-list.");
const notModified = { description: "Not modified since the version that If-None-Match names." };
const listing = (name: SchemaName, description: string) => ({
  "200": json(name, description),
  "304": notModified,
  "503": failure("The resources are not read yet; ask again after Retry-After."),
});

/** HEAD and OPTIONS are served at each of them too. */
const read = (summary: string, responses: Record<string, object>, parameters: readonly Parameter[] = []) => ({
  get: { summary, responses, parameters },
});
const refuseWrite = (summary: string): Operation => ({
  summary: `${summary}: not in this registry, which is read-only`,
  responses: { "501": failure("This registry is read-only.") },
});

const inPath: Readonly<Record<string, string>> = {
  name: "Name of a server, its slash as %2F.",
  namespace: "A server's name before the slash.",
  slug: "A server's name after it.",
  version: "A version, or latest.",
};
const describePath = (path: string): Parameter[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    description: inPath[name] ?? "",
    schema: { type: "string" },
  }));

function renderServerPaths(prefix: string): Paths {
  const query = renderParameters(serverParameters);
  const includeDeleted = query.filter(({ name }) => name === "include_deleted");
  const notFound = { "404": failure("There is no such server, or no such version.") };
  const malformed = { "400": failure("A parameter is malformed.") };
  const paths: Paths = {
    "/servers": read("The servers, page by page", { ...listing("ServerList", "A page."), ...malformed }, query),
    "/publish": { post: refuseWrite("Publish a server") },
  };
  // Names come with their slash encoded, or as they are.
  for (const server of ["/servers/{name}", "/servers/{namespace}/{slug}"]) {
    const versions = { ...listing("ServerList", "All of them."), ...notFound };
    const version = { ...listing("ServerResponse", "The server."), ...notFound };
    paths[`${server}/versions`] = read("The versions of a server; there is one", versions, includeDeleted);
    paths[`${server}/versions/{version}`] = {
      ...read("One version of a server", version, includeDeleted),
      put: refuseWrite("Edit a version"),
      delete: refuseWrite("Delete a version"),
    };
    paths[`${server}/versions/{version}/status`] = { patch: refuseWrite("Set a version's status") };
    paths[`${server}/status`] = { patch: refuseWrite("Set a server's status") };
  }
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [prefix + path, item]));
}

const renderPaths = (): Paths => ({
  "/": read("Status page", { "200": page("text/html", "The page.") }),
  [cataloguePath]: read("The catalogue", listing("Catalogue", "One entry per agent.")),
  [aiCatalogPath]: read("Where each agent's server card is", listing("AiCatalog", "One entry per agent.")),
  ...renderServerPaths("/v0.1"),
  ...renderServerPaths("/v0"),
  "/healthz": read("The registry's health, and each instance's providers", { "200": json("Health", "As it is.") }),
  "/livez": read("Whether the process lives", { "200": json("Probe", "It does.") }),
  "/readyz": read("Whether to send requests", { "200": json("Probe", "Yes."), "503": json("Probe", "Not now.") }),
  "/metrics": read("Series for Prometheus", { "200": page("text/plain; version=0.0.4", "Text format.") }),
  [openApiPath]: read("This document", {
    "200": answer("application/json", "It.", { type: "object" }),
    "304": notModified,
  }),
});

/** Each operation with the parameters of its path, and with what the Host and Origin guard answers. */
const completeItem = (path: string, item: Paths[string]) =>
  Object.fromEntries(
    Object.entries(item).map(([method, { summary, responses, parameters = [] }]) => [
      method,
      {
        summary,
        parameters: [...describePath(path), ...parameters],
        responses: { ...responses, "403": refused },
      },
    ]),
  );

export const renderOpenApi = () => ({
  openapi: "3.1.0",
  info: {
    title: "Pallas registry",
    version: "v1",
    description:
      "The catalogue of an instance's agents, in the formats of several clients, with their health and metrics.",
  },
  paths: Object.fromEntries(Object.entries(renderPaths()).map(([path, item]) => [path, completeItem(path, item)])),
  components: { schemas: renderSchemas() },
});
