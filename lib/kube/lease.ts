// One coordination.k8s.io Lease: reading it, making it, and replacing the version that was seen. Each call has a
// deadline that holds whatever the transport does. Who holds the lease, and since when, is the election's to judge.
import { isNotFound } from "./api-error.ts";
import { Deadline } from "./deadline.ts";
import { parseObject } from "./decode.ts";
import type { RawObject } from "./object.ts";
import { apiVersionOf, collectionPath, objectPath, type ResourceType } from "./resource.ts";
import type { Call, Transport } from "./transport.ts";
import type { Clock } from "../process/clock.ts";

const leaseType: ResourceType = { group: "coordination.k8s.io", version: "v1", plural: "leases", kind: "Lease" };

export interface LeaseRecord {
  /** Empty when nobody holds it. */
  readonly holder: string;
  /** For how long the holder wants to be believed after each renewal. */
  readonly durationMs: number;
  /** How often the lease changed hands. */
  readonly transitions: number;
  /** Both by the holder's clock, and for people only. */
  readonly acquiredAt: string | undefined;
  readonly renewedAt: string | undefined;
}

export interface Lease {
  readonly record: LeaseRecord;
  readonly object: RawObject;
}

export interface LeaseClientOptions {
  readonly transport: Transport;
  readonly namespace: string;
  readonly name: string;
  readonly clock: Clock;
}

export class LeaseClient {
  readonly #options: LeaseClientOptions;

  constructor(options: LeaseClientOptions) {
    this.#options = options;
  }

  /** Undefined where there is none. */
  async read(timeoutMs: number): Promise<Lease | undefined> {
    try {
      return parseLease(await this.#call({ method: "GET", path: this.#path }, timeoutMs));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Replaces just the version that `seen` is, or makes the lease where none was; anything else is a 409. */
  async write(seen: Lease | undefined, record: LeaseRecord, timeoutMs: number): Promise<Lease> {
    const { namespace, name } = this.#options;
    const spec = {
      ...(isRecord(seen?.object["spec"]) ? seen.object["spec"] : {}),
      holderIdentity: record.holder,
      leaseDurationSeconds: Math.max(1, Math.round(record.durationMs / 1000)),
      leaseTransitions: record.transitions,
      acquireTime: record.acquiredAt,
      renewTime: record.renewedAt,
    };
    const call: Call =
      seen === undefined
        ? {
            method: "POST",
            path: collectionPath(leaseType, namespace),
            body: { apiVersion: apiVersionOf(leaseType), kind: leaseType.kind, metadata: { namespace, name }, spec },
          }
        : { method: "PUT", path: this.#path, body: { ...seen.object, spec } };
    return parseLease(await this.#call(call, timeoutMs));
  }

  get #path(): string {
    return objectPath(leaseType, this.#options);
  }

  async #call(call: Call, timeoutMs: number): Promise<unknown> {
    const { clock, transport } = this.#options;
    const deadline = new Deadline({ clock, timeoutMs, describe: `${call.method} ${call.path}` });
    const { signal } = deadline;
    const late = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => late.reject(signal.reason), { once: true });
    try {
      return await Promise.race([transport.request({ ...call, signal, timeoutMs }), late.promise]);
    } finally {
      deadline.dispose();
    }
  }
}

function parseLease(value: unknown): Lease {
  const object = parseObject(value, leaseType);
  const spec = isRecord(object["spec"]) ? object["spec"] : {};
  const text = (field: string) => (typeof spec[field] === "string" ? spec[field] : undefined);
  const whole = (field: string) => (typeof spec[field] === "number" && spec[field] > 0 ? spec[field] : 0);
  const record = {
    holder: text("holderIdentity") ?? "",
    durationMs: whole("leaseDurationSeconds") * 1000,
    transitions: whole("leaseTransitions"),
    acquiredAt: text("acquireTime"),
    renewedAt: text("renewTime"),
  };
  return { record, object };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
