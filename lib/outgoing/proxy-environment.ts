// The proxies that this process's environment names (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), in either spelling. Loopback is never
// behind one: agents of the local mode call each other there.

export interface ProxyEnvironment {
  https: string | undefined;
  http: string | undefined;
  /** Hosts that are asked directly, separated by commas. */
  noProxy: string;
}

/** Reads `env`; an empty variable counts as unset. */
export function parseProxyEnvironment(env: Readonly<Record<string, string | undefined>>): ProxyEnvironment {
  const read = (name: string) => env[name.toLowerCase()] || env[name] || undefined;
  const configured = read("NO_PROXY") ?? "";
  return {
    https: read("HTTPS_PROXY"),
    http: read("HTTP_PROXY"),
    noProxy: configured.trim() === "*" ? "*" : `${configured},localhost,127.0.0.1,::1`,
  };
}
