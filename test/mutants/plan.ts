// Mistakes in the judgement of resources and in what is derived from them: what is refused, what restarts pods, and what
// the catalogue says. A list that is too long for one file goes on in plan-derived.ts.
import type { Mutant } from "./mutant.ts";
import { derivedMutants } from "./plan-derived.ts";

const accepting: readonly Mutant[] = [
  {
    file: "plan/accept.ts",
    find: 'mode === "cluster" ? placeholders',
    replace: 'mode === "local" ? placeholders',
    breaks: "a placeholder such as ${TOKEN} is sent to a server of the cluster as it stands",
  },
  {
    file: "plan/accept.ts",
    find: "if (!isRefusedHost(new URL(text))) return [];",
    replace: "if (URL.canParse(text)) return [];",
    breaks: "an author can have an agent call the metadata service of the cloud",
  },
  {
    file: "plan/accept.ts",
    find: '    ["spec.proxy.http", spec.proxy?.http],\n',
    replace: "",
    breaks: "the metadata service can be named as a proxy",
  },
  {
    file: "plan/accept.ts",
    find: 'name.toLowerCase() === "host"',
    replace: 'name === "host"',
    breaks: "an author can send an agent's secrets to another server by a header named Host",
  },
  {
    file: "plan/accept.ts",
    find: '(scope === "request" && !storage)',
    replace: 'scope === "request"',
    breaks: "several pods are made that wait for one claim for ever",
  },
  {
    file: "plan/accept.ts",
    find: "(spec.agents ?? []).flatMap(({ name, forwardInboundAuth = false }, position): ValidationError[] => {",
    replace: "(spec.agents ?? []).flatMap(({ name, forwardInboundAuth = true }, position): ValidationError[] => {",
    breaks: "an agent of an instance with authentication is Ready, and each call to its sub-agents fails",
  },
  {
    file: "plan/accept.ts",
    find: ' || template?.includes("{port}") === true)',
    replace: ")",
    breaks: "the catalogue lists a URL without the port that it needs",
  },
  {
    file: "plan/accept-amounts.ts",
    find: "compareQuantities(request.amount, limit.amount) <= 0",
    replace: "compareQuantities(request.amount, limit.amount) < 0",
    breaks: "an agent whose request is its limit is refused",
  },
  {
    file: "plan/accept-amounts.ts",
    find: "const maxBytes = spec.history?.maxBytes ?? shared;",
    replace: "const maxBytes = spec.history?.maxBytes;",
    breaks: "histories that agentDefaults let grow fill an agent's smaller claim",
  },
  {
    file: "plan/accept-images.ts",
    find: "repository.startsWith(`${entry}/`)",
    replace: "repository.startsWith(entry)",
    breaks: "who may name images of registry.example/team may name those of registry.example/team-of-mallory too",
  },
  {
    file: "plan/accept-images.ts",
    find: 'if (allowed === undefined || image === "") return [];',
    replace: 'if (allowed === undefined || allowed.length === 0 || image === "") return [];',
    breaks: "an operator that allows no images but its own allows all of them",
  },
  {
    file: "plan/accept-issuer.ts",
    find: '.every(({ kind }) => kind === "namespace")',
    replace: '.some(({ kind }) => kind === "namespace")',
    breaks: "keys by which tokens are checked are fetched over plain HTTP from outside of the cluster",
  },
  {
    file: "plan/accept-keys.ts",
    find: "/^\\.\\.?$/",
    replace: "/^\\.$/",
    breaks: "the key of a Secret can name the folder above its own",
  },
  {
    file: "plan/accept-peers.ts",
    find: "...refusedProblems(`${path}.to[${at}]`, peer),",
    replace: "",
    breaks: "an author can open the way to the metadata service",
  },
  {
    file: "plan/accept-peers.ts",
    find: "endPort >= port ? []",
    replace: "endPort > port ? []",
    breaks: "a peer with a single port is refused",
  },
  {
    file: "plan/accept-pods.ts",
    find: 'operator = "Equal"',
    replace: 'operator = "Exists"',
    breaks: "a toleration without a key is accepted, and the API server refuses the pods",
  },
  {
    file: "plan/judge.ts",
    find: "  ...imageProblems(instance, rules),\n",
    replace: "",
    breaks: "an author chooses what code runs beside the agents' secrets",
  },
  {
    file: "plan/judge.ts",
    find: '  ...authorProblems("spec", agent.spec, rules),\n',
    replace: "",
    breaks: "the limits of authors hold for instances only",
  },
  {
    file: "plan/rules.ts",
    find: "const limits = z.object({",
    replace: "const limits = z.strictObject({",
    breaks: "a registry does not start with the limits of an operator of another release",
  },
  {
    file: "plan/author-limits.ts",
    find: "policyLevels.indexOf(needed) <= policyLevels.indexOf(networkPolicy)",
    replace: "policyLevels.indexOf(needed) <= policyLevels.indexOf(networkPolicy) + 1",
    breaks: "authors may open one level more than they were allowed",
  },
  {
    file: "plan/author-limits.ts",
    find: "podSelector && !namespaceSelector && !ipBlock",
    replace: "podSelector && !ipBlock",
    breaks: "pods of every namespace pass for those of the agent's own",
  },
  {
    file: "plan/author-limits.ts",
    find: 'entry.endsWith("*") ? name.startsWith(entry.slice(0, -1)) : name === entry',
    replace: "name.startsWith(entry)",
    breaks: "a label that begins like an allowed one is allowed, and one allowed by an asterisk is not",
  },
  {
    file: "plan/limit-variables.ts",
    find: '.default("sameNamespace")',
    replace: '.default("off")',
    breaks: "authors may switch network policies off where nobody has allowed it",
  },
  {
    file: "plan/addresses.ts",
    find: '"169.254.0.0/16", // link-local',
    replace: '"169.254.169.254/32", // link-local',
    breaks: "credentials that a cloud serves to pods at another link-local address can be read",
  },
  {
    file: "plan/addresses.ts",
    find: "v6 >> 32n === 0xffffn ?",
    replace: "v6 >> 32n === 0xfffen ?",
    breaks: "the metadata service is reached by its IPv4 address written as IPv6",
  },
  {
    file: "plan/addresses.ts",
    find: '.replace(/\\.$/, "")',
    replace: "",
    breaks: "the metadata service is reached by its name with a dot at the end",
  },
  {
    file: "plan/addresses.ts",
    find: "inner.prefix >= outer.prefix && ",
    replace: "",
    breaks: "a range passes for part of a smaller one, and 0.0.0.0/0 for a link-local range",
  },
  {
    file: "plan/parse-watched.ts",
    find: 'return found.ok ? found : parseBySchema(schema, withoutNulls(schema, raw, "dropped"));',
    replace: "return found;",
    breaks: "after going back to an earlier release agents with a newer field are faulty",
  },
  {
    file: "plan/parse-watched.ts",
    find: "previous?.metadata.uid === metadata.uid &&",
    replace: "previous !== undefined &&",
    breaks: "an agent that was deleted and made again runs with the spec of the former one",
  },
  {
    file: "plan/parse-watched.ts",
    find: "previous.metadata.generation === metadata.generation;",
    replace: "(previous.metadata.generation ?? 0) >= metadata.generation - 1;",
    breaks: "every other edit of an agent is passed over",
  },
  {
    file: "plan/parse-watched.ts",
    find: "  return value.filter((entry) => z.safeParse(at.element, entry).success);\n",
    replace: "  return value;\n",
    breaks: "one condition that a newer release wrote makes all conditions of an agent unreadable",
  },
  {
    file: "plan/check.ts",
    find: "if (acceptance.length + references.length === 0)",
    replace: "if (acceptance.length === 0)",
    breaks: "local mode starts an agent whose model or servers are not there",
  },
  {
    file: "plan/gateway.ts",
    find: `access: access.map(`,
    replace: `access: access.toReversed().map(`,
    breaks: "the last entry that fits a caller holds, in place of the first",
  },
  {
    file: "plan/accept-gateway.ts",
    find: `if (spec.auth?.jwt !== undefined) return [];`,
    replace: `if (spec.auth?.jwt === undefined) return [];`,
    breaks: "an entry by claim is accepted where no token can have a claim",
  },
  {
    file: "plan/accept-gateway.ts",
    find: `if (instance.spec.gateway === undefined || metadata.name !== name) return [];`,
    replace: `if (instance.spec.gateway === undefined || metadata.name === name) return [];`,
    breaks: "an agent takes the gateway's Service, and calls of people go to it",
  },
];

export const planMutants: readonly Mutant[] = [...accepting, ...derivedMutants];
