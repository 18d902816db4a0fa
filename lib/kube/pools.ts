// Connections to the API server: one pool for calls and one for watches per TLS identity, kept until the identity
// changes. HTTP/1.1 only, because an h2 session that goes black is never replaced, while h1 recovers on the next call.
import { Pool, type Dispatcher } from "undici";
import { CallRefused } from "./api-error.ts";
import { createConnector } from "./connector.ts";
import type { Credentials } from "./credentials.ts";

/** More calls than this wait their turn; their deadline goes on. Watches are as many as there are kinds and namespaces. */
const callConnections = 32;
const connectTimeoutMs = 10_000;
const keepAliveProbeMs = 30_000;
const idleConnectionMs = 30_000;
/** No page of a list comes near; a server gone wrong must not take the memory. */
const maxResponseBytes = 256 * 1024 * 1024;

export interface Pools {
  readonly calls: Pool;
  readonly watches: Pool;
}

export class PoolCache {
  #current: { readonly identity: string; readonly pools: Pools } | undefined;
  readonly #retired = new Set<Pool>();
  readonly #idleMs: number;

  /** A connection that no request used for `idleMs` is closed. */
  constructor(idleMs = idleConnectionMs) {
    this.#idleMs = idleMs;
  }

  /** The pools for these credentials. Those of an older identity take no new requests and end with their last one. */
  for(credentials: Credentials): Pools {
    if (this.#current?.identity === credentials.identity) return this.#current.pools;
    if (this.#current !== undefined) {
      this.#retire(this.#current.pools.calls);
      this.#retire(this.#current.pools.watches);
    }
    const pools = {
      calls: createPool(credentials, callConnections, maxResponseBytes, this.#idleMs),
      watches: createPool(credentials, null, -1, this.#idleMs),
    };
    this.#current = { identity: credentials.identity, pools };
    return pools;
  }

  /** Ends everything at once, requests in flight included. */
  async close(): Promise<void> {
    const open = [...this.#retired];
    if (this.#current !== undefined) open.push(this.#current.pools.calls, this.#current.pools.watches);
    this.#current = undefined;
    this.#retired.clear();
    await Promise.all(open.map((pool) => pool.destroy()));
  }

  #retire(pool: Pool): void {
    this.#retired.add(pool);
    const done = () => this.#retired.delete(pool);
    pool.close().then(done, done);
  }
}

/**
 * The pool, asking before each request whether it may be sent: not when it is handed in, since it may have to wait for
 * a connection, but when its first byte is about to be written.
 */
export function askBeforeSending(pool: Pool, mayStart: (() => string | undefined) | undefined): Dispatcher {
  if (mayStart === undefined) return pool;
  return pool.compose(
    (dispatch) => (options, handler) =>
      dispatch(options, {
        onRequestStart(controller, context) {
          const refusal = mayStart();
          if (refusal !== undefined) throw new CallRefused(refusal);
          handler.onRequestStart?.(controller, context);
        },
        onResponseStart: (...values) => handler.onResponseStart?.(...values),
        onResponseData: (...values) => handler.onResponseData?.(...values),
        onResponseEnd: (...values) => handler.onResponseEnd?.(...values),
        onResponseError: (...values) => handler.onResponseError?.(...values),
      }),
  );
}

function createPool(
  { origin, tls }: Credentials,
  connections: number | null,
  maxResponseSize: number,
  idleMs: number,
): Pool {
  return new Pool(origin, {
    connections,
    maxResponseSize,
    allowH2: false,
    pipelining: 1,
    // Deadlines are the transport's; undici's own are switched off so that there is one rule.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleMs,
    // Nor longer where a proxy's Keep-Alive header allows it: the connection may have died in silence meanwhile.
    keepAliveMaxTimeout: idleMs,
    connect: createConnector({ tls, timeoutMs: connectTimeoutMs, keepAliveProbeMs }),
  });
}
