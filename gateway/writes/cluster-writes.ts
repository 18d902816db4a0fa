// The one place that writes to the API server, in the name of a caller, whom the log names beside each write: agents of this
// instance, their spec alone, and each by one call. It decides nothing: whether somebody may, and whether what is written is
// sound, is judged by who asks. Names are used again, so that what is changed is the object that the caller saw, by its uid.
import type { PallasAgent } from "../../crds/agent.ts";
import type { GatewayConfig } from "../../crds/gateway-config.ts";
import { agentType, kinds } from "../../crds/kinds.ts";
import type { Identity } from "../../lib/auth/roles.ts";
import { ApiError } from "../../lib/kube/api-error.ts";
import type { LiveObject } from "../../lib/kube/object.ts";
import { collectionPath, objectPath } from "../../lib/kube/resource.ts";
import type { Call, Transport } from "../../lib/kube/transport.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { parseWatched } from "../../plan/parse-watched.ts";
import type { GatewayMetrics, WriteOperation, WriteOutcome } from "../metrics.ts";
import { untilSeen } from "./seen.ts";
import { renderSpecPatch } from "./spec-patch.ts";
import { WriteRefused, type GatewayState, type GatewayWrites, type WritesFor } from "../state/state.ts";

/** Of everything that a gateway writes (OPR-2). */
const gatewayFieldManager = "pallas-gateway";
const writeTimeoutMs = 15_000;

export interface WritesOptions {
  transport: Pick<Transport, "request">;
  state: Pick<GatewayState, "namespace" | "instance" | "getAgent" | "onChange">;
  management: GatewayConfig["management"];
  metrics: Pick<GatewayMetrics, "countWrite">;
  log: Logger;
  clock: Clock;
}

interface Write extends Pick<Call, "method" | "path" | "query" | "body" | "contentType"> {
  operation: WriteOperation;
  agent: string;
}

const query = { fieldManager: gatewayFieldManager, fieldValidation: "Strict" };

export function createClusterWrites(options: WritesOptions): WritesFor {
  return (caller) => new ClusterWrites(options, caller);
}

class ClusterWrites implements GatewayWrites {
  readonly #options: WritesOptions;
  readonly #caller: Identity;

  constructor(options: WritesOptions, caller: Identity) {
    this.#options = options;
    this.#caller = caller;
  }

  async createAgent({ apiVersion, kind, metadata, spec }: PallasAgent): Promise<PallasAgent> {
    const { namespace, instance } = this.#options.state;
    const { name } = metadata;
    if (metadata.namespace !== namespace || spec.instanceRef.name !== instance) {
      throw new WriteRefused(
        `an agent of instance "${instance}" in namespace "${namespace}" was expected, found one of "${spec.instanceRef.name}" in "${metadata.namespace}"`,
      );
    }
    // A status is the operator's.
    const body = { apiVersion, kind, metadata, spec };
    const path = collectionPath(agentType, namespace);
    return await this.#seen(await this.#write({ operation: "create", agent: name, method: "POST", path, query, body }));
  }

  async patchAgent(name: string, mergePatch: object): Promise<PallasAgent> {
    const { namespace } = this.#options.state;
    const others = Object.keys(mergePatch).filter((key) => key !== "spec");
    if (others.length > 0) {
      throw new WriteRefused(`only the spec of an agent can be changed, found ${others.join(", ")}`);
    }
    const changes: unknown = Reflect.get(mergePatch, "spec");
    const written = await this.#write({
      operation: "patch",
      agent: name,
      method: "PATCH",
      path: objectPath(agentType, { namespace, name }),
      query,
      body: renderSpecPatch(this.#agentOf(name), Object(changes)),
      contentType: "application/json-patch+json",
    });
    return await this.#seen(written);
  }

  async deleteAgent(name: string): Promise<void> {
    const { namespace } = this.#options.state;
    await this.#write({
      operation: "delete",
      agent: name,
      method: "DELETE",
      path: objectPath(agentType, { namespace, name }),
      body: {
        apiVersion: "v1",
        kind: "DeleteOptions",
        preconditions: { uid: this.#agentOf(name).metadata.uid },
        propagationPolicy: "Background",
      },
    });
  }

  async #seen(answer: unknown): Promise<PallasAgent> {
    const agent = parseAnswer(answer);
    await untilSeen(agent, this.#options.state, this.#options.clock);
    return agent;
  }

  /** Of this instance, as it is known. */
  #agentOf(name: string): PallasAgent {
    const { state } = this.#options;
    const agent = state.getAgent(name);
    if (agent === undefined) throw new WriteRefused(`instance "${state.instance}" has no agent "${name}"`);
    return agent;
  }

  async #write({ operation, agent, ...call }: Write): Promise<unknown> {
    const { transport, management, metrics, log, clock, state } = this.#options;
    if (management !== "readWrite") {
      throw new WriteRefused(
        `this gateway may not change agents: spec.gateway.management of instance "${state.instance}" is ${management}; set it to readWrite`,
      );
    }
    const startedAt = clock.now();
    const tell = (outcome: WriteOutcome, cause?: unknown) => {
      metrics.countWrite(operation, outcome);
      const { subject } = this.#caller;
      const role = this.#caller.kind === "person" ? this.#caller.role : undefined;
      const durationMs = Math.round(clock.now() - startedAt);
      const fields = { operation, agent, namespace: state.namespace, subject, role, outcome, durationMs };
      if (cause === undefined) log.info(fields, "agent written");
      else log.warn({ ...fields, err: cause }, "agent not written");
    };
    try {
      const answer = await transport.request({ ...call, timeoutMs: writeTimeoutMs });
      tell("ok");
      return answer;
    } catch (cause) {
      tell(cause instanceof ApiError ? "refused" : "failed", cause);
      throw new WriteRefused(renderProblem(cause, agent), { cause });
    }
  }
}

function renderProblem(cause: unknown, agent: string): string {
  if (!(cause instanceof ApiError)) {
    return `the API server gave no answer, so that nobody knows whether agent "${agent}" was written: look before you try again`;
  }
  if (cause.reason === "AlreadyExists") return `there is an agent "${agent}" already: choose another name`;
  if (cause.status === 404) return `agent "${agent}" has been deleted meanwhile`;
  // All that the API server says when a test of a JSON Patch fails; what breaks a rule of the kind it names.
  const isAnother = cause.status === 422 && cause.message.includes("due to an error in our request");
  if (cause.status === 409 || isAnother) {
    return `agent "${agent}" has been changed or replaced meanwhile: look at it and try again`;
  }
  if (cause.status === 403) return `the API server does not let this gateway write agent "${agent}": ${cause.message}`;
  return `the API server refused agent "${agent}": ${cause.message}`;
}

/** What the API server says it holds now. */
function parseAnswer(answer: unknown): PallasAgent {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API server answers a write with the object
  const { parsed } = parseWatched(kinds.PallasAgent, answer as LiveObject, undefined);
  if (parsed.ok) return parsed.value;
  throw new WriteRefused(
    "the agent was written, but this gateway cannot read it: it may be older than the cluster's CRDs",
  );
}
