// How browsing is described for the OpenAPI document (DSC-7). Pure.
import { flag, inQuery, list, nullable, object, text, whole, words, type DescribedRoute } from "./described-route.ts";

const variable = object({ name: text, description: text, required: flag, secret: flag });
const published = object({
  name: text,
  title: text,
  description: text,
  version: text,
  repository: nullable("string"),
  source: text,
  tags: list(text),
  packages: list(
    object({
      registry_name: words("npm", "pypi", "oci", "remote"),
      name: text,
      version: text,
      runtime: words("node", "python", "docker", "streamable-http", "sse"),
      license: nullable("string"),
      command: nullable("string"),
      args: list(text),
      env: list(variable),
      headers: list(variable),
      missing_args: list(text),
    }),
  ),
});
const browsedSource = object({
  name: text,
  kind: words("mcp-registry", "npm", "pypi"),
  status: words("ok", "failed"),
  count: whole,
  error: text,
  left_out: whole,
});

export const browseRoutes: readonly DescribedRoute[] = [
  {
    method: "get",
    path: "/api/browse",
    summary: "Servers that the configured sources publish; 501 where none is configured",
    role: "viewer",
    answer: object({ servers: list(published), next_cursor: nullable("string"), sources: list(browsedSource) }),
    query: [
      inQuery("query", text, "Search term."),
      inQuery("limit", { ...whole, default: 20 }, "Max results (up to 100)."),
      inQuery("cursor", text, "Pagination cursor: next_cursor of the answer before."),
    ],
    errors: ["422", "429", "501"],
  },
];
