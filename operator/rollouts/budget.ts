// How many agents may be on their way to the release's image at once (OPR-11). Read from the cache of Deployments, so a
// new process knows at once what an earlier one began; what was granted and does not show there yet is counted too.
import { keyOf, type LiveObject } from "../../lib/kube/object.ts";
import type { ReadStore } from "../../lib/kube/store.ts";
import { systemClock, type Clock } from "../../lib/process/clock.ts";
import { observeAgentDeployment } from "./rolling.ts";

export interface RolloutBudgetOptions {
  readonly deployments: Pick<ReadStore<LiveObject>, "onChange">;
  /** The image that this release gives to agents. */
  readonly image: string;
  readonly maxRollouts: number;
  /** Told of a Deployment that may ask again, by key. */
  readonly onFree: (deployment: string) => void;
  readonly clock?: Clock;
}

/** A grant that the cache does not show by then was not used: its write failed. */
const grantLifetimeMs = 60_000;

export class RolloutBudget {
  readonly #options: RolloutBudgetOptions;
  readonly #clock: Clock;
  readonly #rolling = new Set<string>();
  /** When each grant ends. */
  readonly #granted = new Map<string, number>();
  /** Who was refused, in the order of asking. */
  readonly #waiting = new Set<string>();

  constructor(options: RolloutBudgetOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    options.deployments.onChange((change) => {
      if (change.type === "deleted") this.#forget(keyOf(change.previous));
      else this.#observe(change.object);
      this.#wake();
    });
  }

  get image(): string {
    return this.#options.image;
  }

  get maxRollouts(): number {
    return this.#options.maxRollouts;
  }

  /** Whether this Deployment may get the image now. One that may not is told when to ask again. */
  take(deployment: string): boolean {
    if (this.#granted.has(deployment) || this.#free() > 0) {
      this.#waiting.delete(deployment);
      this.#granted.set(deployment, this.#clock.now() + grantLifetimeMs);
      return true;
    }
    this.#waiting.add(deployment);
    return false;
  }

  /** It needs no turn any more. */
  leave(deployment: string): void {
    this.#waiting.delete(deployment);
  }

  #free(): number {
    const now = this.#clock.now();
    for (const [deployment, endsAt] of this.#granted) if (endsAt <= now) this.#granted.delete(deployment);
    return this.#options.maxRollouts - new Set([...this.#rolling, ...this.#granted.keys()]).size;
  }

  #observe(live: LiveObject): void {
    const deployment = keyOf(live);
    const observed = observeAgentDeployment(live);
    const arrived = observed?.image === this.#options.image;
    if (arrived) this.#granted.delete(deployment);
    if (arrived && observed.rolling) this.#rolling.add(deployment);
    else this.#rolling.delete(deployment);
  }

  #forget(deployment: string): void {
    this.#rolling.delete(deployment);
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
}
