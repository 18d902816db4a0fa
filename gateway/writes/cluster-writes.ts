// The one place that writes resources to the API server, in the name of a caller, whom the log names beside each write: those of
// this instance, their spec alone, and each by one call. It decides nothing: whether somebody may, and whether what is written is
// sound, is judged by who asks. Names are used again, so that what is changed is the object that the caller saw, by its uid.
import type { GatewayConfig } from "../../crds/gateway-config.ts";
import { kinds, type Kind } from "../../crds/kinds.ts";
import type { Identity } from "../../lib/auth/roles.ts";
import { ApiError } from "../../lib/kube/api-error.ts";
import type { LiveObject } from "../../lib/kube/object.ts";
import { collectionPath, objectPath } from "../../lib/kube/resource.ts";
import type { Call, Transport } from "../../lib/kube/transport.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { parseWatched } from "../../plan/parse-watched.ts";
import type { GatewayMetrics, WriteOperation, WriteOutcome } from "../metrics.ts";
import { WriteRefused, type GatewayState, type ResourceWrites, type WritesFor } from "../state/state.ts";
import { renderProblem } from "./problem.ts";
import { untilSeen } from "./seen.ts";
import { renderSpecPatch, renderSpecReplacement, type PatchOperation } from "./spec-patch.ts";

/** Of everything that a gateway writes (OPR-2). */
const gatewayFieldManager = "pallas-gateway";
const writeTimeoutMs = 15_000;

export interface WritesOptions {
  transport: Pick<Transport, "request">;
  state: Pick<
    GatewayState,
    "namespace" | "instance" | "getAgent" | "listServers" | "getPolicy" | "listRegistrations" | "onChange"
  >;
  management: GatewayConfig["management"];
  metrics: Pick<GatewayMetrics, "countWrite">;
  log: Logger;
  clock: Clock;
}

/** A resource of an instance, as far as writing needs it. */
interface OfInstance {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly generation?: number;
  };
  readonly spec: object & { readonly instanceRef: { readonly name: string } };
}

/** What the writes of one kind differ in. */
interface Written<Resource> {
  readonly kind: Kind<unknown, unknown, Resource>;
  /** As people are told. */
  readonly word: "agent" | "server" | "policy" | "registration";
  find(name: string): Resource | undefined;
  /** Whether it takes management: readWrite. */
  readonly isManaged: boolean;
}

interface Write extends Pick<Call, "method" | "path" | "query" | "body" | "contentType"> {
  operation: WriteOperation;
  name: string;
}

const query = { fieldManager: gatewayFieldManager, fieldValidation: "Strict" };

export function createClusterWrites(options: WritesOptions): WritesFor {
  const { state } = options;
  const agents = { kind: kinds.PallasAgent, word: "agent", find: state.getAgent.bind(state), isManaged: true } as const;
  const servers = {
    kind: kinds.PallasServer,
    word: "server",
    find: (name: string) => state.listServers().find(({ resource }) => resource?.metadata.name === name)?.resource,
    isManaged: true,
  } as const;
  const policies = {
    kind: kinds.PallasPolicy,
    word: "policy",
    find: state.getPolicy.bind(state),
    isManaged: true,
  } as const;
  const registrations = {
    kind: kinds.PallasRegistration,
    word: "registration",
    find: (name: string) => state.listRegistrations().find(({ metadata }) => metadata.name === name),
    isManaged: false,
  } as const;
  return (caller) => ({
    agents: new KindWrites(options, agents, caller),
    servers: new KindWrites(options, servers, caller),
    policies: new KindWrites(options, policies, caller),
    registrations: new KindWrites(options, registrations, caller),
  });
}

class KindWrites<Resource extends OfInstance> implements ResourceWrites<Resource> {
  readonly #options: WritesOptions;
  readonly #written: Written<Resource>;
  readonly #caller: Identity;

  constructor(options: WritesOptions, written: Written<Resource>, caller: Identity) {
    this.#options = options;
    this.#written = written;
    this.#caller = caller;
  }

