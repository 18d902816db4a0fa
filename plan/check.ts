// A whole set of manifests judged at once, as the API server and the operator would judge it: what `pallas check`
// and local mode stand on. Nothing is written and nothing is asked of a cluster.
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import { suggestion } from "../crds/did-you-mean.ts";
import { kinds, manifestKindNames, type Resource } from "../crds/kinds.ts";
import type { PallasPolicy } from "../crds/policy.ts";
import type { PallasServer } from "../crds/server.ts";
import { acceptPolicy, gatewayPolicyProblems, policyProblems, type LivePolicies } from "./accept-policy.ts";
import { findPolicyInForce } from "./policy-in-force.ts";
import { listNames, type ValidationError, type Outcome } from "./validation-error.ts";
import { judgeAgent, judgeInstance, judgeServers, serversAround } from "./judge.ts";
import { calledBy } from "./order.ts";
import { parseAgent, parseInstance, parsePolicy, parseServer } from "./parse.ts";
import { resolveAgent, type Neighbourhood } from "./resolve.ts";
import type { Rules } from "./rules.ts";

/** A document and whatever the caller needs to find it again, such as its file and line. */
export interface Manifest<Source> {
  source: Source;
  value: unknown;
}

export interface SourcedValidationError<Source> extends ValidationError {
  source: Source;
  /** `PallasAgent default/research`, as far as it is known. */
  subject: string;
}

export interface Checked<Source> {
  problems: SourcedValidationError<Source>[];
  /** Instances without problems. */
  instances: PallasInstance[];
  /** Tool servers without problems. */
  servers: { server: PallasServer; instance: PallasInstance }[];
  /** All that can be read; of a faulty one no rule holds. */
  policies: PallasPolicy[];
  /** Accepted agents, which the catalogue lists, whether or not they can run. */
  accepted: { agent: PallasAgent; instance: PallasInstance }[];
  /** Agents that can run: accepted and resolved, with what they are resolved against. */
  runnable: { agent: PallasAgent; around: Neighbourhood }[];
}

const field = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((at, key) => (typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined), value);

type Member = PallasAgent | PallasServer | PallasPolicy;

const instanceKey = ({ metadata, spec }: Member) => `${metadata.namespace}/${spec.instanceRef.name}`;
const keyOf = ({ metadata }: Resource) => `${metadata.namespace}/${metadata.name}`;

/** namespace/name of a document that may be anything. */
function declaredKey(value: unknown): string {
  const [namespace, name] = [field(value, "metadata", "namespace"), field(value, "metadata", "name")];
  return `${typeof namespace === "string" ? namespace : "default"}/${typeof name === "string" ? name : "?"}`;
}

/** Problems as they are found, and the documents that are sound so far, the first of each name. */
class Judgement<Source> {
  readonly problems: SourcedValidationError<Source>[] = [];
  readonly #manifests: readonly Manifest<Source>[];

  constructor(manifests: readonly Manifest<Source>[]) {
    this.#manifests = manifests;
  }

  report(source: Source, subject: string, problems: readonly ValidationError[]): void {
    for (const problem of problems) this.problems.push({ source, subject, ...problem });
  }

  /** Keys of every document of a kind, sound or not. */
  declared(kind: string): Set<string> {
    return new Set(
      this.#manifests.filter(({ value }) => field(value, "kind") === kind).map(({ value }) => declaredKey(value)),
    );
  }

  parsed<T extends Resource>(
    kind: string,
    parse: (raw: unknown) => Outcome<T>,
  ): Map<string, { source: Source; resource: T }> {
    const firsts = new Map<string, { source: Source; resource: T }>();
    for (const { source, value } of this.#manifests) {
      if (field(value, "kind") !== kind) continue;
      const subject = `${kind} ${declaredKey(value)}`;
      const result = parse(value);
      if (!result.ok) this.report(source, subject, result.problems);
      else if (firsts.has(keyOf(result.value))) this.report(source, subject, [duplicate(result.value)]);
      else firsts.set(keyOf(result.value), { source, resource: result.value });
    }
    return firsts;
  }

