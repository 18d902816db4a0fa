// A gateway's approvals on a store in memory, by a clock that a test moves: questions, people who decide, and what was counted.
import { onTestFinished } from "vitest";
import type { ApprovalDecision, PallasApproval } from "../../../crds/approval.ts";
import type { ApprovalQuestion } from "../../../crds/approval-wire.ts";
import { kinds } from "../../../crds/kinds.ts";
import type { Identity, PersonIdentity } from "../../../lib/auth/roles.ts";
import { hashArguments } from "../../../lib/policy/canonical-json.ts";
import { createLogger } from "../../../lib/process/log.ts";
import { ManualClock } from "../../../lib/process/testing/manual-clock.ts";
import { agentManifest, serverResource } from "../../testing/resources.ts";
import type { Verdict } from "../approvals.ts";
import { createApprovals, type ServedApprovals } from "../life.ts";
import type { ApprovalStore } from "../store.ts";
import type { ApprovalEnd } from "../tally.ts";
import { createMemoryStore, type MemoryStore } from "./memory-store.ts";

export const timeoutMs = 600_000;
export const keepMs = 3_600_000;

export const hashOf = (args: object): string => `sha256:${hashArguments(args)}`;
const hex = (digit: string) => digit.repeat(64);

/** A question about `pay` with these arguments. */
export const questionOf = (
  args: object = { amount: 40 },
  changes: Partial<ApprovalQuestion> = {},
): ApprovalQuestion => ({
  sessionHash: hex("a"),
  caller: "ann",
  role: "caller",
  chain: [],
  server: "bank",
  tool: "pay",
  toolHash: `sha256:${hex("b")}`,
  argumentsHash: hashOf(args),
  arguments: JSON.stringify(args),
  redacted: [],
  policy: { name: "careful", generation: 3, rule: "pay" },
  ...changes,
});

export const person = (name: string, changes: Partial<PersonIdentity> = {}): Identity => ({
  ...{ kind: "person", subject: `subject of ${name}`, name, groups: [], role: "approver" },
  ...changes,
});

export interface Scene {
  store: MemoryStore;
  clock: ManualClock;
  approvals: ServedApprovals;
  counted: ApprovalEnd[];
  /** Uids by the names of agents. */
  agents: Map<string, string>;
  /** Names of servers that are resources. */
  servers: Set<string>;
  /** The next process on the same store. */
  restart(): Promise<ServedApprovals>;
}

export function createScene({ store = createMemoryStore(), clock = new ManualClock(), keptMs = keepMs } = {}): Scene {
  const counted: ApprovalEnd[] = [];
  const agents = new Map([
    ["clerk", "uid-of-clerk"],
    ["other", "uid-of-other"],
  ]);
  const servers = new Set<string>();
  const start = (): ServedApprovals => {
    const count = (end: ApprovalEnd) => counted.push(end);
    const started = startApprovals({ store, clock, agents, servers, keptMs, count });
    onTestFinished(() => started.close());
    return started;
  };
  const scene: Scene = {
    ...{ store, clock, approvals: start(), counted, agents, servers },
    async restart() {
      await scene.approvals.close();
      scene.approvals = start();
      return scene.approvals;
    },
  };
  return scene;
}

interface StartParts {
  store: ApprovalStore;
  clock: ManualClock;
  agents: ReadonlyMap<string, string>;
  servers?: ReadonlySet<string>;
  keptMs?: number;
  count: (end: ApprovalEnd) => void;
}

export const startApprovals = ({
  store,
  clock,
  agents,
  servers = new Set(),
  keptMs = keepMs,
  count,
}: StartParts): ServedApprovals =>
  createApprovals({
    config: {
      instance: { name: "ouranos", namespace: "agents", version: "1.0.0" },
      approvals: { timeoutMs, keepMs: keptMs },
    },
    store,
    state: {
      getInstance: () => undefined,
      getAgent(name) {
        const uid = agents.get(name);
        return uid === undefined ? undefined : kinds.PallasAgent.manifest.parse(agentManifest(name, {}, uid));
      },
      getServer: (name) => (servers.has(name) ? { name, resource: serverResource(name) } : undefined),
      observeUnready: () => undefined,
    },
    metrics: { countApproval: count },
    log: createLogger({ logger: "test", level: "SILENT" }),
    clock,
  });

/** What a decision past the gateway looks like. */
export const decided = (
  { spec }: PallasApproval,
  changes: Partial<ApprovalDecision> & Pick<ApprovalDecision, "at">,
): ApprovalDecision => ({ verdict: "approve", argumentsHash: spec.argumentsHash, by: "bob", ...changes });

export const approve = (argumentsHash = hashOf({ amount: 40 })): Verdict => ({ verdict: "approve", argumentsHash });

export const uses = (n: number, argumentsHash = hashOf({ amount: 40 })) => ({
  use: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
  argumentsHash,
});

/** In place of what a test expects to be there. */
export function missing(): never {
  throw new Error("expected it to be there, found nothing");
}
