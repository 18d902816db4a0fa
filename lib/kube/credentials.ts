// Turns a cluster's configuration into what one request needs: address, headers and TLS material. Its files are read
// each time, so the answer is kept for a few seconds; rotated tokens, certificates and CAs are picked up after that, or
// at once when the old ones fail.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { RequestOptions } from "node:https";
import * as z from "zod";
import type { ClusterConfig } from "./cluster-config.ts";
import { withoutEndSlashes } from "../process/end-slashes.ts";
import type { Clock } from "../process/clock.ts";

const authProviderSchema = z.object({ config: z.object({ tokenFile: z.string().min(1) }) });

export interface TlsMaterial {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly pfx?: string | Buffer;
  readonly passphrase?: string;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

export interface Credentials {
  readonly origin: string;
  /** What stands before `/api` in the server's URL; mostly empty. */
  readonly pathPrefix: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsMaterial;
  /** Equal for credentials that may share connections. */
  readonly identity: string;
}

export interface CredentialSource {
  current(): Promise<Credentials>;
  /** Forgets the kept answer: a call with it failed. */
  invalidate(): void;
}

export function createCredentialSource(kubeConfig: ClusterConfig, clock: Clock, keepMs: number): CredentialSource {
  let kept: { readonly until: number; readonly value: Promise<Credentials> } | undefined;
  return {
    async current() {
      if (kept === undefined || kept.until <= clock.now()) {
        kept = { until: clock.now() + keepMs, value: loadCredentials(kubeConfig) };
      }
      const attempt = kept;
      try {
        return await attempt.value;
      } catch (error) {
        if (kept === attempt) kept = undefined;
        throw error;
      }
    },
    invalidate() {
      kept = undefined;
    },
  };
}

/** Errors when the KubeConfig has no usable cluster, or one behind a proxy, which the transport cannot speak to. */
export async function loadCredentials(kubeConfig: ClusterConfig): Promise<Credentials> {
  const cluster = kubeConfig.getCurrentCluster();
  if (cluster === null) {
    throw new Error(
      `the kubeconfig's current context "${kubeConfig.getCurrentContext()}" names no cluster; choose one that does`,
    );
  }
  if (cluster.proxyUrl !== undefined && cluster.proxyUrl !== "") {
    throw new Error(
      `cluster "${cluster.name}" has a proxy-url, which is not supported; use a direct address of the API server`,
    );
  }
  const options: RequestOptions = {};
  await kubeConfig.applyToHTTPSOptions(options);
  const url = new URL(cluster.server);
  const tls = parseTls(options);
  const tokenFile = tokenFileOf(kubeConfig);
  return {
    origin: url.origin,
    pathPrefix: withoutEndSlashes(url.pathname),
    headers: {
      ...parseHeaders(options),
      // The KubeConfig itself keeps the token for a minute, valid or not.
      ...(tokenFile === undefined ? {} : { authorization: `Bearer ${(await readFile(tokenFile, "utf8")).trim()}` }),
    },
    tls,
    identity: identityOf(url.origin, tls),
  };
}

/** Where a kubeconfig says that the token is kept, and replaced from time to time. */
function tokenFileOf(config: ClusterConfig): string | undefined {
  const user = config.getCurrentUser?.() ?? null;
  if (user === null || user.token !== undefined) return undefined;
  const found = authProviderSchema.safeParse(user.authProvider);
  return found.success ? found.data.config.tokenFile : undefined;
}

function parseTls(options: RequestOptions): TlsMaterial {
  const tls: Record<string, unknown> = {};
  for (const name of ["ca", "cert", "key", "pfx", "passphrase", "servername", "rejectUnauthorized"] as const) {
    if (options[name] !== undefined && options[name] !== null) tls[name] = options[name];
  }
  return tls;
}

function parseHeaders(options: RequestOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  // A token file may end in a line break, which no header may.
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (value !== undefined) headers[name.toLowerCase()] = String(value).trim();
  }
  if (typeof options.auth === "string") {
    headers["authorization"] = `Basic ${Buffer.from(options.auth).toString("base64")}`;
  }
  return headers;
}

function identityOf(origin: string, tls: TlsMaterial): string {
  const hash = createHash("sha256").update(origin);
  for (const [name, value] of Object.entries(tls).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`\0${name}\0`).update(Buffer.isBuffer(value) ? value : String(value));
  }
  return hash.digest("hex");
}
