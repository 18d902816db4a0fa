// The page's connection to the gateway's management server: one client, made anew with back-off when it is lost, and one stream of
// changes, which names the resources that are on screen and no others. It asks nothing on a timer while it is there.
import type { Client } from "@modelcontextprotocol/client";
import { signal, type ReadonlySignal } from "@preact/signals";
import * as z from "zod";
import type { PageTime } from "../time.ts";
import { waitAfter } from "./back-off.ts";
import type { GatewayFetch } from "./fetch.ts";
import { connectClient, neverMs } from "./mcp-client.ts";
import { Problem, toProblem } from "./problem.ts";
import { connectWords as words } from "../words/connect.ts";

/** `lost`: since when, and when it is tried again (both by the server's clock). */
export type ConnectionState =
  | { readonly kind: "idle" }
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  | { readonly kind: "lost"; readonly since: number; readonly retryAt: number; readonly problem: Problem };

export interface ToolAnswer {
  /** The text blocks, joined. */
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>> | undefined;
}

export interface Connection {
  readonly state: ReadonlySignal<ConnectionState>;
  /** Rejects with a Problem. The text of the resource's first part. */
  read(uri: string, abort?: AbortSignal): Promise<string>;
  /** Rejects with a Problem, `refused` where the tool answers with an error. */
  call(tool: string, args: Readonly<Record<string, unknown>>, abort?: AbortSignal): Promise<ToolAnswer>;
  /** Hears that a resource may read differently now, until what it returns is called. */
  follow(uri: string, onChange: () => void): () => void;
  /** Tries at once what waits to be tried again. */
  retry(): void;
  /** Begins, or begins anew with another token. */
  open(): void;
  close(): void;
}

export interface ConnectionOptions {
  origin: string;
  fetch: GatewayFetch;
  version: string;
  time: PageTime;
}

const readTimeoutMs = 15_000;
const callTimeoutMs = 60_000;
const acknowledgeTimeoutMs = 10_000;
const gatherMs = 30;

const objectSchema = z.record(z.string(), z.unknown());
const readObject = (value: unknown): Record<string, unknown> | undefined => objectSchema.safeParse(value).data;

export const createConnection = (options: ConnectionOptions): Connection => new GatewayConnection(options);

