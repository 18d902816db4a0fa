// How many agents may be on their way to what the release makes of them at once, and when no more may (OPR-11): one that served
// before and does not with this image keeps its place, so that a broken image costs no more agents than may move at once.
// Read from the cache of Deployments, so a new process knows at once what an earlier one began; what was granted and
// does not show there yet is counted too.
import { keyOf, type LiveObject } from "../../lib/kube/object.ts";
import type { ReadStore } from "../../lib/kube/store.ts";
import { systemClock, type Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { observeAgentDeployment } from "./rolling.ts";

export interface RolloutBudgetOptions {
  readonly deployments: Pick<ReadStore<LiveObject>, "onChange">;
  /** The image that this release gives to agents. */
  readonly image: string;
  readonly maxRollouts: number;
  /** Told of a Deployment that may ask again, by key. */
  readonly onFree: (deployment: string) => void;
  readonly log: Logger;
  readonly clock?: Clock;
}

/** A grant that the cache does not show by then was not used: its write failed. */
const grantLifetimeMs = 60_000;

export class RolloutBudget {
  readonly #options: RolloutBudgetOptions;
  readonly #clock: Clock;
  readonly #moving = new Set<string>();
  readonly #failed = new Set<string>();
  /** When each grant ends. */
  readonly #granted = new Map<string, number>();
  /** Who was refused, in the order of asking. */
  readonly #waiting = new Set<string>();
  #wasStopped = false;

  constructor(options: RolloutBudgetOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    options.deployments.onChange((change) => {
      if (change.type === "deleted") this.#forget(keyOf(change.previous));
      else this.#observe(change.object);
      this.#wake();
      this.#logStop();
    });
  }

  get image(): string {
    return this.#options.image;
  }

  get maxRollouts(): number {
    return this.#options.maxRollouts;
  }

  /** On their way to the image, or about to be. */
  get moving(): number {
    return this.#taken().size - this.#failed.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Those that served, got the image, and did not become available with it in their time; by key, in order. */
  get failed(): string[] {
    return [...this.#failed].toSorted();
  }

  /** Somebody waits, and nobody gets a turn before a failure heals. */
  get isStopped(): boolean {
    return this.#failed.size >= this.#options.maxRollouts && this.#waiting.size > 0;
  }

  /** Whether this Deployment may get the image now. One that may not is told when to ask again. */
  take(deployment: string): boolean {
    if (this.#granted.has(deployment) || this.#free() > 0) {
      this.#waiting.delete(deployment);
      this.#granted.set(deployment, this.#clock.now() + grantLifetimeMs);
      return true;
    }
    this.#waiting.add(deployment);
    this.#logStop();
    return false;
  }

  /** It needs no turn any more. */
  leave(deployment: string): void {
    this.#waiting.delete(deployment);
    this.#logStop();
  }

  #taken(): Set<string> {
    const now = this.#clock.now();
    for (const [deployment, endsAt] of this.#granted) if (endsAt <= now) this.#granted.delete(deployment);
    return new Set([...this.#moving, ...this.#failed, ...this.#granted.keys()]);
  }

  #free(): number {
    return this.#options.maxRollouts - this.#taken().size;
  }

  #observe(live: LiveObject): void {
    const deployment = keyOf(live);
    const observed = observeAgentDeployment(live);
    this.#moving.delete(deployment);
    this.#failed.delete(deployment);
    if (observed?.image !== this.#options.image) {
      this.#observePinned(deployment, observed?.state === "moving");
      return;
    }
    this.#granted.delete(deployment);
    if (observed.state === "moving") this.#moving.add(deployment);
    // One that did not serve before loses nothing, and says nothing about the image: it holds up nobody.
    if (observed.state === "gaveUp" && observed.previousImage !== undefined) this.#failed.add(deployment);
  }

  /** It never gets the image, so its turn lasts from when it begins to roll until it is done. */
  #observePinned(deployment: string, rolling: boolean): void {
    const endsAt = this.#granted.get(deployment);
    if (endsAt === undefined) return;
    if (rolling) this.#granted.set(deployment, Number.POSITIVE_INFINITY);
    else if (endsAt === Number.POSITIVE_INFINITY) this.#granted.delete(deployment);
  }

  #forget(deployment: string): void {
    this.#moving.delete(deployment);
    this.#failed.delete(deployment);
    this.#granted.delete(deployment);
    this.#waiting.delete(deployment);
  }

  #wake(): void {
    let free = this.#waiting.size > 0 ? this.#free() : 0;
    for (const deployment of this.#waiting) {
      if (free <= 0) return;
      free -= 1;
      this.#waiting.delete(deployment);
      this.#options.onFree(deployment);
    }
  }

  #logStop(): void {
    if (this.isStopped === this.#wasStopped) return;
    this.#wasStopped = this.isStopped;
    const { image, failed } = this;
    if (this.#wasStopped) this.#options.log.warn({ image, failed }, "rollout stopped");
    else this.#options.log.info({ image, failed }, "rollout no longer stopped");
  }
}
