// Resources as they come from an API server, for tests: the least that is valid, with what a case changes on top.
import type { GatewayAccessRule, GatewayConfig } from "../../crds/gateway-config.ts";
import { kinds } from "../../crds/kinds.ts";
import { apiVersion, gatewayAudience } from "../../crds/names.ts";
import type { PallasServer } from "../../crds/server.ts";

const metadataOf = (name: string, uid: string) => ({ name, namespace: "agents", uid, generation: 1 });

export const instanceManifest = (spec: object = {}, name = "ouranos") => ({
  apiVersion,
  kind: "PallasInstance",
  metadata: metadataOf(name, `uid-of-${name}`),
  spec: { registryNamespace: "ca.helu.ouranos", defaultModel: "passthrough", ...spec },
});

export const agentManifest = (name: string, spec: object = {}, uid = `uid-of-${name}`) => ({
  apiVersion,
  kind: "PallasAgent",
  metadata: metadataOf(name, uid),
  spec: { instanceRef: { name: "ouranos" }, ...spec },
});

export const serverManifestOf = (name: string, spec: object = {}, uid = `uid-of-${name}`) => ({
  apiVersion,
  kind: "PallasServer",
  metadata: metadataOf(name, uid),
  spec: { instanceRef: { name: "ouranos" }, remote: { url: "http://tools.example.com/mcp" }, ...spec },
});

/** As it is known: parsed, with what a case says of its metadata and status. */
export function serverResource(
  name: string,
  spec: object = {},
  { status, ...metadata }: { status?: object | undefined; creationTimestamp?: string; generation?: number } = {},
): PallasServer {
  const manifest = serverManifestOf(name, spec);
  return kinds.PallasServer.manifest.parse(
    JSON.parse(JSON.stringify({ ...manifest, metadata: { ...manifest.metadata, ...metadata }, status })),
  );
}

export const registrationManifestOf = (name: string, spec: object = {}) => ({
  apiVersion,
  kind: "PallasRegistration",
  metadata: metadataOf(name, `uid-of-${name}`),
  spec: { instanceRef: { name: "ouranos" }, owner: "alice", name, ...spec },
});

const everything = { agents: ["*"], servers: ["*"] };

/** Tokens by their tables below the secrets folder, and the accounts of two people. */
const testAccess: GatewayAccessRule[] = [
  { who: { serviceAccount: "on-call" }, as: { role: "approver", ...everything } },
  { who: { tokens: { name: "tokens", key: "admins" } }, as: { role: "admin", ...everything } },
  { who: { tokens: { name: "tokens", key: "clerk" } }, as: { agent: "clerk" } },
];

export const testConfig = (changes: Partial<GatewayConfig> = {}): GatewayConfig => ({
  schema: 1,
  instance: { name: "ouranos", namespace: "agents", version: "1.0.0" },
  audience: gatewayAudience("ouranos", "agents"),
  management: "approve",
  access: testAccess,
  approvals: { timeoutMs: 600_000, keepMs: 604_800_000 },
  ports: { http: 0, admin: 0 },
  http: { allowedHosts: [], allowedOrigins: ["https://app.example.com"], bodyLimitBytes: 100_000 },
  drainTimeoutMs: 5_000,
  logLevel: "INFO",
  ...changes,
});
