// What is sound and probably not meant: credentials that stand in a resource for all to read, and rules on tools that can
// have no effect. Advice refuses nothing, and shows no value that may be a secret.
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import { placeholder } from "../crds/references.ts";
import { matchesToolPattern } from "../crds/tool-pattern.ts";
import { adviseGateway } from "./accept-gateway.ts";
import type { Mode } from "./rules.ts";
import { findSecretInUrl, isSecretName, looksSecret } from "./secret-text.ts";

export interface Advice {
  path: string;
  message: string;
}

const readable = "anyone who may read the PallasInstance can read it";

/** Credentials that an instance holds in its own text. */
const adviseCredentials = ({ spec }: PallasInstance): Advice[] =>
  (["providers", "servers"] as const).flatMap((field) =>
    (spec[field] ?? []).flatMap((entry, index): Advice[] => {
      const path = `spec.${field}[${index}]`;
      const headers = (entry.headers ?? []).flatMap(({ name, value = "" }, at) =>
        adviseHeader(`${path}.headers[${at}].value`, name, value),
      );
      const urls = [
        ...("baseUrl" in entry ? adviseUrl(`${path}.baseUrl`, entry.baseUrl) : []),
        ...("url" in entry ? adviseUrl(`${path}.url`, entry.url) : []),
      ];
      return [...urls, ...headers];
    }),
  );

export const adviseInstance = (instance: PallasInstance, mode: Mode): Advice[] => [
  ...adviseCredentials(instance),
  ...adviseGateway(instance, mode),
];

function adviseHeader(path: string, name: string, value: string): Advice[] {
  const isCredential = isSecretName(name) || looksSecret(value);
  if (value === "" || placeholder.test(value) || !isCredential) return [];
  const cure = "put it in a Secret and name it: valueFrom: { secretKeyRef: { name: SECRET, key: KEY } }";
  return [{ path, message: `the header ${name} seems to hold a credential, and ${readable}; ${cure}` }];
}

function adviseUrl(path: string, text = ""): Advice[] {
  // What a placeholder stands for is no secret that stands here.
  const { source } = placeholder;
  const literal = text.replace(new RegExp(`//[^/@]*${source}[^/@]*@`), "//").replaceAll(new RegExp(source, "g"), "");
  const secret = URL.canParse(literal) ? findSecretInUrl(new URL(literal)) : undefined;
  if (secret === undefined) return [];
  const message = `${secret} seems to be a credential, and ${readable}; send it in a header with its value from a Secret`;
  return [{ path, message }];
}

/** Rules on tools that no tool can fit, whatever a server offers. */
export const adviseAgent = ({ spec }: PallasAgent, instance: PallasInstance): Advice[] =>
  (spec.servers ?? []).flatMap(({ name, tools: { allow = [], deny = [] } = {} }, index) => {
    const prefix = `${instance.spec.servers?.find((server) => server.name === name)?.prefix ?? name}__`;
    const path = `spec.servers[${index}].tools`;
    const prefixed = Object.entries({ allow, deny }).flatMap(([rule, patterns]) =>
      patterns.flatMap((pattern, at): Advice[] =>
        pattern.startsWith(prefix)
          ? [{ path: `${path}.${rule}[${at}]`, message: renderPrefixed(pattern, prefix) }]
          : [],
      ),
    );
    const denied = allow.flatMap((pattern, at): Advice[] => {
      const by = deny.find((each) => matchesToolPattern(pattern, each));
      const message = `"${pattern}" allows nothing, since "${by}" in deny wins over it; remove one of them`;
      return by === undefined ? [] : [{ path: `${path}.allow[${at}]`, message }];
    });
    return [...prefixed, ...denied];
  });

const renderPrefixed = (pattern: string, prefix: string): string =>
  `"${pattern}" probably matches no tool: patterns are of the names that the server gives, without "${prefix}"; write "${pattern.slice(prefix.length)}"`;