  async create(manifest: Resource): Promise<Resource> {
    const { apiVersion, kind, metadata, spec } = manifest;
    this.#requireOwn(manifest);
    const { name } = metadata;
    // A status is another's.
    const body = { apiVersion, kind, metadata, spec };
    const path = collectionPath(this.#written.kind.type, this.#options.state.namespace);
    return await this.#seen(await this.#write({ operation: "create", name, method: "POST", path, query, body }));
  }

  async patch(name: string, mergePatch: object): Promise<Resource> {
    const others = Object.keys(mergePatch).filter((key) => key !== "spec");
    if (others.length > 0) {
      const message = `only the spec of ${this.#written.word === "agent" ? "an agent" : `a ${this.#written.word}`} can be changed, found ${others.join(", ")}`;
      throw new WriteRefused(message, { kind: "invalid" });
    }
    const changes: unknown = Reflect.get(mergePatch, "spec");
    return await this.#patch(name, renderSpecPatch(this.#known(name), Object(changes)));
  }

  async upsert(manifest: Resource): Promise<Resource> {
    const { name } = manifest.metadata;
    const known = this.#written.find(name);
    if (known === undefined) return await this.create(manifest);
    this.#requireOwn(manifest);
    return await this.#patch(name, renderSpecReplacement(known, manifest.spec));
  }

  async delete(name: string): Promise<void> {
    const { namespace } = this.#options.state;
    await this.#write({
      operation: "delete",
      name,
      method: "DELETE",
      path: objectPath(this.#written.kind.type, { namespace, name }),
      body: {
        apiVersion: "v1",
        kind: "DeleteOptions",
        preconditions: { uid: this.#known(name).metadata.uid },
        propagationPolicy: "Background",
      },
    });
  }

  async #patch(name: string, body: readonly PatchOperation[]): Promise<Resource> {
    const { namespace } = this.#options.state;
    const path = objectPath(this.#written.kind.type, { namespace, name });
    const contentType = "application/json-patch+json";
    return await this.#seen(
      await this.#write({ operation: "patch", name, method: "PATCH", path, query, body, contentType }),
    );
  }

  #requireOwn({ metadata, spec }: Resource): void {
    const { namespace, instance } = this.#options.state;
    if (metadata.namespace === namespace && spec.instanceRef.name === instance) return;
    const article = this.#written.word === "agent" ? "an" : "a";
    const expected = `${article} ${this.#written.word} of instance "${instance}" in namespace "${namespace}" was expected`;
    const message = `${expected}, found one of "${spec.instanceRef.name}" in "${metadata.namespace}"`;
    throw new WriteRefused(message, { kind: "invalid" });
  }

  async #seen(answer: unknown): Promise<Resource> {
    const { state, clock } = this.#options;
    const resource = this.#parseAnswer(answer);
    const find = () => this.#written.find(resource.metadata.name);
    await untilSeen(resource.metadata, { find, onChange: state.onChange.bind(state) }, clock);
    return resource;
  }

  /** Of this instance, as it is known. */
  #known(name: string): Resource {
    const { word, find } = this.#written;
    const found = find(name);
    if (found !== undefined) return found;
    const message = `instance "${this.#options.state.instance}" has no ${word} "${name}"`;
    throw new WriteRefused(message, { kind: "gone" });
  }

  async #write({ operation, name, ...call }: Write): Promise<unknown> {
    const { transport, management, metrics, log, clock, state } = this.#options;
    const { word, isManaged } = this.#written;
    if (isManaged && management !== "readWrite") {
      throw new WriteRefused(
        `this gateway may not change ${word}s: spec.gateway.management of instance "${state.instance}" is ${management}; set it to readWrite`,
        { kind: "not-allowed" },
      );
    }
    const startedAt = clock.now();
    const tell = (outcome: WriteOutcome, cause?: unknown) => {
      metrics.countWrite(operation, outcome);
      const { subject } = this.#caller;
      const role = this.#caller.kind === "person" ? this.#caller.role : undefined;
      const durationMs = Math.round(clock.now() - startedAt);
      const fields = { operation, [word]: name, namespace: state.namespace, subject, role, outcome, durationMs };
      if (cause === undefined) log.info(fields, `${word} written`);
      else log.warn({ ...fields, err: cause }, `${word} not written`);
    };
    try {
      const answer = await transport.request({ ...call, timeoutMs: writeTimeoutMs });
      tell("ok");
      return answer;
    } catch (cause) {
      tell(cause instanceof ApiError ? "refused" : "failed", cause);
      const { kind, message } = renderProblem(cause, word, name);
      throw new WriteRefused(message, { kind, cause });
    }
  }

  /** What the API server says it holds now. */
  #parseAnswer(answer: unknown): Resource {
    const { kind, word } = this.#written;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API server answers a write with the object
    const { parsed } = parseWatched(kind, answer as LiveObject, undefined);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a resource is what its kind reads, with metadata
    if (parsed.ok) return parsed.value as OfInstance as Resource;
    const message = `the ${word} was written, but this gateway cannot read it: it may be older than the cluster's CRDs`;
    throw new WriteRefused(message, { kind: "unanswered" });
  }
}
