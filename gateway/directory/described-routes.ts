// The routes of the directory as the OpenAPI document describes them. Pure.
import { protocols, transports } from "../../crds/registration.ts";
import { flag, inQuery, list, nullable, object, refTo, text, whole, words } from "../rest/described-route.ts";
import type { DescribedRoute } from "../rest/described-route.ts";
import { maxPageSize } from "./discover.ts";

const capability = object({ id: text, name: text, description: nullable("string"), tags: list(text) });
const endpoint = object({
  id: text,
  name: text,
  transport: words(...transports),
  protocol: words(...protocols),
  address: text,
  livenessModel: words("Persistent", "Ephemeral", "Readiness"),
  ttlSeconds: nullable("integer"),
  heartbeatIntervalSeconds: nullable("integer"),
  isLive: flag,
  liveness: words("live", "dead", "unknown"),
  protocolMetadata: nullable("string"),
});
const agent = object({
  id: text,
  name: text,
  description: nullable("string"),
  ownerId: nullable("string"),
  labels: { type: "object", additionalProperties: text },
  capabilities: list(capability),
  endpoints: list(refTo("Endpoint")),
  createdAt: nullable("string"),
  updatedAt: nullable("string"),
});
/** Whatever its server published, and two facts. */
const card = {
  ...object({ id: text, isLive: flag }),
  required: ["id", "isLive"],
  description: "The card as it was registered, byte for byte, with id and isLive in it.",
};
export const directorySchemas = { Agent: agent, Endpoint: endpoint, ServerCard: card };

const pageOf = (item: string) =>
  object({
    items: list(refTo(item)),
    totalCount: whole,
    page: whole,
    pageSize: whole,
    totalPages: whole,
    hasNextPage: flag,
    hasPreviousPage: flag,
  });

const submittedEndpoint = {
  ...object({
    name: text,
    transport: words(...transports),
    protocol: words(...protocols),
    address: text,
    livenessModel: words("Persistent", "Ephemeral"),
    ttlSeconds: nullable("integer"),
    heartbeatIntervalSeconds: nullable("integer"),
    protocolMetadata: nullable("string"),
  }),
  required: ["name", "transport", "protocol", "address", "livenessModel"],
};
const submittedCapability = {
  ...object({ name: text, description: nullable("string"), tags: list(text) }),
  required: ["name"],
};
const submittedAgent = {
  ...object({
    name: text,
    description: nullable("string"),
    labels: { type: "object", additionalProperties: text },
    capabilities: list(submittedCapability),
    endpoints: list(submittedEndpoint),
  }),
  required: ["name"],
};
const submittedCard = { ...object({ serverCard: { type: "object" } }), required: ["serverCard"] };

const filters = [
  inQuery("capability", text, "Name of a capability."),
  inQuery("tags", text, "With commas between them; all of them."),
  inQuery("protocol", words(...protocols), "Of an endpoint."),
  inQuery("transport", words(...transports), "Of an endpoint."),
  inQuery("liveOnly", { ...flag, default: true }, "Only what has a live endpoint."),
  inQuery("page", { ...whole, minimum: 1, default: 1 }, "From 1."),
  inQuery("pageSize", { ...whole, minimum: 1, maximum: maxPageSize, default: 20 }, "Of one page."),
];

const bodyErrors = ["400", "409", "413", "415", "422", "503"] as const;
const read = { method: "get", role: "viewer" } as const;
const at = "/agents/{id}";
const endpointAt = `${at}/endpoints/{endpointId}`;

export const directoryRoutes: readonly DescribedRoute[] = [
  {
    ...read,
    path: "/discover/agents",
    summary: "What is registered, and the instance's own",
    query: filters,
    answer: pageOf("Agent"),
    errors: ["400"],
    mayBePublic: true,
  },
  {
    ...read,
    path: "/mcp/servers",
    summary: "Cards of MCP servers",
    query: filters,
    answer: pageOf("ServerCard"),
    errors: ["400"],
    mayBePublic: true,
  },
  {
    ...read,
    path: "/mcp/servers/{id}",
    summary: "The card of an MCP server",
    answer: refTo("ServerCard"),
    mayBePublic: true,
  },
  {
    method: "post",
    path: "/mcp/servers",
    summary: "Register an MCP server by its card, or in place of what has its name",
    role: "caller",
    statuses: ["201", "200"],
    body: submittedCard,
    answer: refTo("ServerCard"),
    errors: [...bodyErrors, "507"],
  },
  {
    method: "post",
    path: "/agents",
    summary: "Register an agent, or in place of what has its name",
    role: "caller",
    statuses: ["201", "200"],
    body: submittedAgent,
    answer: refTo("Agent"),
    errors: [...bodyErrors, "507"],
  },
  { ...read, path: at, summary: "What is registered by this id", answer: refTo("Agent") },
  {
    method: "put",
    path: at,
    summary: "Change it; endpoints and capabilities only where they are given",
    role: "caller",
    body: submittedAgent,
    answer: refTo("Agent"),
    errors: bodyErrors,
  },
  { method: "delete", path: at, summary: "Remove it", role: "caller", statuses: ["204"], errors: ["409", "503"] },
  {
    method: "post",
    path: `${at}/endpoints`,
    summary: "Add an endpoint",
    role: "caller",
    statuses: ["201"],
    body: submittedEndpoint,
    answer: refTo("Endpoint"),
    errors: bodyErrors,
  },
  { ...read, path: endpointAt, summary: "An endpoint", answer: refTo("Endpoint") },
  {
    method: "put",
    path: endpointAt,
    summary: "Change an endpoint",
    role: "caller",
    body: submittedEndpoint,
    answer: refTo("Endpoint"),
    errors: bodyErrors,
  },
  {
    method: "delete",
    path: endpointAt,
    summary: "Remove an endpoint",
    role: "caller",
    statuses: ["204"],
    errors: ["409", "503"],
  },
  {
    method: "post",
    path: `${endpointAt}/heartbeat`,
    summary: "Say that a Persistent endpoint is alive",
    role: "caller",
    statuses: ["204"],
    errors: ["400"],
  },
  {
    method: "post",
    path: `${endpointAt}/renew`,
    summary: "Say that an Ephemeral endpoint is alive",
    role: "caller",
    statuses: ["204"],
    errors: ["400"],
  },
];
