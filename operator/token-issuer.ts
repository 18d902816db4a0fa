// The cluster's own issuer and its public keys, by which agents check the tokens of their gateway. They are read as soon as an
// agent behind a gateway is looked at, read again on a timer, and never where no instance has a gateway. Nothing waits for them
// but the first look: while they cannot be read, agents keep those that they were given.
import { configFiles } from "../crds/names.ts";
import { parseLiveConfig, type TokenSigner } from "../crds/run-config.ts";
import { readClusterIssuer, type ApiServerReader } from "../lib/auth/cluster-issuer.ts";
import { Backoff } from "../lib/kube/backoff.ts";
import { keyOf, type LiveObject } from "../lib/kube/object.ts";
import type { ReadStore } from "../lib/kube/store.ts";
import type { Clock, Timer } from "../lib/process/clock.ts";
import type { Logger } from "../lib/process/log.ts";
import type { WatchedInstance } from "../plan/parse-watched.ts";
import type { Caches } from "./caches.ts";

export const issuerTimes = {
  /** A cluster publishes a new key long before it signs by it, as a rule. */
  freshMs: 60 * 60_000,
  /** Between attempts while it cannot be read, at first and at most. */
  firstRetryMs: 5_000,
  maxRetryMs: 5 * 60_000,
} as const;

export interface TokenIssuer {
  /**
   * Of an agent whose instance has a gateway: the cluster's issuer and keys, and while they were never read those that its live
   * configuration, as cached, had when it was first looked at. Never rejects; waits for the first attempt alone.
   */
  observe(agentUid: string, liveConfig: LiveObject | undefined): Promise<TokenSigner | undefined>;
  /** What does not work, and the cure, in a sentence, while they cannot be read. */
  observeTrouble(): string | undefined;
  stop(): void;
}

export interface TokenIssuerOptions {
  readonly server: ApiServerReader;
  readonly instances: Pick<ReadStore<WatchedInstance>, "list">;
  /** The keys are others than those that were handed out, or there is another trouble or none. */
  readonly onChange: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

const hasGateway = ({ parsed }: WatchedInstance): boolean => parsed.ok && parsed.value.spec.gateway !== undefined;

export function createTokenIssuer(options: TokenIssuerOptions): TokenIssuer {
  return new ReadIssuer(options);
}

class ReadIssuer implements TokenIssuer {
  readonly #options: TokenIssuerOptions;
  readonly #backoff = new Backoff({ initialMs: issuerTimes.firstRetryMs, maxMs: issuerTimes.maxRetryMs });
  /** By uids of agents, while nothing was read: caches forget what a live configuration holds once it is judged. */
  readonly #kept = new Map<string, TokenSigner | undefined>();
  #first: Promise<void> | undefined;
  #known: TokenSigner | undefined;
  #trouble: string | undefined;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: TokenIssuerOptions) {
    this.#options = options;
  }

  async observe(agentUid: string, liveConfig: LiveObject | undefined): Promise<TokenSigner | undefined> {
    await (this.#first ??= this.#read());
    if (this.#known !== undefined) return this.#known;
    if (!this.#kept.has(agentUid)) this.#kept.set(agentUid, readSigner(liveConfig));
    return this.#kept.get(agentUid);
  }

  observeTrouble(): string | undefined {
    return this.#trouble;
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  async #read(): Promise<void> {
    const { server, clock, log, onChange } = this.#options;
    const before = { isFirst: this.#first === undefined, known: JSON.stringify(this.#known), trouble: this.#trouble };
    try {
      this.#known = inOrder(await readClusterIssuer(server));
      this.#kept.clear();
      this.#trouble = undefined;
      this.#backoff.reset();
      if (before.trouble !== undefined) log.info("issuer and keys of the cluster can be read again");
    } catch (error) {
      this.#trouble = renderTrouble(error);
      log.warn({ err: error }, this.#trouble);
    }
    if (this.#isStopped) return;
    const delayMs = this.#trouble === undefined ? issuerTimes.freshMs : this.#backoff.nextMs();
    this.#timer = clock.schedule(delayMs, () => this.#again());
    // Who waits for the first attempt is given what it found.
    const isOther = !before.isFirst && JSON.stringify(this.#known) !== before.known;
    if (isOther || this.#trouble !== before.trouble) onChange();
  }

  #again(): void {
    if (this.#options.instances.list().some(hasGateway)) {
      void this.#read();
      return;
    }
    this.#first = undefined;
    this.#known = undefined;
    this.#trouble = undefined;
    this.#kept.clear();
  }
}

/** Servers of one control plane may list the same keys in another order. */
const inOrder = ({ issuer, keys }: TokenSigner): TokenSigner => ({
  issuer,
  keys: keys.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
});

function renderTrouble(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return (
    `the cluster's issuer and keys cannot be read, so that new agents cannot know their gateway, and none a new key: ${why}; ` +
    "every ServiceAccount may read them by the ClusterRoleBinding system:service-account-issuer-discovery: restore it where it is missing"
  );
}

/** What an operator before this one wrote; undefined where that cannot be told. */
function readSigner(liveConfig: LiveObject | undefined): TokenSigner | undefined {
  const data: unknown = liveConfig && Reflect.get(liveConfig, "data");
  const text: unknown = data instanceof Object ? Reflect.get(data, configFiles.live) : undefined;
  if (typeof text !== "string") return undefined;
  try {
    const { gateway } = parseLiveConfig(text);
    return gateway && { issuer: gateway.issuer, keys: gateway.keys };
  } catch {
    return undefined; // Edited by hand: it is written anew.
  }
}

export interface GatewayWakes {
  wakeAgent(key: string): void;
  wakeInstance(key: string): void;
}

/** Looks again at every instance that has a gateway, and at its agents. */
export function wakeBehindGateways(
  { instances, agents }: Pick<Caches, "instances" | "agents">,
  wakes: GatewayWakes,
): void {
  for (const instance of instances.store.list().filter(hasGateway)) {
    const key = keyOf(instance);
    wakes.wakeInstance(key);
    for (const agent of agents.store.byIndex("instance", key)) wakes.wakeAgent(keyOf(agent));
  }
}
