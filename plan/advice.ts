// What is sound and probably not meant: credentials that stand in a resource for all to read, and rules on tools that can
// have no effect. Advice refuses nothing, and shows no value that may be a secret.
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import type { PallasServer } from "../crds/server.ts";
import { placeholder } from "../crds/references.ts";
import { matchesToolPattern } from "../crds/tool-pattern.ts";
import { adviseGateway } from "./accept-gateway.ts";
import { advisePolicy } from "./accept-policy.ts";
import { isRegistryEntry } from "./registry-entry.ts";
import type { Neighbourhood } from "./resolve.ts";
import type { Mode } from "./rules.ts";
import { findSecretInUrl, isSecretName, looksSecret } from "./secret-text.ts";

export interface Advice {
  path: string;
  message: string;
}

const readable = (kind: string) => `anyone who may read the ${kind} can read it`;
const fromSecret = "put it in a Secret and name it: valueFrom: { secretKeyRef: { name: SECRET, key: KEY } }";

/** Credentials that an instance holds in its own text. */
const adviseCredentials = ({ kind, spec }: PallasInstance): Advice[] =>
  (["providers", "servers"] as const).flatMap((field) =>
    (spec[field] ?? []).flatMap((entry, index): Advice[] => {
      const path = `spec.${field}[${index}]`;
      const headers = (entry.headers ?? []).flatMap(({ name, value = "" }, at) =>
        adviseHeader(kind, `${path}.headers[${at}].value`, name, value),
      );
      const urls = [
        ...("baseUrl" in entry ? adviseUrl(kind, `${path}.baseUrl`, entry.baseUrl) : []),
        ...("url" in entry ? adviseUrl(kind, `${path}.url`, entry.url) : []),
      ];
      return [...urls, ...headers];
    }),
  );

export const adviseInstance = (instance: PallasInstance, mode: Mode): Advice[] => [
  ...adviseCredentials(instance),
  ...adviseGateway(instance, mode),
];

/** A package in any version is another program whenever a process starts, and whoever publishes it decides which. */
function adviseVersion({ spec }: PallasServer): Advice[] {
  const { kind, name, version } = spec.package ?? {};
  if (kind === undefined || version !== undefined) return [];
  const message = `is not set, so that each process runs whatever version of ${name} is the latest at ${kind} then; set the version that you tried`;
  return [{ path: "spec.package.version", message }];
}

export const adviseServer = (server: PallasServer): Advice[] => {
  const { kind, spec } = server;
  const { url, headers = [] } = spec.remote ?? {};
  return [
    ...adviseVersion(server),
    ...adviseUrl(kind, "spec.remote.url", url),
    ...headers.flatMap(({ name, value = "" }, at) =>
      adviseHeader(kind, `spec.remote.headers[${at}].value`, name, value),
    ),
    ...(spec.env ?? []).flatMap(({ name, value = "" }, at) =>
      adviseText(kind, `spec.env[${at}].value`, `the variable ${name}`, name, value),
    ),
  ];
};

const adviseHeader = (kind: string, path: string, name: string, value: string): Advice[] =>
  adviseText(kind, path, `the header ${name}`, name, value);

function adviseText(kind: string, path: string, what: string, name: string, value: string): Advice[] {
  const isCredential = isSecretName(name) || looksSecret(value);
  if (value === "" || placeholder.test(value) || !isCredential) return [];
  return [{ path, message: `${what} seems to hold a credential, and ${readable(kind)}; ${fromSecret}` }];
}

function adviseUrl(kind: string, path: string, text = ""): Advice[] {
  // What a placeholder stands for is no secret that stands here.
  const { source } = placeholder;
  const literal = text.replace(new RegExp(`//[^/@]*${source}[^/@]*@`), "//").replaceAll(new RegExp(source, "g"), "");
  const secret = URL.canParse(literal) ? findSecretInUrl(new URL(literal)) : undefined;
  if (secret === undefined) return [];
  const message = `${secret} seems to be a credential, and ${readable(kind)}; send it in a header with its value from a Secret`;
  return [{ path, message }];
}

/** Rules on tools that no tool can fit, whatever a server offers, and calls that nobody can approve. */
export const adviseAgent = (
  agent: PallasAgent,
  around: Pick<Neighbourhood, "instance" | "servers" | "policies">,
): Advice[] => [...adviseTools(agent, around), ...advisePolicy(agent, around)];

const adviseTools = ({ spec }: PallasAgent, around: Pick<Neighbourhood, "instance" | "servers">): Advice[] =>
  (spec.servers ?? []).flatMap(({ name, tools: { allow = [], deny = [] } = {} }, index) => {
    const inline = around.instance.spec.servers?.find((server) => server.name === name);
    const path = `spec.servers[${index}].tools`;
    const adviseName = isRegistryEntry(name, around) ? adviseWhole : advisePrefixed(`${inline?.prefix ?? name}__`);
    const named = Object.entries({ allow, deny }).flatMap(([rule, patterns]) =>
      patterns.flatMap((pattern, at): Advice[] => {
        const message = adviseName(pattern);
        return message === undefined ? [] : [{ path: `${path}.${rule}[${at}]`, message }];
      }),
    );
    const denied = allow.flatMap((pattern, at): Advice[] => {
      const by = deny.find((each) => matchesToolPattern(pattern, each));
      const message = `"${pattern}" allows nothing, since "${by}" in deny wins over it; remove one of them`;
      return by === undefined ? [] : [{ path: `${path}.allow[${at}]`, message }];
    });
    return [...named, ...denied];
  });

/** Of the registry, a tool is named with its server. */
const adviseWhole = (pattern: string): string | undefined =>
  pattern.includes("*") || pattern.includes("__")
    ? undefined
    : `"${pattern}" matches no tool: patterns of the registry are of names with their server, as memory__read_graph; write "*__${pattern}"`;

const advisePrefixed =
  (prefix: string) =>
  (pattern: string): string | undefined =>
    pattern.startsWith(prefix) ? renderPrefixed(pattern, prefix) : undefined;

const renderPrefixed = (pattern: string, prefix: string): string =>
  `"${pattern}" probably matches no tool: patterns are of the names that the server gives, without "${prefix}"; write "${pattern.slice(prefix.length)}"`;
