// The connections of all that goes out over HTTP by undici: guarded by SEC-5, kept alive, and through the proxy of the
// environment. It sets no deadline but that of connecting, and looks at nothing that is sent.
import type { LookupFunction } from "node:net";
import { EnvHttpProxyAgent, type Dispatcher } from "undici";
import { parseProxyEnvironment } from "./proxy-environment.ts";
import { guardLookup, refuseLiteral } from "./refused-addresses.ts";

export interface GuardedDispatcherOptions {
  connectTimeoutMs: number;
  /** How names are resolved; the system's look-up when absent. */
  lookup?: LookupFunction | undefined;
}

/** Where the connections are made: nothing is dispatched to a refused literal, and no name is resolved to a refused address. */
export class GuardedDispatcher extends EnvHttpProxyAgent {
  readonly #proxies: readonly string[];

  constructor({ connectTimeoutMs: timeout, lookup }: GuardedDispatcherOptions) {
    const { https, http, noProxy } = parseProxyEnvironment(process.env);
    const guarded = { timeout, lookup: guardLookup(lookup) };
    super({
      // h1 only: a black-holed h2 connection is never replaced. Deadlines are the caller's, so that silent streams may stay open.
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      httpsProxy: https ?? "",
      httpProxy: http ?? "",
      noProxy,
      connect: guarded,
      proxyTls: guarded,
    });
    this.#proxies = [https, http].flatMap((proxy) => (proxy === undefined ? [] : [new URL(proxy).hostname]));
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (options.origin !== undefined) refuseLiteral(new URL(options.origin).hostname);
    this.#proxies.forEach(refuseLiteral);
    return super.dispatch(options, handler);
  }
}
