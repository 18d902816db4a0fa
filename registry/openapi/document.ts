// The OpenAPI 3.1 description of everything the registry serves, as data. Each route of the application is in it, which
// a test checks, as it checks real answers against it.
import { cataloguePath } from "../../crds/catalogue.ts";
import { aiCatalogPath } from "../../crds/server-card.ts";
import { limitDefault, limitMax, searchLimitChars } from "../servers/query.ts";
import { schemas } from "./schemas.ts";

export const openApiPath = "/openapi.json";

type SchemaName = keyof typeof schemas;

const json = (schema: SchemaName, description: string) => ({
  description,
  content: { "application/json": { schema: { $ref: `#/components/schemas/${schema}` } } },
});
const failure = (description: string) => json("Failure", description);
const plain = (type: string, description: string) => ({
  description,
  content: { [type]: { schema: { type: "string" } } },
});

const notModified = { description: "What If-None-Match names is still so." };
const notSynced = failure("The resources are not read yet; ask again after Retry-After.");
const refused = failure("Host or Origin is not on the allow-list.");

/** A GET; HEAD and OPTIONS are served at each of them too. */
const read = (summary: string, responses: Record<string, object>, parameters: readonly object[] = []) => ({
  get: { summary, ...(parameters.length > 0 && { parameters }), responses: { ...responses, "403": refused } },
});

const query = (name: string, description: string, schema: object) => ({
  name,
  in: "query",
  required: false,
  description,
  schema,
});
const path = (name: string, description: string) => ({
  name,
  in: "path",
  required: true,
  description,
  schema: { type: "string" },
});
const includeDeleted = query("include_deleted", "Also those that went since the registry started.", {
  type: "boolean",
});

const listParameters = [
  query(
    "cursor",
    "nextCursor of the page before. It carries the whole question; of the other parameters only limit counts with it.",
    {
      type: "string",
    },
  ),
  query("limit", "Most servers of a page.", { type: "integer", minimum: 1, maximum: limitMax, default: limitDefault }),
  query("search", "Part of name, title or description, in any case.", { type: "string", maxLength: searchLimitChars }),
  query("updated_since", "Those that changed at this time or later, those that went among them.", {
    type: "string",
    format: "date-time",
  }),
  query("version", "latest, or a version.", { type: "string" }),
  includeDeleted,
];

const refuseWrite = (summary: string) => ({
  summary: `${summary}: not in this registry, which is read-only`,
  responses: { "403": refused, "501": failure("This registry is read-only.") },
});

/** Names come with their slash encoded, or as they are. */
const names = [
  { path: "{name}", parameters: [path("name", "Name of a server, its slash as %2F.")] },
  {
    path: "{namespace}/{slug}",
    parameters: [path("namespace", "A server's name before the slash."), path("slug", "A server's name after it.")],
  },
];
const version = path("version", "A version, or latest.");

function renderServerPaths(prefix: string): Record<string, object> {
  const found = {
    "304": notModified,
    "404": failure("There is no such server, or no such version."),
    "503": notSynced,
  };
  const paths: Record<string, object> = {
    [`${prefix}/servers`]: read(
      "The servers, page by page",
      {
        "200": json("ServerList", "A page."),
        "304": notModified,
        "400": failure("A parameter is malformed."),
        "503": notSynced,
      },
      listParameters,
    ),
    [`${prefix}/publish`]: { post: refuseWrite("Publish a server") },
  };
  for (const name of names) {
    const server = `${prefix}/servers/${name.path}`;
    paths[`${server}/versions`] = read(
      "The versions of a server; there is one",
      { "200": json("ServerList", "All of them."), ...found },
      [...name.parameters, includeDeleted],
    );
    paths[`${server}/versions/{version}`] = {
      ...read("One version of a server", { "200": json("ServerResponse", "The server."), ...found }, [
        ...name.parameters,
        version,
        includeDeleted,
      ]),
      put: { ...refuseWrite("Edit a version"), parameters: [...name.parameters, version] },
      delete: { ...refuseWrite("Delete a version"), parameters: [...name.parameters, version] },
    };
    paths[`${server}/versions/{version}/status`] = {
      patch: { ...refuseWrite("Set a version's status"), parameters: [...name.parameters, version] },
    };
    paths[`${server}/status`] = { patch: { ...refuseWrite("Set a server's status"), parameters: name.parameters } };
  }
  return paths;
}

export const openApi = {
  openapi: "3.1.0",
  info: {
    title: "Pallas registry",
    version: "v1",
    description:
      "The catalogue of an instance's agents, in the formats of several clients, with their health and metrics.",
  },
  paths: {
    "/": read("Status page", { "200": plain("text/html; charset=utf-8", "The page.") }),
    [cataloguePath]: read("The catalogue", {
      "200": json("Catalogue", "One entry per agent."),
      "304": notModified,
      "503": notSynced,
    }),
    [aiCatalogPath]: read("Where each agent's server card is", {
      "200": json("AiCatalog", "One entry per agent."),
      "304": notModified,
      "503": notSynced,
    }),
    ...renderServerPaths("/v0.1"),
    ...renderServerPaths("/v0"),
    "/healthz": read("The registry's health, and each instance's providers", { "200": json("Health", "As it is.") }),
    "/livez": read("Whether the process lives", { "200": json("Probe", "It does.") }),
    "/readyz": read("Whether to send requests", { "200": json("Probe", "Yes."), "503": json("Probe", "Not now.") }),
    "/metrics": read("Series for Prometheus", {
      "200": plain("text/plain; version=0.0.4; charset=utf-8", "Text format."),
    }),
    [openApiPath]: read("This document", {
      "200": { description: "It.", content: { "application/json": { schema: { type: "object" } } } },
      "304": notModified,
    }),
  },
  components: { schemas },
};
