// What the directory does for a caller who was named (DIR-1, DIR-2, DIR-4): registers, changes and removes for owners and admins, and
// hears their beats. It knows nothing of HTTP; what it may not do it refuses with a sentence.
import { randomUUID } from "node:crypto";
import type { PallasRegistration, RegistrationSpec } from "../../crds/registration.ts";
import { requireRole, type Identity } from "../../lib/auth/roles.ts";
import { renderTime, type Clock } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import { readCard } from "./card.ts";
import type { Catalogue } from "./catalogue.ts";
import { renderRegistration, type DirectoryEndpoint, type DirectoryEntry } from "./entry.ts";
import type { RegisteredEndpoint } from "./liveness.ts";
import { chooseResourceName, isSameRegistration, renderManifest } from "./manifest.ts";
import { DirectoryRefused } from "./refused.ts";
import type { RegistrationStore } from "./store.ts";
import type { SubmittedAgent, SubmittedEndpoint } from "./submission.ts";
import { createTurns } from "./turns.ts";

export const maxRegistrations = 10_000;
/** Of all cards, in characters. */
export const maxCardsChars = 32 * 1024 * 1024;
/** Of what was registered by its card, as other directories have it. */
const cardHeartbeatSeconds = 30;
const cardEndpointName = "streamable-http";

export interface DirectoryParts {
  catalogue: Catalogue;
  store: RegistrationStore;
  namespace: string;
  instance: string;
  clock: Clock;
}

/** Of a registration but for who and when. */
type Content = Omit<RegistrationSpec, "instanceRef" | "owner" | "registeredAt" | "updatedAt">;
/** From what is known of it now; undefined where there is none. */
type Change = (known: PallasRegistration | undefined) => Content;

export interface Registered {
  entry: DirectoryEntry;
  isNew: boolean;
}

export class Directory {
  readonly catalogue: Catalogue;
  readonly #parts: DirectoryParts;
  readonly #inTurn = createTurns();

  constructor(parts: DirectoryParts) {
    this.catalogue = parts.catalogue;
    this.#parts = parts;
  }

