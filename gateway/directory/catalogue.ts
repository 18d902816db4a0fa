// All that the directory lists, in the order of names, and what of it is alive: made of the registrations and of the instance's own
// agents and servers, anew when one of them has changed, each entry only when its resource has.
import type { PallasAgent } from "../../crds/agent.ts";
import type { PallasRegistration } from "../../crds/registration.ts";
import type { PallasServer } from "../../crds/server.ts";
import { isVisible, type Identity } from "../../lib/auth/roles.ts";
import { matchesToolPattern } from "../../crds/tool-pattern.ts";
import type { Clock, Timer } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { registrationId, renderAgent, renderRegistration, renderServer } from "./entry.ts";
import type { DirectoryEndpoint, DirectoryEntry } from "./entry.ts";
import { Liveness, type LivenessState } from "./liveness.ts";
import type { RegistrationStore } from "./store.ts";

/** What the instance runs itself. Each list is the same array while nothing in it has changed. */
export interface OwnResources {
  listAgents(): readonly PallasAgent[];
  listServers(): readonly { readonly resource?: PallasServer | undefined; readonly name: string }[];
  getServerAddress(name: string): { readonly url: string } | undefined;
}

export interface CatalogueParts {
  store: Pick<RegistrationStore, "list" | "onChange">;
  own: OwnResources;
  /** Of the instance, which its agents run. */
  version: string;
  log: Logger;
  clock: Clock;
}

/** Endpoints that came are noted no later, so that they count as unknown from then on and not from the first question. */
const noticeMs = 1_000;

export class Catalogue {
  readonly #parts: CatalogueParts;
  readonly #liveness: Liveness;
  readonly #rendered = new WeakMap<object, DirectoryEntry | "faulty">();
  readonly #stop: () => void;
  #registrations: readonly PallasRegistration[] | undefined;
  #registered: readonly DirectoryEntry[] = [];
  #byId = new Map<string, DirectoryEntry>();
  #timer: Timer | undefined;

  constructor(parts: CatalogueParts) {
    this.#parts = parts;
    this.#liveness = new Liveness(parts.clock);
    this.#stop = parts.store.onChange(() => {
      this.#timer ??= parts.clock.schedule(noticeMs, () => {
        this.#timer = undefined;
        this.#refresh();
      });
    });
  }

  close(): void {
    this.#stop();
    this.#timer?.cancel();
  }

  /** @param identity absent: somebody without a token, where reading needs none */
  *list(identity: Identity | undefined): Generator<DirectoryEntry> {
    this.#refresh();
    const own = this.#listOwn(identity).toSorted(byName);
    let next = 0;
    for (const entry of this.#registered) {
      for (let other = own[next]; other !== undefined && byName(other, entry) < 0; other = own[next]) {
        yield other;
        next += 1;
      }
      yield entry;
    }
    yield* own.slice(next);
  }

  /** Also one that is not registered but the instance's own. */
  find(id: string, identity: Identity | undefined): DirectoryEntry | undefined {
    return this.findRegistered(id) ?? this.#listOwn(identity).find((entry) => entry.id === id);
  }

  findRegistered(id: string): DirectoryEntry | undefined {
    this.#refresh();
    return this.#byId.get(id);
  }

  /** The resource itself, whose entry may be faulty. */
  findByName(name: string): PallasRegistration | undefined {
    return this.#parts.store.list().find(({ spec }) => spec.name === name);
  }

  observe = (endpoint: DirectoryEndpoint): LivenessState => {
    if (endpoint.livenessModel === "Readiness") return endpoint.isReady ? "live" : "dead";
    return this.#liveness.observe(endpoint.key, endpoint);
  };

  isLive = (endpoint: DirectoryEndpoint): boolean => this.observe(endpoint) !== "dead";

  beat({ key }: Pick<DirectoryEndpoint, "key">): void {
    this.#liveness.beat(key);
  }

  #refresh(): void {
    const registrations = this.#parts.store.list();
    if (registrations === this.#registrations) return;
    this.#registrations = registrations;
    this.#registered = registrations.flatMap((each) => this.#renderSound(each) ?? []).toSorted(byName);
    this.#byId = new Map(this.#registered.map((entry) => [entry.id, entry]));
    this.#liveness.keep(keysOf(this.#registered));
  }

  #renderSound(registration: PallasRegistration): DirectoryEntry | undefined {
    const known = this.#rendered.get(registration);
    if (known !== undefined) return known === "faulty" ? undefined : known;
    try {
      const entry = renderRegistration(registration);
      this.#rendered.set(registration, entry);
      return entry;
    } catch (error) {
      this.#rendered.set(registration, "faulty");
      const { name } = registration.metadata;
      this.#parts.log.warn(
        { registration: name, id: registrationId(registration), err: error },
        "registration cannot be read and is left out",
      );
      return undefined;
    }
  }

  #listOwn(identity: Identity | undefined): DirectoryEntry[] {
    const { own, version } = this.#parts;
    const sees = (globs: readonly string[] | undefined, name: string) => isVisible(globs, name, matchesToolPattern);
    const person = identity?.kind === "person" ? identity : undefined;
    const agents = own.listAgents().filter(({ metadata }) => sees(person?.agents, metadata.name));
    const servers = own.listServers().filter(({ name }) => sees(person?.servers, name));
    return [
      ...agents.map((agent) => this.#once(agent, () => renderAgent(agent, version))),
      ...servers.flatMap(({ resource, name }) =>
        resource === undefined ? [] : [renderServer(resource, own.getServerAddress(name)?.url)],
      ),
    ];
  }

  #once(resource: object, render: () => DirectoryEntry): DirectoryEntry {
    const known = this.#rendered.get(resource);
    if (known !== undefined && known !== "faulty") return known;
    const entry = render();
    this.#rendered.set(resource, entry);
    return entry;
  }
}

function* keysOf(entries: readonly DirectoryEntry[]): Generator<string> {
  for (const { endpoints } of entries) for (const { key } of endpoints) yield key;
}

function byName(a: DirectoryEntry, b: DirectoryEntry): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  if (a.id !== b.id) return a.id < b.id ? -1 : 1;
  return 0;
}
