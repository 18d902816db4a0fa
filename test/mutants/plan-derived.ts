// Mistakes in what is derived from resources: references and their order, the run configuration and its hash, settings,
// egress, URLs, models and catalogue.
import type { Mutant } from "./mutant.ts";

const resolving: readonly Mutant[] = [
  {
    file: "plan/resolve.ts",
    find: "if (agents.has(name) || invalid?.has(name)) return [];",
    replace: "if (agents.has(name)) return [];",
    breaks: "a typing error in one agent's manifest makes all its callers faulty",
  },
  {
    file: "plan/resolve.ts",
    find: "a.metadata.name < b.metadata.name : first < second;",
    replace: "a.metadata.name < b.metadata.name : first > second;",
    breaks: "a new agent takes the port of one that is in use",
  },
  {
    file: "plan/resolve.ts",
    find: "depth <= maxCallDepth ||",
    replace: "depth < maxCallDepth ||",
    breaks: "a chain of agents of just the allowed depth is refused",
  },
  {
    file: "plan/resolve.ts",
    find: "return [server?.prefix ?? name, name];",
    replace: "return [name, name];",
    breaks: "the tools of a server and a sub-agent with the same prefix shadow each other",
  },
  {
    file: "plan/resolve.ts",
    find: "if (isBuiltIn(provider) || known.includes(provider)) return [];\n    const where",
    replace: "if (isBuiltIn(provider) || known.length > 0) return [];\n    const where",
    breaks: "an agent whose model's provider is not there is started and fails at each call",
  },
  {
    file: "plan/order.ts",
    find: "if (called.size === 0 || depth > maxCallDepth) return depth;",
    replace: "if (called.size === 0 || depth >= maxCallDepth) return depth;",
    breaks: "chains of agents that are deeper than allowed are accepted",
  },
  {
    file: "plan/order.ts",
    find: "  ...new Set([...calledBy(agent), ...(agent.spec.dependsOn ?? [])]),\n",
    replace: "  ...new Set(calledBy(agent)),\n",
    breaks: "dependsOn is passed over: an agent starts before those it waits for",
  },
  {
    file: "plan/order.ts",
    find: "return free.length < reached.size;",
    replace: "return free.length <= reached.size;",
    breaks: "calls that nest too deep are never reported",
  },
  {
    file: "plan/order.ts",
    find: "dependenciesOf(agent).every((name) => started.has(name))",
    replace: "dependenciesOf(agent).every((name) => started.has(name) || agents.has(name))",
    breaks: "local mode starts agents in an order in which they cannot reach each other",
  },
];

