// Peers of spec.networkPolicy that the API server would refuse in a NetworkPolicy: told here with their place, because
// a refused policy would leave the agent without one. And places that nobody may open (SEC-5).
import type { AgentSpec } from "../crds/agent.ts";
import { containsRange, isRefusedRange, parseRange } from "./addresses.ts";
import type { ValidationError } from "./validation-error.ts";

type NetworkPolicy = NonNullable<AgentSpec["networkPolicy"]>;
type Peer = NonNullable<NetworkPolicy["from"]>[number];
type Selector = NonNullable<Peer["podSelector"]>;

const labelKey = /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const invalid = (path: string, message: string): ValidationError => ({ reason: "InvalidField", path, message });

/** Problems of a label selector that stands at `path`. */
export const selectorProblems = (path: string, selector: Selector | undefined): ValidationError[] =>
  (selector?.matchExpressions ?? []).flatMap(({ key, operator, values = [] }, at): ValidationError[] => {
    const place = `${path}.matchExpressions[${at}]`;
    const needsValues = operator === "In" || operator === "NotIn";
    return [
      ...(labelKey.test(key) ? [] : [invalid(`${place}.key`, `expected a label's key, found "${key}"; correct it`)]),
      ...(needsValues === values.length > 0
        ? []
        : [
            invalid(
              `${place}.values`,
              `${operator} ${needsValues ? "needs" : "takes no"} values; correct one of the two`,
            ),
          ]),
    ];
  });

function addressProblems(path: string, { cidr, except = [] }: NonNullable<Peer["ipBlock"]>): ValidationError[] {
  const range = parseRange(cidr);
  if (!range) return [invalid(`${path}.cidr`, `expected a range such as 10.0.0.0/8, found "${cidr}"; correct it`)];
  return except.flatMap((text, at): ValidationError[] => {
    const hole = parseRange(text);
    if (hole && hole.prefix > range.prefix && containsRange(range, hole)) return [];
    return [invalid(`${path}.except[${at}]`, `expected a range inside ${cidr}, found "${text}"; correct or remove it`)];
  });
}

function peerProblems(path: string, { podSelector, namespaceSelector, ipBlock, ports = [] }: Peer): ValidationError[] {
  const selects = podSelector !== undefined || namespaceSelector !== undefined;
  const oneKind =
    "needs either ipBlock, or podSelector and namespaceSelector; for everybody set ipBlock.cidr to 0.0.0.0/0";
  return [
    ...(selects === (ipBlock === undefined) ? [] : [invalid(path, oneKind)]),
    ...selectorProblems(`${path}.podSelector`, podSelector),
    ...selectorProblems(`${path}.namespaceSelector`, namespaceSelector),
    ...(ipBlock ? addressProblems(`${path}.ipBlock`, ipBlock) : []),
    ...ports.flatMap(({ port, endPort = port }, at): ValidationError[] =>
      endPort >= port ? [] : [invalid(`${path}.ports[${at}].endPort`, `is below port ${port}; exchange the two`)],
    ),
  ];
}

/** What is wholly of link-local and metadata addresses; from a larger range these are taken out where it is rendered. */
function refusedProblems(path: string, { ipBlock }: Peer): ValidationError[] {
  const range = ipBlock && parseRange(ipBlock.cidr);
  if (!range || !isRefusedRange(range)) return [];
  const message = `found ${ipBlock.cidr}, link-local or metadata addresses, which nothing may be sent to; remove it`;
  return [invalid(`${path}.ipBlock.cidr`, message)];
}

/** Problems of a networkPolicy that stands at `path`. */
export const networkPolicyProblems = (path: string, { from = [], to = [] }: NetworkPolicy = {}): ValidationError[] => [
  ...from.flatMap((peer, at) => peerProblems(`${path}.from[${at}]`, peer)),
  ...to.flatMap((peer, at) => [
    ...peerProblems(`${path}.to[${at}]`, peer),
    ...refusedProblems(`${path}.to[${at}]`, peer),
  ]),
];