  /** By namespace, PallasServers that are there but faulty, by all names that an agent may use for them. */
  unreadableServers(readable: ReadonlySet<string>): Map<string, Map<string, string>> {
    const found = new Map<string, Map<string, string>>();
    for (const { value } of this.#manifests) {
      const key = declaredKey(value);
      if (field(value, "kind") !== kinds.PallasServer.type.kind || readable.has(key)) continue;
      const [namespace = "", name = ""] = key.split("/", 2);
      const names = found.get(namespace) ?? new Map<string, string>();
      const serverName = field(value, "spec", "serverName");
      found.set(namespace, names.set(typeof serverName === "string" ? serverName : name, name));
    }
    return found;
  }

  /** Those whose instance is in no document. */
  reportStrays(members: readonly { source: Source; resource: Member }[]): void {
    const instances = this.declared("PallasInstance");
    for (const { source, resource } of members) {
      // A faulty instance has said so itself.
      if (instances.has(instanceKey(resource))) continue;
      const known = namesIn(resource.metadata.namespace, instances);
      this.report(source, `${resource.kind} ${keyOf(resource)}`, [instanceMissing(resource, known)]);
    }
  }

  /** Documents of no kind that people write; what to pass over, such as Secrets, the caller has taken out. */
  reportStrangers(): void {
    for (const { source, value } of this.#manifests) {
      const kind = field(value, "kind");
      if (manifestKindNames.some((known) => known === kind)) continue;
      const message = writtenByGateway.get(kind) ?? describeStranger(kind);
      this.report(source, `document ${declaredKey(value)}`, [{ reason: "InvalidField", path: "kind", message }]);
    }
  }
}

const writtenByGateway = new Map<unknown, string>([
  [
    kinds.PallasRegistration.type.kind,
    "a PallasRegistration is written by a gateway, for who registers something in its directory; remove it here, and register it there",
  ],
  [
    kinds.PallasApproval.type.kind,
    "a PallasApproval is written by a gateway, for a call that a policy asks about; remove it here",
  ],
]);

function describeStranger(kind: unknown): string {
  const near = typeof kind === "string" ? suggestion(kind, manifestKindNames) : "";
  return `expected ${listNames(manifestKindNames)}, found ${JSON.stringify(kind) ?? "nothing"}${near}`;
}

const duplicate = (resource: Resource): ValidationError => ({
  reason: "DuplicateName",
  path: "metadata.name",
  // kubectl apply would overwrite the first one in silence.
  message: `another ${resource.kind} is already named "${keyOf(resource)}"; rename or remove one of them`,
});

/** The problem of an agent or tool server whose instance is not there (OPR-5). */
export function instanceMissing({ metadata, spec }: Member, known: readonly string[]): ValidationError {
  const { name } = spec.instanceRef;
  const message = `PallasInstance "${name}" is not in namespace "${metadata.namespace}"${suggestion(name, known)}; there is ${listNames(known)}`;
  return { reason: "InstanceNotFound", path: "spec.instanceRef.name", message };
}

/** What holds of each of an instance's policies. */
export const livePolicies = (instance: PallasInstance, policies: Iterable<PallasPolicy>): LivePolicies =>
  new Map(
    [...policies]
      .filter((policy) => instanceKey(policy) === keyOf(instance))
      .map((policy) => [policy.metadata.name, findPolicyInForce(policy, policy.metadata.name)]),
  );

/** All agents of one instance, by name. */
export function neighbourhood(
  instance: PallasInstance,
  agents: Iterable<PallasAgent>,
  invalid: ReadonlySet<string> = new Set(),
): Neighbourhood {
  const own = [...agents].filter((agent) => instanceKey(agent) === keyOf(instance));
  const callers = new Map<string, Set<string>>();
  for (const agent of own) {
    for (const name of calledBy(agent)) callers.set(name, (callers.get(name) ?? new Set()).add(agent.metadata.name));
  }
  return { instance, agents: new Map(own.map((agent) => [agent.metadata.name, agent])), callers, invalid };
}

