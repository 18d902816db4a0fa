// Approvals as resources of the cluster: read from the gateway's watch, written by one API call each, which the API server
// refuses when the object is another form than was seen. The watch is behind what this process wrote; until it has caught up, that counts.
import type { ApprovalDecision, ApprovalStatus, PallasApproval } from "../../crds/approval.ts";
import { kinds } from "../../crds/kinds.ts";
import { isConflict, isNotFound, ApiError, TransportError } from "../../lib/kube/api-error.ts";
import type { LiveObject } from "../../lib/kube/object.ts";
import { isOlder } from "../../lib/kube/resource-version.ts";
import { collectionPath, objectPath } from "../../lib/kube/resource.ts";
import type { Call, Transport } from "../../lib/kube/transport.ts";
import { parseWatched } from "../../plan/parse-watched.ts";
import type { GatewayState } from "../state/state.ts";
import { StoreRefused, type ApprovalStore, type StoreRefusal } from "./store.ts";

/** Of everything that a gateway writes (OPR-2). */
const fieldManager = "pallas-gateway";
const timeoutMs = 15_000;
/**
 * A connection that was idle may be closed at the very moment at which it is used. A write that was taken all the same is refused when it
 * comes again, by its name or its resourceVersion, and whoever wrote it reads what is there.
 */
const sendTries = 3;
const query = { fieldManager, fieldValidation: "Strict" };
const contentType = "application/merge-patch+json";

export interface ClusterStoreParts {
  transport: Pick<Transport, "request">;
  state: Pick<GatewayState, "namespace" | "instance" | "listApprovals" | "onChange">;
}

export function createClusterStore(parts: ClusterStoreParts): ApprovalStore & { close(): void } {
  return new ClusterStore(parts);
}

class ClusterStore implements ApprovalStore {
  readonly #parts: ClusterStoreParts;
  /** What this process read or wrote last, while the watch has an older form or none. */
  readonly #ahead = new Map<string, PallasApproval>();
  readonly #listeners = new Set<(names: readonly string[]) => void>();
  readonly #stop: () => void;
  #listed: readonly PallasApproval[] | undefined;

  constructor(parts: ClusterStoreParts) {
    this.#parts = parts;
    this.#stop = parts.state.onChange(({ approvals }) => {
      if (approvals.length > 0) this.#catchUp(approvals);
    });
  }

  list(): readonly PallasApproval[] {
    if (this.#ahead.size === 0) return this.#parts.state.listApprovals();
    return (this.#listed ??= this.#merge());
  }

  async read(name: string): Promise<PallasApproval | undefined> {
    try {
      return this.#keep(await this.#send({ method: "GET", path: this.#pathOf(name) }));
    } catch (error) {
      if (error instanceof StoreRefused && error.kind === "gone") return this.#forget(name);
      throw error;
    }
  }

  async create({ apiVersion, kind, metadata, spec }: PallasApproval): Promise<PallasApproval> {
    const path = collectionPath(kinds.PallasApproval.type, this.#parts.state.namespace);
    return this.#keep(await this.#send({ method: "POST", path, query, body: { apiVersion, kind, metadata, spec } }));
  }

  async decide(seen: PallasApproval, decision: ApprovalDecision): Promise<PallasApproval> {
    return await this.#patch(seen, { spec: { decision } });
  }

  async setStatus(seen: PallasApproval, status: ApprovalStatus): Promise<PallasApproval> {
    return await this.#patch(seen, { status }, "status");
  }

  async remove({ metadata }: PallasApproval): Promise<void> {
    const { name, uid, resourceVersion } = metadata;
    await this.#send({
      method: "DELETE",
      path: this.#pathOf(name),
      body: { apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid, resourceVersion } },
    });
    this.#forget(name);
  }

  onChange(listener: (names: readonly string[]) => void): () => void {
    const own = (names: readonly string[]) => listener(names);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  close(): void {
    this.#stop();
    this.#listeners.clear();
  }

  #merge(): readonly PallasApproval[] {
    const known = new Map(this.#parts.state.listApprovals().map((each) => [each.metadata.name, each]));
    for (const [name, ahead] of this.#ahead) known.set(name, ahead);
    return [...known.values()].toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  #catchUp(names: readonly string[]): void {
    if (this.#ahead.size > 0) {
      const known = new Map(this.#parts.state.listApprovals().map((each) => [each.metadata.name, each]));
      for (const name of names) {
        const [ahead, watched] = [this.#ahead.get(name), known.get(name)];
        if (ahead !== undefined && (watched === undefined || !isBehind(watched, ahead))) this.#ahead.delete(name);
      }
    }
    this.#tell(names);
  }

  async #patch({ metadata }: PallasApproval, patch: object, subresource?: "status"): Promise<PallasApproval> {
    const { name, uid, resourceVersion } = metadata;
    const body = { metadata: { uid, resourceVersion }, ...patch };
    const path = this.#pathOf(name, subresource);
    return this.#keep(await this.#send({ method: "PATCH", path, query, body, contentType }));
  }

  #pathOf(name: string, subresource?: "status"): string {
    return objectPath(kinds.PallasApproval.type, { namespace: this.#parts.state.namespace, name }, subresource);
  }

  #keep(answer: unknown): PallasApproval {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API server answers with the object
    const { parsed } = parseWatched(kinds.PallasApproval, answer as LiveObject, undefined);
    if (!parsed.ok) {
      throw new StoreRefused("away", "this gateway cannot read the approval: it may be older than the cluster's CRDs");
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a resource is what its kind reads, with metadata
    const approval = parsed.value as PallasApproval;
    const { name } = approval.metadata;
    if (approval.spec.instanceRef.name !== this.#parts.state.instance) return approval;
    this.#ahead.set(name, approval);
    this.#tell([name]);
    return approval;
  }

  #forget(name: string): undefined {
    this.#ahead.delete(name);
    this.#tell([name]);
  }

  #tell(names: readonly string[]): void {
    this.#listed = undefined;
    for (const listener of [...this.#listeners]) listener(names);
  }

  async #send(call: Call): Promise<unknown> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#parts.transport.request({ ...call, timeoutMs });
      } catch (cause) {
        if (isCut(cause) && tries < sendTries) continue;
        const kind = kindOf(cause);
        const words = cause instanceof Error ? cause.message : String(cause);
        throw new StoreRefused(kind, kind === "away" ? `the API server gave no answer: ${words}` : words, { cause });
      }
    }
  }
}

const isBehind = ({ metadata: watched }: PallasApproval, { metadata: ahead }: PallasApproval): boolean =>
  watched.uid === ahead.uid && isOlder(watched.resourceVersion ?? "", ahead.resourceVersion ?? "");

const isCut = (cause: unknown): boolean => cause instanceof TransportError && !cause.timedOut;

function kindOf(cause: unknown): StoreRefusal {
  if (!(cause instanceof ApiError)) return "away";
  if (cause.reason === "AlreadyExists") return "taken";
  if (isNotFound(cause)) return "gone";
  if (isConflict(cause)) return "changed";
  // What the API server is too busy for, or cannot say now.
  return cause.status === 429 || cause.status >= 500 ? "away" : "invalid";
}
