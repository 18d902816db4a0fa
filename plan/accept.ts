// Contradictions that a schema cannot see: what may not be meant at all, whatever else exists. A resource that is
// not accepted keeps the children it has; nothing new is written for it (OPR-5).
import type { PallasAgent } from "../crds/agent.ts";
import type { InstanceSpec, PallasInstance } from "../crds/instance.ts";
import { placeholder } from "../crds/references.ts";
import { agentAmountProblems, instanceAmountProblems } from "./accept-amounts.ts";
import { extraProblems } from "./accept-extra.ts";
import { gatewayNameProblems, gatewayProblems, gatewayUrls } from "./accept-gateway.ts";
import { issuerProblems } from "./accept-issuer.ts";
import { agentKeyProblems, instanceKeyProblems } from "./accept-keys.ts";
import { outputProblems } from "./accept-output.ts";
import { networkPolicyProblems } from "./accept-peers.ts";
import { podProblems } from "./accept-pods.ts";
import { isRefusedHost } from "./addresses.ts";
import type { ValidationError } from "./validation-error.ts";
import type { Mode } from "./rules.ts";
import { effectiveScope } from "./settings.ts";

/** What an import writes in place of a text that it could not carry over; the agent would run on nobody's instruction. */
export const todo = "TODO";
export const unwritten = `is still ${todo}, which stands for a text that was not carried over; write the instruction`;

export function placeholderProblem(path: string, value: string | undefined): ValidationError[] {
  const found = value === undefined ? null : placeholder.exec(value);
  if (!found) return [];
  return [
    {
      reason: "PlaceholderInCluster",
      path,
      message: `found the placeholder ${found[0]}, which only local mode expands; write the value, or for a secret use valueFrom.secretKeyRef`,
    },
  ];
}

function placeholders(instance: PallasInstance): ValidationError[] {
  const problems: ValidationError[] = [];
  for (const field of ["providers", "servers"] as const) {
    for (const [position, entry] of (instance.spec[field] ?? []).entries()) {
      const path = `spec.${field}[${position}]`;
      if ("baseUrl" in entry) problems.push(...placeholderProblem(`${path}.baseUrl`, entry.baseUrl));
      if ("url" in entry) problems.push(...placeholderProblem(`${path}.url`, entry.url));
      for (const part of ["tokenUrl", "clientId", "audience", "resource"] as const) {
        problems.push(...placeholderProblem(`${path}.auth.oauth.${part}`, entry.auth?.oauth[part]));
      }
      for (const [at, { value }] of (entry.headers ?? []).entries()) {
        problems.push(...placeholderProblem(`${path}.headers[${at}].value`, value));
      }
    }
  }
  return problems;
}

/** What is wrong with a URL that has the form of one: that it cannot be called, or leads where nobody may go (SEC-5). */
export function urlProblems(path: string, text = ""): ValidationError[] {
  if (text === "" || placeholder.test(text)) return [];
  const problem = (message: string): ValidationError[] => [{ reason: "InvalidField", path, message }];
  if (!URL.canParse(text)) {
    return problem(`expected a URL such as http://argos.tools.svc:8000/mcp, found "${text}"; correct it`);
  }
  if (!isRefusedHost(new URL(text))) return [];
  return problem(`found "${text}", a link-local or metadata address, which nothing may be sent to; name another host`);
}

function instanceUrlProblems(instance: PallasInstance): ValidationError[] {
  const { spec } = instance;
  const tokenUrls = (["providers", "servers"] as const).flatMap((field) =>
    (spec[field] ?? []).map(({ auth }, at): [string, string | undefined] => [
      `spec.${field}[${at}].auth.oauth.tokenUrl`,
      auth?.oauth.tokenUrl,
    ]),
  );
  const urls: [string, string | undefined][] = [
    ...tokenUrls,
    ...(spec.providers ?? []).map(({ baseUrl }, at): [string, string | undefined] => [
      `spec.providers[${at}].baseUrl`,
      baseUrl,
    ]),
    ...(spec.servers ?? []).map(({ url }, at): [string, string] => [`spec.servers[${at}].url`, url]),
    ["spec.proxy.https", spec.proxy?.https],
    ["spec.proxy.http", spec.proxy?.http],
    ["spec.telemetry.otlpEndpoint", spec.telemetry?.otlpEndpoint],
    ["spec.auth.jwt.issuer", spec.auth?.jwt?.issuer],
    ["spec.auth.jwt.jwksUrl", spec.auth?.jwt?.jwksUrl],
    ...gatewayUrls(instance),
  ];
  return urls.flatMap(([path, url]) => urlProblems(path, url));
}

export const hostHeader = "is always taken from the URL; remove the header, and name the host in the URL";

