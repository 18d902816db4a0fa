// Tells users of our objects what happened, as Kubernetes Events. Recording never waits, fails or grows without end:
// what is too much is dropped and counted. Of the object only its identity is sent; texts pass the masks of the log.
import { randomUUID } from "node:crypto";
import { ApiError, CallRefused, isConflict, isNamespaceTerminating, isNotFound } from "./api-error.ts";
import { backoffDelayMs } from "./backoff.ts";
import { renderMicroTime } from "./micro-time.ts";
import type { EventResult, KubeMetrics } from "./metrics.ts";
import type { LiveObject } from "./object.ts";
import { apiVersionOf, collectionPath, objectPath, type ResourceType } from "./resource.ts";
import { TokenBuckets } from "./token-buckets.ts";
import type { Call, Transport } from "./transport.ts";
import { sleep, systemClock, type Clock } from "../process/clock.ts";
import { renderError } from "../process/error-fields.ts";
import type { Logger } from "../process/log.ts";

export type EventType = "Normal" | "Warning";

export interface EventRecorder {
  /** `reason` is a CamelCase word; of `message` at most 1,024 bytes are sent. Returns at once, never throws. */
  record(object: LiveObject, type: EventType, reason: string, message: string): void;
  /** Takes no more, sends what waits for at most two seconds, and drops the rest. */
  close(): Promise<void>;
}

export interface EventRecorderOptions {
  readonly transport: Transport;
  /** Who reports, as a qualified name such as `example.com/operator`. */
  readonly component: string;
  /** Which process of it. */
  readonly instance: string;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly metrics?: KubeMetrics;
}

const eventType: ResourceType = { group: "events.k8s.io", version: "v1", plural: "events", kind: "Event" };

/** The same again within this time raises a count instead of making another Event. */
const sameWithinMs = 600_000;
/** Events to be sent, and kinds of events remembered; like client-go. */
const maxWaitingEvents = 1_000;
const maxSeries = 4_096;
/** Per object: so many at once, then one in five minutes; like client-go. */
const burst = 25;
const refillMs = 300_000;
const callTimeoutMs = 5_000;
const maxTries = 3;
const retryBackoff = { initialMs: 500, maxMs: 2_000 };
const closeTimeoutMs = 2_000;
const maxNoteBytes = 1_024;
const maxNameChars = 200;

/** What of an object may be sent. */
interface Regarding {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly uid: string;
}

/** All occurrences of one text about one object. */
interface Series {
  readonly regarding: Regarding;
  readonly type: EventType;
  readonly reason: string;
  readonly note: string;
  readonly firstTime: string;
  count: number;
  lastAt: number;
  lastTime: string;
  /** The Event's, once the server has it. */
  name: string | undefined;
}

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  return new QueueingRecorder(options);
}

class QueueingRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #buckets: TokenBuckets;
  /** By what makes two events the same; the longest unused first. */
  readonly #series = new Map<string, Series>();
  readonly #waiting = new Set<Series>();
  readonly #stopper = new AbortController();
  #sending: Promise<void> | undefined;
  #closed = false;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#buckets = new TokenBuckets({ clock: this.#clock, burst, refillMs, limit: maxSeries });
  }

  record(object: LiveObject, type: EventType, reason: string, message: string): void {
    const note = cutToBytes(mask(message), maxNoteBytes);
    const series = this.#seriesOf(object, type, reason, note);
    series.count += 1;
    series.lastAt = this.#clock.now();
    series.lastTime = renderMicroTime(this.#clock);
    if (this.#waiting.has(series)) {
      this.#count("merged");
      return;
    }
    if (this.#closed || this.#waiting.size >= maxWaitingEvents || !this.#buckets.take(object.metadata.uid)) {
      this.#count("dropped");
      return;
    }
    this.#waiting.add(series);
    this.#sending ??= this.#sendAll();
  }

  async close(): Promise<void> {
    this.#closed = true;
    const late = this.#clock.schedule(closeTimeoutMs, () => this.#stopper.abort(new Error("event recorder closed")));
    await this.#sending;
    late.cancel();
  }

  #seriesOf(object: LiveObject, type: EventType, reason: string, note: string): Series {
    const key = [object.metadata.uid, type, reason, note].join("\n");
    const known = this.#series.get(key);
    this.#series.delete(key);
    const time = renderMicroTime(this.#clock);
    const lastAt = this.#clock.now();
    const isSame = known !== undefined && lastAt - known.lastAt <= sameWithinMs;
    const series = isSame
      ? known
      : {
          regarding: regardingOf(object),
          type,
          reason,
          note,
          firstTime: time,
          count: 0,
          lastAt,
          lastTime: time,
          name: undefined,
        };
    this.#series.set(key, series);
    for (const oldest of this.#series.keys()) {
      if (this.#series.size <= maxSeries) break;
      this.#series.delete(oldest);
    }
    return series;
  }

  async #sendAll(): Promise<void> {
    // An event that is recorded meanwhile is added to the set, and met by the same loop.
    for (const series of this.#waiting) {
      this.#waiting.delete(series);
      this.#count(this.#stopper.signal.aborted ? "dropped" : await this.#send(series));
    }
    this.#sending = undefined;
  }

  async #send(series: Series): Promise<EventResult> {
    const { log } = this.#options;
    const { signal } = this.#stopper;
    const name = `${series.regarding.name.slice(0, maxNameChars)}.${randomUUID()}`;
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#write(series, name);
      } catch (error) {
        if (tries < maxTries && !signal.aborted && isTemporary(error)) {
          await sleep(this.#clock, backoffDelayMs(retryBackoff, tries - 1), signal).catch(() => undefined); // Aborted: one last try fails at once.
          continue;
        }
        // Nobody will read it, and nothing is wrong.
        if (isNamespaceTerminating(error)) return "dropped";
        log.warn({ kind: series.regarding.kind, reason: series.reason, err: error }, "event could not be sent");
        return "failed";
      }
    }
  }

  async #write(series: Series, name: string): Promise<EventResult> {
    if (series.name !== undefined) {
      try {
        await this.#request({
          method: "PATCH",
          path: objectPath(eventType, { namespace: namespaceOf(series), name: series.name }),
          contentType: "application/merge-patch+json",
          body: { series: renderSeries(series) },
        });
        return "updated";
      } catch (error) {
        if (!isNotFound(error)) throw error;
        series.name = undefined; // The server keeps Events for an hour or so.
      }
    }
    const body = renderEvent(series, name, this.#options);
    try {
      await this.#request({ method: "POST", path: collectionPath(eventType, namespaceOf(series)), body });
    } catch (error) {
      // The name is unique: it can only be our own, whose answer was lost.
      if (!isConflict(error)) throw error;
    }
    series.name = name;
    return "created";
  }

  #request(call: Call): Promise<unknown> {
    return this.#options.transport.request({ ...call, signal: this.#stopper.signal, timeoutMs: callTimeoutMs });
  }

  #count(result: EventResult): void {
    this.#options.metrics?.event(result);
  }
}

function renderEvent(series: Series, name: string, { component, instance }: EventRecorderOptions): object {
  const { regarding, type, reason, note, firstTime, count } = series;
  return {
    apiVersion: apiVersionOf(eventType),
    kind: eventType.kind,
    metadata: { name, namespace: namespaceOf(series) },
    eventTime: firstTime,
    reportingController: component,
    reportingInstance: instance.slice(0, 128),
    action: "Reconcile",
    type,
    reason: reason.slice(0, 128),
    note,
    regarding,
    ...(count > 1 ? { series: renderSeries(series) } : {}),
  };
}

function renderSeries({ count, lastTime }: Series): object {
  return { count, lastObservedTime: lastTime };
}

/** Events of cluster-wide objects live in `default`. */
function namespaceOf({ regarding }: Series): string {
  return regarding.namespace ?? "default";
}

function regardingOf({ apiVersion, kind, metadata: { name, namespace, uid } }: LiveObject): Regarding {
  return { apiVersion, kind, name, namespace, uid };
}

function isTemporary(error: unknown): boolean {
  if (error instanceof CallRefused) return false;
  return !(error instanceof ApiError) || error.status >= 500 || error.status === 429;
}

function mask(text: string): string {
  return renderError(new Error(text)).message;
}

function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const ellipsis = "…";
  // A character cut in two would become a replacement character, which is longer.
  const kept = bytes.subarray(0, maxBytes - Buffer.byteLength(ellipsis)).toString("utf8");
  return `${kept.replace(/\uFFFD$/, "")}${ellipsis}`;
}