  /** In place of what the caller registered by this name, or anew. */
  async register(submitted: SubmittedAgent, caller: Identity): Promise<Registered> {
    return await this.#registerByName(submitted.name, caller, (known) => ({
      ...submitted,
      endpoints: withIds(submitted.endpoints ?? [], known),
    }));
  }

  /** @param card its text, which is kept as it is */
  async registerCard(card: string, caller: Identity): Promise<Registered> {
    const { name, address } = readCard(card);
    const endpoint: SubmittedEndpoint = {
      ...{ name: cardEndpointName, transport: "Http", protocol: "MCP", address },
      ...{ livenessModel: "Persistent", heartbeatIntervalSeconds: cardHeartbeatSeconds },
    };
    return await this.#registerByName(name, caller, (known) => ({ name, card, endpoints: withIds([endpoint], known) }));
  }

  /** Capabilities and endpoints stay as they are where none are given. */
  async change(id: string, submitted: SubmittedAgent, caller: Identity): Promise<DirectoryEntry> {
    return await this.#changeOwned(id, caller, (known) => {
      const other = this.catalogue.findByName(submitted.name);
      if (other !== undefined && other.metadata.name !== known.metadata.name) {
        throw new DirectoryRefused(409, `"${submitted.name}" is registered already: choose another name`);
      }
      const { endpoints, capabilities = known.spec.capabilities, ...others } = submitted;
      const kept = endpoints === undefined ? known.spec.endpoints : withIds(endpoints, known);
      return { ...others, ...defined({ capabilities, endpoints: kept }) };
    });
  }

  async remove(id: string, caller: Identity): Promise<void> {
    const { metadata } = this.#findOwned(id, caller);
    await this.#inTurn(metadata.name, () => this.#parts.store.remove(metadata.name, caller));
  }

  async addEndpoint(id: string, submitted: SubmittedEndpoint, caller: Identity): Promise<DirectoryEndpoint> {
    const endpointId = randomUUID();
    const entry = await this.#changeOwned(
      id,
      caller,
      ({ spec }) => {
        refuseTakenName(spec, submitted.name);
        return { ...contentOf(spec), endpoints: [...(spec.endpoints ?? []), { id: endpointId, ...submitted }] };
      },
      endpointId,
    );
    return findEndpoint(entry, endpointId);
  }

  async changeEndpoint(
    id: string,
    endpointId: string,
    submitted: SubmittedEndpoint,
    caller: Identity,
  ): Promise<DirectoryEndpoint> {
    const entry = await this.#changeOwned(
      id,
      caller,
      ({ spec }) => {
        const others = withoutEndpoint(spec, endpointId);
        refuseTakenName({ endpoints: others }, submitted.name);
        const endpoints = (spec.endpoints ?? []).map((each) =>
          each.id === endpointId ? { id: endpointId, ...submitted } : each,
        );
        return { ...contentOf(spec), endpoints };
      },
      endpointId,
    );
    return findEndpoint(entry, endpointId);
  }

  async removeEndpoint(id: string, endpointId: string, caller: Identity): Promise<void> {
    await this.#changeOwned(
      id,
      caller,
      ({ spec }) => ({ ...contentOf(spec), endpoints: withoutEndpoint(spec, endpointId) }),
      "none",
    );
  }

  /** Throws where the endpoint's model has another way to stay alive. */
  beat(id: string, endpointId: string, way: "heartbeat" | "renew", caller: Identity): void {
    const entry = this.#findEntry(id, caller);
    const endpoint = findEndpoint(entry, endpointId);
    if (endpoint.livenessModel === "Readiness") {
      throw new DirectoryRefused(400, `endpoint "${endpointId}" is alive while its pod is ready, and takes no ${way}`);
    }
    requireOwner(entry.registration, caller);
    const own = endpoint.livenessModel === "Persistent" ? "heartbeat" : "renew";
    if (way !== own) {
      throw new DirectoryRefused(
        400,
        `endpoint "${endpointId}" is ${endpoint.livenessModel}: use /${own} instead of /${way}`,
      );
    }
    this.catalogue.beat(endpoint);
  }

  /** Throws where there is none, or none for this caller. */
  #findEntry(id: string, caller: Identity): DirectoryEntry {
    const entry = this.catalogue.find(id, caller);
    if (entry !== undefined) return entry;
    throw new DirectoryRefused(404, `nothing is registered by the id "${id.slice(0, 64)}"`);
  }

  #findOwned(id: string, caller: Identity): PallasRegistration {
    const { registration, kind, name } = this.#findEntry(id, caller);
    if (registration === undefined) {
      const resource = kind === "agent" ? "PallasAgent" : "PallasServer";
      throw new DirectoryRefused(403, `"${name}" is a ${resource} of this instance: change its manifest`);
    }
    return requireOwner(registration, caller);
  }

  async #registerByName(name: string, caller: Identity, change: Change): Promise<Registered> {
    const { store, instance } = this.#parts;
    const isTaken = (resourceName: string) => store.list().some(({ metadata }) => metadata.name === resourceName);
    const find = () => this.catalogue.findByName(name);
    const resourceName = find()?.metadata.name ?? chooseResourceName(instance, name, isTaken);
    return await this.#inTurn(resourceName, async () => {
      const known = find();
      if (known !== undefined) requireOwner(known, caller);
      return { entry: await this.#put(resourceName, known, change(known), caller), isNew: known === undefined };
    });
  }

  /** @param heard the endpoint that is alive by this; absent: all of them */
  async #changeOwned(
    id: string,
    caller: Identity,
    change: (known: PallasRegistration) => Content,
    heard?: string,
  ): Promise<DirectoryEntry> {
    const { metadata } = this.#findOwned(id, caller);
    return await this.#inTurn(metadata.name, async () => {
      const known = this.#findOwned(id, caller);
      if (known.spec.card !== undefined) {
        throw new DirectoryRefused(
          409,
          `"${known.spec.name}" was registered by its card: register the changed card at /mcp/servers`,
        );
      }
      return await this.#put(metadata.name, known, change(known), caller, heard);
    });
  }

  /** Whoever writes is alive. What says the same is not written again. */
  async #put(
    name: string,
    known: PallasRegistration | undefined,
    content: Content,
    caller: Identity,
    heard?: string,
  ): Promise<DirectoryEntry> {
    const { store, namespace, instance, clock } = this.#parts;
    const now = renderTime(clock);
    const spec: RegistrationSpec = {
      ...content,
      instanceRef: { name: instance },
      owner: known?.spec.owner ?? caller.subject,
      registeredAt: known?.spec.registeredAt ?? now,
      updatedAt: now,
    };
    const manifest = renderManifest({ namespace, name }, spec);
    const isSame = known !== undefined && isSameRegistration(known.spec, spec);
    if (!isSame) {
      this.#refuseFull(manifest, known);
      await store.put(manifest, caller);
    }
    const entry = renderRegistration(isSame ? known : manifest);
    for (const endpoint of entry.endpoints) {
      if (heard === undefined || endpoint.id === heard) this.catalogue.beat(endpoint);
    }
    return entry;
  }

  #refuseFull({ spec }: PallasRegistration, known: PallasRegistration | undefined): void {
    const all = this.#parts.store.list();
    if (known === undefined && all.length >= maxRegistrations) {
      throw new DirectoryRefused(
        507,
        `the directory holds ${all.length} registrations, as many as it can: remove one first`,
      );
    }
    const chars = all.reduce(
      (sum, each) => sum + (each === known ? 0 : (each.spec.card?.length ?? 0)),
      spec.card?.length ?? 0,
    );
    if (chars > maxCardsChars && chars > (known?.spec.card?.length ?? 0)) {
      throw new DirectoryRefused(
        507,
        `the cards of the directory would have ${chars} characters, more than ${maxCardsChars}: remove some first`,
      );
    }
  }
}