class GatewayConnection implements Connection {
  readonly #options: ConnectionOptions;
  readonly #state = signal<ConnectionState>({ kind: "idle" });
  readonly #followed = new Map<string, Set<() => void>>();
  /** Ends with the sign-in. */
  #life = new AbortController();
  #live: Promise<Client> | undefined;
  #stream: { abort: AbortController; uris: string } | undefined;
  #failures = 0;
  #lostSince: number | undefined;
  #cancelTimer = () => {};
  #isGathering = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get state(): ReadonlySignal<ConnectionState> {
    return this.#state;
  }

  open = (): void => {
    this.#life.abort();
    this.#life = new AbortController();
    this.#stream = undefined;
    this.#failures = 0;
    this.#lostSince = undefined;
    this.#state.value = { kind: "connecting" };
    this.#connect();
  };

  close = (): void => {
    this.#life.abort();
    this.#cancelTimer();
    this.#live = undefined;
    this.#stream = undefined;
    this.#state.value = { kind: "idle" };
  };

  retry = (): void => {
    if (this.#state.peek().kind === "lost") this.#connect();
  };

  read(uri: string, abort?: AbortSignal): Promise<string> {
    return this.#use(readTimeoutMs, abort, async (client, deadline) => {
      const options = { signal: deadline, timeout: neverMs, cacheMode: "bypass" } as const;
      const { contents } = await client.readResource({ uri }, options);
      const [first] = contents;
      if (first === undefined || !("text" in first)) throw new Problem("refused", words.strange);
      return first.text;
    });
  }

  call(tool: string, args: Readonly<Record<string, unknown>>, abort?: AbortSignal): Promise<ToolAnswer> {
    return this.#use(callTimeoutMs, abort, async (client, deadline) => {
      const options = { signal: deadline, timeout: neverMs };
      const result = await client.callTool({ name: tool, arguments: { ...args } }, options);
      const text = result.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
      if (result.isError === true) throw new Problem("refused", text, { data: result.structuredContent });
      return { text, structured: readObject(result.structuredContent) };
    });
  }

  follow(uri: string, onChange: () => void): () => void {
    const listeners = this.#followed.get(uri) ?? new Set();
    this.#followed.set(uri, listeners);
    listeners.add(onChange);
    this.#gather();
    return () => {
      listeners.delete(onChange);
      if (listeners.size === 0 && this.#followed.get(uri) === listeners) this.#followed.delete(uri);
      this.#gather();
    };
  }

  #connect(): void {
    this.#cancelTimer();
    const life = this.#life;
    if (life.signal.aborted) return;
    if (this.#state.peek().kind === "lost") this.#state.value = { kind: "connecting" };
    const opening = connectClient({ ...this.#options, path: "/mcp", signal: life.signal });
    this.#live = opening;
    const isCurrent = () => !life.signal.aborted && this.#live === opening;
    opening.then(
      (client) => {
        client.setNotificationHandler("notifications/resources/updated", ({ params }) => this.#tell(params.uri));
        if (isCurrent()) void this.#listen(client, true);
      },
      (error: unknown) => {
        if (isCurrent()) this.#lose(toProblem(error));
      },
    );
  }

  /** `isNew`: changes may have been missed. The connection counts as live once the gateway has acknowledged the stream. */
  async #listen(client: Client, isNew: boolean): Promise<void> {
    const uris = [...this.#followed.keys()].toSorted();
    const key = uris.join("\n");
    if (!isNew && this.#stream?.uris === key) return;
    const before = this.#stream;
    if (uris.length === 0) {
      // A stream of nothing is refused.
      before?.abort.abort();
      this.#stream = undefined;
      return this.#settle(isNew);
    }
    const own = { abort: new AbortController(), uris: key };
    this.#stream = own;
    const isCurrent = () => this.#stream === own && !this.#life.signal.aborted;
    try {
      const signalOfStream = AbortSignal.any([this.#life.signal, own.abort.signal]);
      const options = { timeout: acknowledgeTimeoutMs, signal: signalOfStream };
      const subscription = await client.listen({ resourceSubscriptions: uris }, options);
      before?.abort.abort();
      if (!isCurrent()) return own.abort.abort();
      this.#settle(isNew);
      const end = await subscription.closed;
      if (end !== "local" && isCurrent()) this.#lose(new Problem("unreachable", words.unreachable));
    } catch (error) {
      if (isCurrent()) this.#lose(toProblem(error));
    }
    return undefined;
  }

  #settle(isNew: boolean): void {
    this.#failures = 0;
    this.#lostSince = undefined;
    if (this.#state.peek().kind !== "live") this.#state.value = { kind: "live" };
    if (isNew) for (const uri of this.#followed.keys()) this.#tell(uri);
  }

  #lose(problem: Problem): void {
    if (this.#state.peek().kind === "lost") return;
    const { time } = this.#options;
    this.#live?.then((client) => client.close()).catch(() => undefined);
    this.#live = undefined;
    this.#stream?.abort.abort();
    this.#stream = undefined;
    this.#failures += 1;
    this.#lostSince ??= time.now();
    const waitMs = waitAfter(this.#failures);
    this.#state.value = { kind: "lost", since: this.#lostSince, retryAt: time.now() + waitMs, problem };
    // A token that ended is not tried again: the person signs in, and the connection is opened anew.
    if (problem.kind !== "signed-out") this.#cancelTimer = time.after(waitMs, () => this.#connect());
  }

  #tell(uri: string): void {
    this.#followed.get(uri)?.forEach((listener) => listener());
  }

  /** Views come and go together: one stream is opened for all of them. */
  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#options.time.after(gatherMs, () => {
      this.#isGathering = false;
      if (this.#state.peek().kind !== "live") return;
      this.#live?.then((client) => this.#listen(client, false)).catch(() => undefined);
    });
  }

  async #use<T>(
    timeoutMs: number,
    abort: AbortSignal | undefined,
    ask: (client: Client, deadline: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const signals = [this.#life.signal, AbortSignal.timeout(timeoutMs), ...(abort === undefined ? [] : [abort])];
    const deadline = AbortSignal.any(signals);
    try {
      if (this.#live === undefined) throw new Problem("unreachable", words.unreachable);
      return await ask(await this.#live, deadline);
    } catch (error) {
      throw toProblem(error, deadline);
    }
  }
}
