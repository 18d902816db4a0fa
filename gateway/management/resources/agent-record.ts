// What is said of an agent wherever agents are listed, and what `…/info` says beside it. From the API server's watch alone. The
// instruction is in neither: it is the author's, and may say more than whoever looks on should read.
import type { PallasAgent } from "../../../crds/agent.ts";
import type { StateReason } from "../../../crds/conditions.ts";
import type { PallasInstance } from "../../../crds/instance.ts";
import { titleFromName } from "../../../crds/names.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import { defined } from "../../../lib/process/defined.ts";
import { effectiveScope } from "../../../plan/settings.ts";
import { seesAgent, seesServer } from "../access.ts";

/** Of a description in a list, where there may be thousands. */
const maxListedChars = 200;

const cut = (text: string): string => (text.length <= maxListedChars ? text : `${text.slice(0, maxListedChars - 1)}…`);

/** What the operator says of whether it serves calls. */
export function readReady({ status }: PallasAgent): { ready: boolean; message?: string } {
  const condition = status?.conditions?.find(({ type }) => type === "Ready");
  if (condition === undefined) return { ready: false, message: "the operator has not looked at it yet" };
  const { status: holds, message } = condition;
  return { ready: holds === "True", ...(holds === "True" ? {} : { message }) };
}

/** Of what is on its way, and comes without anybody's doing. */
const startingReasons: ReadonlySet<string> = new Set([
  "Progressing",
  "WaitingForDependencies",
  "DependencyNotReady",
  "WaitingForRollout",
] satisfies StateReason[]);
/** What being ready is made of. */
const readyParts: ReadonlySet<string> = new Set(["Accepted", "ReferencesResolved", "DependenciesReady", "Available"]);

/** Whether it is not ready and nothing is wrong. */
function isStarting({ status }: PallasAgent): boolean {
  const conditions = status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === "Ready");
  if (ready === undefined || ready.status === "True") return ready === undefined;
  if (conditions.some(({ type, status: holds }) => type === "Stalled" && holds === "True")) return false;
  const failing = conditions.filter(({ type, status: holds }) => readyParts.has(type) && holds === "False");
  return (failing.length === 0 ? [ready] : failing).every(({ reason }) => startingReasons.has(reason));
}

/** Why it serves no calls, or why its health is not well: the first condition that says so, word by word. */
function findReason(agent: PallasAgent): string | undefined {
  const { ready, message } = readReady(agent);
  if (!ready) return message;
  const { health, conditions = [] } = agent.status ?? {};
  if (health === undefined || health === "ok") return undefined;
  const parts = ["ModelHealthy", "DownstreamsReachable"].map((type) => conditions.find((each) => each.type === type));
  return parts.find((part) => part?.status === "False")?.message;
}

/** What the watch says for one entry of `resource://agents/list`. */
export function renderAgentRecord(agent: PallasAgent, instance: PallasInstance | undefined) {
  const { metadata, spec, status } = agent;
  return {
    id: metadata.name,
    title: spec.title ?? titleFromName(metadata.name),
    ...defined({
      description: spec.description === undefined ? undefined : cut(spec.description),
      created_at: metadata.creationTimestamp ?? undefined,
      health: status?.health,
    }),
    ...readReady(agent),
    ...(isStarting(agent) && { starting: true }),
    ...defined({ reason: findReason(agent), model: spec.model ?? instance?.spec.defaultModel }),
    replicas: spec.replicas,
  };
}

/** What it refers to is named as far as the identity sees it. */
export function renderAgentInfo(agent: PallasAgent, instance: PallasInstance | undefined, identity: Identity) {
  const { metadata, spec, status } = agent;
  return {
    ...renderAgentRecord(agent, instance),
    ...defined({ description: spec.description, url: status?.url, uid: metadata.uid }),
    ...(instance && { scope: effectiveScope(agent, instance) }),
    instance: spec.instanceRef.name,
    namespace: metadata.namespace,
    servers: (spec.servers ?? []).map(({ name }) => name).filter((name) => seesServer(identity, name)),
    agents: (spec.agents ?? []).map(({ name }) => name).filter((name) => seesAgent(identity, name)),
  };
}