/** Judges a set of manifests; a faulty one takes nothing else down with it. */
export function checkManifests<Source>(manifests: readonly Manifest<Source>[], rules: Rules): Checked<Source> {
  const judgement = new Judgement(manifests);
  judgement.reportStrangers();
  const instances = judgement.parsed("PallasInstance", parseInstance);
  const agents = judgement.parsed("PallasAgent", parseAgent);
  const servers = judgement.parsed("PallasServer", parseServer);
  const policies = judgement.parsed("PallasPolicy", parsePolicy);
  for (const [key, { source, resource }] of policies) {
    judgement.report(source, `PallasPolicy ${key}`, acceptPolicy(resource));
  }

  const sound = new Map<string, PallasInstance>();
  for (const [key, { source, resource }] of instances) {
    const problems = judgeInstance(resource, rules);
    judgement.report(source, `PallasInstance ${key}`, problems);
    if (problems.length === 0) sound.set(key, resource);
  }

  const checked: Checked<Source> = {
    problems: judgement.problems,
    instances: [...sound.values()],
    servers: [],
    policies: [...policies.values()].map(({ resource }) => resource),
    accepted: [],
    runnable: [],
  };
  judgement.reportStrays([...servers.values(), ...policies.values(), ...agents.values()]);
  const siblings = [...agents.values()].map(({ resource }) => resource);
  // Agents that are there but faulty; which instance they belong to cannot be told.
  const unreadable = new Set([...judgement.declared("PallasAgent")].filter((key) => !agents.has(key)));
  const neighbourhoods = new Map(
    [...sound].map(([key, instance]) => {
      const invalid = new Set(namesIn(instance.metadata.namespace, unreadable));
      return [key, neighbourhood(instance, siblings, invalid)];
    }),
  );
  const unreadableServers = judgement.unreadableServers(new Set(servers.keys()));
  for (const around of neighbourhoods.values()) {
    const { instance } = around;
    const own = [...servers.values()].filter(({ resource }) => instanceKey(resource) === keyOf(instance));
    const resources = own.map(({ resource }) => resource);
    const judged = judgeServers(instance, resources, around.agents, rules);
    for (const { source, resource: server } of own) {
      const problems = judged.get(server) ?? [];
      judgement.report(source, `PallasServer ${keyOf(server)}`, problems);
      if (problems.length === 0) checked.servers.push({ server, instance });
    }
    around.policies = livePolicies(instance, checked.policies);
    for (const { source, resource } of instances.values()) {
      if (resource !== instance) continue;
      const problems = gatewayPolicyProblems(instance, around.policies);
      judgement.report(source, `PallasInstance ${keyOf(instance)}`, problems);
    }
    around.servers = serversAround(judged, unreadableServers.get(instance.metadata.namespace));
  }
  for (const { source, resource: agent } of agents.values()) {
    const around = neighbourhoods.get(instanceKey(agent));
    if (!around) continue;
    const { instance } = around;
    const acceptance = judgeAgent(agent, instance, rules);
    const references = resolveAgent(agent, around);
    // Without its policy it runs, and its calls are denied.
    const policy = policyProblems(agent, around);
    judgement.report(source, `PallasAgent ${keyOf(agent)}`, [...acceptance, ...references, ...policy]);
    if (acceptance.length === 0) checked.accepted.push({ agent, instance });
    if (acceptance.length + references.length === 0) checked.runnable.push({ agent, around });
  }
  return checked;
}

const namesIn = (namespace: string, keys: ReadonlySet<string>): string[] =>
  [...keys].filter((key) => key.startsWith(`${namespace}/`)).map((key) => key.slice(namespace.length + 1));
