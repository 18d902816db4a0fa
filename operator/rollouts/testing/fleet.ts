// A fleet of agents as a server and the controller of Deployments would keep it, with an operator's pacing over it that
// can be started anew. What becomes of a rollout is the test's to say.
import type { V1Deployment } from "@kubernetes/client-node";
import type { LiveObject, RawObject } from "../../../lib/kube/object.ts";
import { Store } from "../../../lib/kube/store.ts";
import { ManualClock } from "../../../lib/process/testing/manual-clock.ts";
import { silentLog } from "../../../lib/kube/testing/silent-log.ts";
import { renderAgentChildren } from "../../render/agent-children.ts";
import type { Rendered } from "../../render/metadata.ts";
import { around, makeAgent, makeInstance } from "../../render/testing/resources.ts";
import { RolloutBudget } from "../budget.ts";
import { createImagePacing, type ImagePacing, type Paced } from "../pace-image.ts";
import { observeAgentDeployment, type AgentDeployment } from "../rolling.ts";

const oldImage = "pallas/agent:1";
export const newImage = "pallas/agent:2";

interface Member {
  readonly deployment: Rendered<V1Deployment>;
  /** What this release makes of it. */
  readonly desired: Rendered<V1Deployment>;
  readonly generation: number;
  readonly paused: boolean;
  readonly status: object;
}

interface Stored extends Member {
  /** As a server gives it. */
  readonly live: RawObject;
}

export interface FleetOptions {
  readonly maxRollouts: number;
  /** Whether each agent serves at first; the others gave up on the old image. */
  readonly serving: readonly boolean[];
}

const done = { replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
const conditions = [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" }];

const render = (name: string, image: string): Rendered<V1Deployment> => {
  const agent = makeAgent(name);
  return renderAgentChildren(agent, around(makeInstance(), agent), {
    agent: image,
    registry: "r",
    gateway: "g",
    bridge: "b",
  }).deployment;
};

export class Fleet {
  readonly clock = new ManualClock();
  readonly #maxRollouts: number;
  readonly #members = new Map<string, Stored>();
  readonly #store = new Store<LiveObject>({
    indexes: {},
    onListenerError: (error) => {
      throw error;
    },
  });
  #version = 0;
  #pacing: ImagePacing;

  constructor({ maxRollouts, serving }: FleetOptions) {
    this.#maxRollouts = maxRollouts;
    for (const [at, serves] of serving.entries()) {
      const status = { observedGeneration: 1, ...done, ...(serves ? {} : { availableReplicas: 0, conditions }) };
      const [deployment, desired] = [render(`agent-${at}`, oldImage), render(`agent-${at}`, newImage)];
      this.#put({ deployment, desired, generation: 1, paused: false, status });
    }
    this.#pacing = this.startPacing();
  }

  get names(): string[] {
    return [...this.#members.keys()];
  }

  observe(name: string): AgentDeployment {
    const observed = observeAgentDeployment(this.#member(name).live);
    if (observed === undefined) throw new Error(`expected the Deployment of an agent, found ${name}`);
    return observed;
  }

  /** A pacing that knows only what the cache holds. */
  startPacing(): ImagePacing {
    const budget = new RolloutBudget({
      deployments: this.#store,
      image: newImage,
      maxRollouts: this.#maxRollouts,
      onFree: () => undefined,
      log: silentLog(),
      clock: this.clock,
    });
    return createImagePacing(budget, this.#store);
  }

  restart(): void {
    this.#pacing = this.startPacing();
  }

  /** What a reconcile is to apply. */
  pace(name: string, pacing: ImagePacing = this.#pacing): Paced {
    const { desired, live } = this.#member(name);
    return pacing.paceImage({ desired, live, pinned: false, specHandled: true });
  }

  reconcile(name: string): void {
    const { deployment } = this.pace(name);
    if (deployment === undefined) return;
    const member = this.#member(name);
    const text = ({ spec, metadata }: typeof deployment) => JSON.stringify([spec, metadata.annotations]);
    if (text(deployment) === text(member.deployment)) return;
    // An API server counts annotations of a Deployment as part of what is to be carried out.
    this.#put({ ...member, deployment, generation: member.generation + 1 });
  }

  setPaused(name: string, paused: boolean): void {
    const member = this.#member(name);
    this.#put({ ...member, paused, generation: member.generation + 1 });
  }

  carryOut(name: string): void {
    this.#report(name, done);
  }

  /** @param surged whether the old pod is still there */
  giveUp(name: string, surged: boolean): void {
    this.#report(name, { ...done, replicas: surged ? 2 : 1, availableReplicas: surged ? 1 : 0, conditions });
  }

  #report(name: string, status: object): void {
    const member = this.#member(name);
    this.#put({ ...member, status: { observedGeneration: member.generation, ...status } });
  }

  #member(name: string): Stored {
    const found = this.#members.get(name);
    if (found === undefined) throw new Error(`expected an agent of the fleet, found ${name}`);
    return found;
  }

  #put(member: Member): void {
    this.#version += 1;
    const { metadata, ...rest } = structuredClone(member.deployment);
    if (rest.spec) rest.spec.paused = member.paused;
    const filled = { uid: metadata.name, resourceVersion: String(this.#version), generation: member.generation };
    const live = { ...rest, metadata: { ...metadata, ...filled }, status: member.status };
    this.#members.set(metadata.name, { ...member, live });
    this.#store.upsert(live);
  }
}