const configuring: readonly Mutant[] = [
  {
    file: "plan/run-config.ts",
    find: "    .filter(({ name }) => used.has(name))\n",
    replace: "",
    breaks: "an edit of a provider restarts agents that do not use it",
  },
  {
    file: "plan/run-config.ts",
    find: 'sessions: scope !== "request",',
    replace: 'sessions: scope !== "request" || agent.spec.replicas > 1,',
    breaks: "a change of spec.replicas restarts all pods",
  },
  {
    file: "plan/run-config.ts",
    find: 'createHash("sha256").update(serialiseConfig(config))',
    replace: 'createHash("sha256").update(serialiseConfig({ ...config, request: { ...config.request, maxSteps: 1 } }))',
    breaks: "a new maxSteps does not reach the pods until something else changes",
  },
  {
    file: "plan/run-config.ts",
    find: 'otlpEndpoint === "" ? {} : {',
    replace: "otlpEndpoint === undefined ? {} : {",
    breaks: "an empty telemetry endpoint restarts pods",
  },
  {
    file: "plan/run-config.ts",
    find: "const { forwardInboundAuth = false } = server;",
    replace: "const { forwardInboundAuth = true } = server;",
    breaks: "callers' tokens are handed to every downstream server",
  },
  {
    file: "plan/run-config.ts",
    find: "deny: tools?.deny ?? [],\n    ...(isReported",
    replace: "deny: tools?.allow === undefined ? (tools?.deny ?? []) : [],\n    ...(isReported",
    breaks: "a tool that is denied can be called where there is a list of allowed ones",
  },
  {
    file: "plan/run-config.ts",
    find: "deny: tools?.deny ?? [],\n    ...(isFiltered",
    replace: "deny: tools?.allow === undefined ? (tools?.deny ?? []) : [],\n    ...(isFiltered",
    breaks: "an agent calls a tool of a PallasServer that it is denied, where it has a list of allowed ones",
  },
  {
    file: "plan/run-config.ts",
    find: "requireListedModel: provider.requireListedModel ?? true,",
    replace: "requireListedModel: provider.requireListedModel ?? false,",
    breaks: "an agent with a misspelt model is Ready",
  },
  {
    file: "plan/run-config.ts",
    find: "addressees.flatMap((entry) => entry.headers);",
    replace: "config.providers.flatMap((entry) => entry.headers);",
    breaks: "secrets in headers of downstream servers are not mounted, and pods do not start",
  },
  {
    file: "plan/settings.ts",
    find: "const limits = { ...builtIn.limits, ...shared.limits, ...own.limits };",
    replace: "const limits = { ...builtIn.limits, ...own.limits, ...shared.limits };",
    breaks: "an agent's own limits are overruled by agentDefaults",
  },
  {
    file: "plan/settings.ts",
    find: "givingWay(defaults.limits, requests, (order) => order > 0)",
    replace: "givingWay(defaults.limits, requests, (order) => order < 0)",
    breaks: "an agent that asks for more memory than the built-in limit is refused by the API server",
  },
  {
    file: "plan/settings.ts",
    find: "storage ? Math.min(whole, Math.ceil(parseQuantity(storage.size) * claimShare)) : whole",
    replace: "whole",
    breaks: "histories fill a small claim to the brim, and the agent fails",
  },
  {
    file: "plan/settings.ts",
    find: "networkPolicy: { enabled: true,",
    replace: "networkPolicy: { enabled: false,",
    breaks: "agents have no network policy unless one asks for it",
  },
  {
    file: "plan/egress.ts",
    find: " || isRefusedHost(url)) return [];",
    replace: ") return [];",
    breaks: "a policy is opened for the metadata service because a URL names it",
  },
  {
    file: "plan/egress.ts",
    find: "config.auth?.jwksUrl ?? config.auth?.issuer,",
    replace: "config.auth?.issuer,",
    breaks: "an agent behind its policy cannot fetch the keys of tokens, and refuses all callers",
  },
  {
    file: "plan/egress.ts",
    find: "baseUrl === undefined && !isBuiltIn(kind)",
    replace: "baseUrl !== undefined && !isBuiltIn(kind)",
    breaks: "an agent cannot reach its model, or everything outside is open for one with a model inside",
  },
  {
    file: "plan/models.ts",
    find: "const shared = isInstanceModel ? instance.spec.modelCapabilities : undefined;",
    replace: "const shared = instance.spec.modelCapabilities;",
    breaks: "the catalogue lists the context window of another model",
  },
  {
    file: "plan/models.ts",
    find: 'ref.indexOf(".");',
    replace: 'ref.lastIndexOf(".");',
    breaks: "a model with a dot in its name, such as openai.gpt-4.1, has no provider",
  },
  {
    file: "plan/urls.ts",
    find: "return hostname?.includes(agent) ? undefined : hostname;",
    replace: "return hostname;",
    breaks: "the registry accepts a host name that nobody has",
  },
  {
    file: "plan/urls.ts",
    find: "instance.spec.registry?.service?.port ?? ports.registry",
    replace: "ports.registry",
    breaks: "the URL of a registry with a port of its own leads nowhere",
  },
];

const listing: readonly Mutant[] = [
  {
    file: "plan/catalogue.ts",
    find: "compare(age(a), age(b)) || compare(",
    replace: "compare(age(b), age(a)) || compare(",
    breaks: "a new agent takes the place of an older one in the catalogue by a similar name",
  },
  {
    file: "plan/catalogue.ts",
    find: "agent.metadata.creationTimestamp, instance.status?.specChangedAt]",
    replace: "agent.metadata.creationTimestamp]",
    breaks: "clients that ask for what has changed miss changes of the instance",
  },
  {
    file: "plan/catalogue.ts",
    find: ".toSorted((a, b) => Date.parse(a) - Date.parse(b))",
    replace: ".toSorted()",
    breaks: "the catalogue says a wrong time where times come in several zones",
  },
  {
    file: "plan/catalogue.ts",
    find: "if (characters.length <= limit) return flat;",
    replace: "if (characters.length < limit) return flat;",
    breaks: "a description of just the longest length is cut",
  },
  {
    file: "plan/catalogue.ts",
    find: "...(status?.health === undefined || since === undefined ? {} : { healthSince: toUtc(since) }),",
    replace: "...(since === undefined ? {} : { healthSince: toUtc(since) }),",
    breaks: "the catalogue says since when an agent has a health that is not known",
  },
];

export const derivedMutants: readonly Mutant[] = [...resolving, ...configuring, ...listing];