function requireOwner(registration: PallasRegistration | undefined, caller: Identity): PallasRegistration {
  const isAdmin = requireRole(caller, "admin") === undefined;
  if (registration !== undefined && (isAdmin || registration.spec.owner === caller.subject)) return registration;
  throw new DirectoryRefused(403, "only who registered it, and admins, may do this");
}

/** Those that had an id by their name keep it. */
function withIds(submitted: readonly SubmittedEndpoint[], known: PallasRegistration | undefined): RegisteredEndpoint[] {
  const ids = new Map(known?.spec.endpoints?.map(({ name, id }) => [name, id]));
  return submitted.map((each) => ({ id: ids.get(each.name) ?? randomUUID(), ...each }));
}

/** Of one that has no card: those are not changed in part. */
const contentOf = ({ name, description, labels, capabilities, endpoints }: RegistrationSpec): Content => ({
  name,
  ...defined({ description, labels, capabilities, endpoints }),
});

function refuseTakenName({ endpoints }: Pick<RegistrationSpec, "endpoints">, name: string): void {
  if (endpoints?.some((each) => each.name === name) !== true) return;
  throw new DirectoryRefused(409, `it has an endpoint "${name}" already: choose another name`);
}

function withoutEndpoint({ endpoints = [] }: RegistrationSpec, endpointId: string): RegisteredEndpoint[] {
  const others = endpoints.filter(({ id }) => id !== endpointId);
  if (others.length < endpoints.length) return others;
  throw new DirectoryRefused(404, `it has no endpoint "${endpointId.slice(0, 64)}"`);
}

/** Throws where it has none. */
export function findEndpoint({ endpoints }: DirectoryEntry, endpointId: string): DirectoryEndpoint {
  const found = endpoints.find(({ id }) => id === endpointId);
  if (found !== undefined) return found;
  throw new DirectoryRefused(404, `it has no endpoint "${endpointId.slice(0, 64)}"`);
}