/**
 * A request goes where its URL says: by another Host, servers that share an address would let a third one read it. And it
 * has one Authorization header.
 */
const headerProblems = ({ spec }: PallasInstance): ValidationError[] =>
  (["providers", "servers"] as const).flatMap((field) =>
    (spec[field] ?? []).flatMap(({ auth, headers = [] }, position) =>
      headers.flatMap(({ name }, at): ValidationError[] => {
        const path = `spec.${field}[${position}].headers[${at}].name`;
        const problem = (message: string): ValidationError[] => [{ reason: "InvalidField", path, message }];
        if (name.toLowerCase() === "host") return problem(hostHeader);
        return auth !== undefined && name.toLowerCase() === "authorization"
          ? problem("is set by auth; remove the header, or auth")
          : [];
      }),
    ),
  );

function duplicatePrefixes(instance: PallasInstance): ValidationError[] {
  const owners = new Map<string, string>();
  return (instance.spec.servers ?? []).flatMap(({ name, prefix = name }, position): ValidationError[] => {
    const owner = owners.get(prefix);
    owners.set(prefix, owner ?? name);
    if (owner === undefined) return [];
    return [
      {
        reason: "DuplicateName",
        path: `spec.servers[${position}].prefix`,
        message: `the prefix "${prefix}" is already used by server "${owner}"; give one of them another prefix`,
      },
    ];
  });
}

/** Problems of what an agent and agentDefaults can both set. */
const settingsProblems = (
  path: string,
  { pod, networkPolicy, request }: NonNullable<InstanceSpec["agentDefaults"]>,
): ValidationError[] => [
  ...extraProblems(`${path}.request`, request),
  ...podProblems(`${path}.pod`, pod),
  ...networkPolicyProblems(`${path}.networkPolicy`, networkPolicy),
];

/** Problems of an instance by itself. */
export function acceptInstance(instance: PallasInstance, mode: Mode): ValidationError[] {
  return [
    ...(mode === "cluster" ? placeholders(instance) : []),
    ...instanceUrlProblems(instance),
    ...issuerProblems(instance),
    ...headerProblems(instance),
    ...instanceKeyProblems(instance),
    ...duplicatePrefixes(instance),
    ...gatewayProblems(instance),
    ...settingsProblems("spec.agentDefaults", instance.spec.agentDefaults ?? {}),
    ...instanceAmountProblems(instance),
  ];
}

/** Several pods can share neither a claim nor, without one, the histories that each keeps for itself (OPR-10). */
function replicaProblems({ spec }: PallasAgent, scope: string): ValidationError[] {
  const { replicas, storage } = spec;
  if (replicas <= 1 || (scope === "request" && !storage)) return [];
  const why = storage
    ? "share one claim; remove spec.storage and set spec.scope to request, or set spec.replicas to 1"
    : `share histories of scope "${scope}"; set spec.scope to request or spec.replicas to 1`;
  return [{ reason: "ScopeNeedsSharedStore", path: "spec.replicas", message: `${replicas} replicas cannot ${why}` }];
}

/** With authentication on, a call without the caller's token is refused by the other agent. */
function authProblems({ spec }: PallasAgent, { metadata, spec: { auth } }: PallasInstance): ValidationError[] {
  if (auth?.jwt === undefined) return [];
  return (spec.agents ?? []).flatMap(({ name, forwardInboundAuth = false }, position): ValidationError[] => {
    if (forwardInboundAuth) return [];
    const message = `must be true, because instance "${metadata.name}" has auth.jwt, so that "${name}" refuses calls without the caller's token; set it, or remove the agent`;
    return [{ reason: "TokenNotForwarded", path: `spec.agents[${position}].forwardInboundAuth`, message }];
  });
}

/** Problems of an agent in its instance, apart from what it refers to. */
export function acceptAgent(agent: PallasAgent, instance: PallasInstance): ValidationError[] {
  const { port } = agent.spec;
  const problems: ValidationError[] = [
    ...(agent.spec.instruction?.trim() === todo
      ? [{ reason: "InvalidField" as const, path: "spec.instruction", message: unwritten }]
      : []),
    ...gatewayNameProblems(agent, instance),
    ...replicaProblems(agent, effectiveScope(agent, instance)),
    ...agentKeyProblems(agent),
    ...outputProblems(agent),
    ...settingsProblems("spec", agent.spec),
    ...agentAmountProblems(agent, instance),
    ...authProblems(agent, instance),
  ];
  const { host, template } = instance.spec.externalUrl ?? {};
  if (port === undefined && (host !== undefined || template?.includes("{port}") === true)) {
    problems.push({
      reason: "PortMissing",
      path: "spec.port",
      message: `is needed, because externalUrl of instance "${instance.metadata.name}" contains it; add the port that is published on that host`,
    });
  }
  return problems;
}
