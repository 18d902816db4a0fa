// `resource://caller`: who asks, as this gateway takes them, what they may do, and what they ask here.
import type { GatewayConfig } from "../../../crds/gateway-config.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import { isViewer } from "../access.ts";
import type { ResourceFamily } from "./family.ts";

export interface AskedHere {
  instance: string;
  namespace: string;
  version: string;
  management: GatewayConfig["management"];
}

/** A list of names that is `*` is all of them. */
function renderRights(identity: Identity) {
  if (identity.kind === "agent") return { role: null, groups: [], agents: [identity.agent], servers: ["*"] };
  const { role = null, groups, agents = ["*"], servers = ["*"] } = identity;
  return { role, groups, agents, servers };
}

export const createCaller = (here: AskedHere): ResourceFamily => ({
  uri: "resource://caller",
  name: "Caller",
  description: "Who you are to this server, with which role, and which agents and servers you see.",
  listKeys: (identity) => (isViewer(identity) ? [""] : []),
  mayRead: (_key, identity) => isViewer(identity),
  async read(_key, identity) {
    const { kind, subject, name, expiresAtMs } = identity;
    const expires_at = expiresAtMs === undefined ? null : new Date(expiresAtMs).toISOString();
    return { kind, subject, name, ...renderRights(identity), expires_at, ...here };
  },
});
