// Annotations, tolerations and spread constraints that the API server would refuse in every pod: told here with their place, because
// a refused Deployment would leave the agent as it was, or without pods.
import type { AgentSpec } from "../crds/agent.ts";
import { selectorProblems } from "./accept-peers.ts";
import type { ValidationError } from "./validation-error.ts";

type Pod = NonNullable<AgentSpec["pod"]>;
type Toleration = NonNullable<Pod["tolerations"]>[number];

const invalid = (path: string, message: string): ValidationError => ({ reason: "InvalidField", path, message });

function tolerationProblems(
  path: string,
  { key = "", operator = "Equal", value = "", ...rest }: Toleration,
): ValidationError[] {
  const { effect, tolerationSeconds } = rest;
  return [
    ...(key === "" && operator !== "Exists"
      ? [invalid(`${path}.operator`, "must be Exists, because there is no key; set one of the two")]
      : []),
    ...(operator === "Exists" && value !== "" ? [invalid(`${path}.value`, "Exists takes no value; remove it")] : []),
    ...(tolerationSeconds !== undefined && effect !== "NoExecute"
      ? [invalid(`${path}.tolerationSeconds`, "is for the effect NoExecute only; set that, or remove it")]
      : []),
  ];
}

function spreadProblems(path: string, constraints: NonNullable<Pod["topologySpreadConstraints"]>): ValidationError[] {
  const seen = new Set<string>();
  return constraints.flatMap(({ topologyKey, whenUnsatisfiable, minDomains, labelSelector }, at): ValidationError[] => {
    const place = `${path}[${at}]`;
    const id = `${topologyKey} ${whenUnsatisfiable}`;
    const isTwice = seen.has(id);
    seen.add(id);
    return [
      ...(isTwice ? [invalid(place, `another one has ${id}, too; remove one of them`)] : []),
      ...(minDomains !== undefined && whenUnsatisfiable !== "DoNotSchedule"
        ? [invalid(`${place}.minDomains`, "is for whenUnsatisfiable DoNotSchedule only; set that, or remove it")]
        : []),
      ...selectorProblems(`${place}.labelSelector`, labelSelector),
    ];
  });
}

/** Older ways to choose a security profile; the API server lets no pod in that loosens it so (SEC-1). */
const securityAnnotation =
  /^(container\.apparmor\.security\.beta|(container\.)?seccomp\.security\.alpha)\.kubernetes\.io\//;

/** Problems of a pod that stands at `path`. */
export const podProblems = (
  path: string,
  { annotations = {}, tolerations = [], topologySpreadConstraints = [] }: Pod = {},
): ValidationError[] => [
  ...Object.keys(annotations)
    .filter((key) => securityAnnotation.test(key))
    .map((key) =>
      invalid(
        `${path}.annotations`,
        `"${key}" would change the security profile, which is always restricted; remove it`,
      ),
    ),
  ...tolerations.flatMap((each, at) => tolerationProblems(`${path}.tolerations[${at}]`, each)),
  ...spreadProblems(`${path}.topologySpreadConstraints`, topologySpreadConstraints),
];
