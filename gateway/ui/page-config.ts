// What the dashboard knows before anybody has signed in, `/ui/config.json`: anybody may read it. Which instance it is of, and where
// people sign in; nothing of what runs there.
import type { GatewayConfig } from "../../crds/gateway-config.ts";

/** What `/ui/config.json` holds. */
export interface PageConfig {
  /** Of the instance. */
  version: string;
  instance: string;
  namespace: string;
  /** Differs with every build of the page, so that an open one can tell that it is old. */
  build: string;
  /** Whether it runs beside `pallas up`, whose link brings the token. */
  local: boolean;
  /** Where people sign in; absent: with a token that they have. */
  oidc?: { issuer: string; clientId: string; scopes: readonly string[]; audiences: readonly string[] };
}

export interface PageConfigParts {
  config: Pick<GatewayConfig, "instance" | "jwt" | "ui">;
  isLocal: boolean;
  build: string;
}

export function renderPageConfig({ config: { instance, jwt, ui }, isLocal, build }: PageConfigParts): PageConfig {
  const { name, namespace, version } = instance;
  const signIn =
    ui?.oidc !== undefined && jwt !== undefined ? { issuer: jwt.issuer, audiences: jwt.audiences } : undefined;
  return {
    version,
    instance: name,
    namespace,
    build,
    local: isLocal,
    ...(signIn && ui?.oidc && { oidc: { ...signIn, ...ui.oidc } }),
  };
}
