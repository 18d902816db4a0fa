// The connections of a library that speaks HTTP by node's own client: guarded as those of the fetch are (SEC-5), kept alive,
// and through the proxy of the environment.
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { LookupFunction } from "node:net";
import { promisify } from "node:util";
import { parseProxyEnvironment } from "./proxy-environment.ts";
import { guardLookup, refuseLiteral } from "./refused-addresses.ts";

type Connect = HttpAgent["createConnection"];

/** Names are refused by the look-up, which a literal has no need of. */
class GuardedHttpAgent extends HttpAgent {
  override createConnection(...[options, callback]: Parameters<Connect>): ReturnType<Connect> {
    refuseLiteral(options.host ?? "");
    return super.createConnection(options, callback);
  }
}

class GuardedHttpsAgent extends HttpsAgent {
  override createConnection(...[options, callback]: Parameters<Connect>): ReturnType<Connect> {
    refuseLiteral(options.host ?? "");
    return super.createConnection(options, callback);
  }
}

export interface GuardedAgentOptions {
  /** Of a whole certificate chain and its key, in PEM. */
  tls?: { ca?: Buffer | undefined; cert?: Buffer | undefined; key?: Buffer | undefined };
  /** How names are resolved; the system's look-up when absent. */
  lookup?: LookupFunction | undefined;
}

/** An agent for URLs of `protocol`, "http:" or "https:". Rejects when the proxy of such URLs has a refused address. */
export async function openGuardedAgent(protocol: string, options: GuardedAgentOptions = {}): Promise<HttpAgent> {
  const { https, http, noProxy } = parseProxyEnvironment(process.env);
  const proxy = protocol === "https:" ? https : http;
  const lookup = guardLookup(options.lookup);
  if (proxy !== undefined) {
    // Node connects to proxies by itself, without our look-up.
    const { hostname } = new URL(proxy);
    refuseLiteral(hostname);
    await promisify(lookup)(hostname.replace(/^\[|\]$/g, ""), {});
  }
  const proxyEnv = proxy === undefined ? {} : { HTTPS_PROXY: https, HTTP_PROXY: http, NO_PROXY: noProxy };
  const common = { keepAlive: true, lookup, proxyEnv };
  return protocol === "https:" ? new GuardedHttpsAgent({ ...common, ...options.tls }) : new GuardedHttpAgent(common);
}
