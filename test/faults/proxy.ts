// A proxy between a Kubernetes client and a real API server that makes the faults of networks and servers on command.
// HTTPS on both sides, HTTP/1.1 and JSON. The client is who its bearer token says: the token is passed on.

import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { callApi } from "../cluster/api-call.ts";
import type { ApiAccess } from "../cluster/api-call.ts";
import { createAuthority } from "../cluster/certificates.ts";
import { renderTokenKubeconfig } from "../cluster/token-kubeconfig.ts";
import { createExchange } from "./exchange.ts";
import { FaultRules } from "./fault-rules.ts";
import type { FaultHandle, FaultMatch, FaultRule } from "./fault-rules.ts";
import { createJournal } from "./journal.ts";
import type { ApiCallRecord } from "./journal.ts";
import { portOf, startLink } from "./link.ts";
import { createUpstream } from "./upstream.ts";

/** Problems, added and taken away while clients are connected. */
export interface FaultControl {
  add(rule: FaultRule): FaultHandle;
  /** Ends the open watches that match; says how many. */
  endWatches(match: FaultMatch, how: "orderly" | "reset"): number;
  /** A bookmark on the open watches that match, between two events; says how many. The server sends one a minute. */
  sendBookmark(match: FaultMatch, resourceVersion: string): number;
  /** All connections of this proxy go dark, new ones too; `outgoing`: only what clients say is lost. */
  partition(direction?: "both" | "outgoing"): void;
  /** After `partition`: what was sent meanwhile arrives now. */
  heal(): void;
  /** The connections of now stay dark for ever; new ones work. */
  blackHole(): void;
  /** TCP RST on all connections. */
  resetAll(): void;
  /** Removes all rules and heals. */
  clear(): void;
}

/** A kubeconfig, CA and URL for the client under test; `callApi` takes it too. */
export interface FaultProxy extends Omit<ApiAccess, "kubectl">, AsyncDisposable {
  /** The server itself, past all faults. */
  readonly upstream: Omit<ApiAccess, "kubectl">;
  readonly faults: FaultControl;
  readonly journal: readonly ApiCallRecord[];
  /** The resourceVersion of now, for a stale list later. */
  snapshot(): Promise<string>;
  stop(): Promise<void>;
}

export interface FaultProxyOptions {
  readonly upstream: Omit<ApiAccess, "kubectl">;
  /** Calls that the journal remembers. */
  readonly maxJournalEntries?: number;
}

const maxHeaderBytes = 64 * 1024;
/** As kube-apiserver has it. */
const idleConnectionMs = 90_000;

/** Listens on a free loopback port. `stop` ends all connections, removes the kubeconfig, and rejects if a callback threw. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { upstream: access } = options;
  const { token } = access;
  const rules = new FaultRules();
  const journal = createJournal(options.maxJournalEntries);
  const upstream = createUpstream({ url: access.url, ca: await readFile(access.caPath) });
  const exchange = createExchange({ rules, journal, upstream, reset: (port) => link.reset(port) });
  const authority = createAuthority("fault-proxy-ca");
  const { certificatePem: cert, keyPem: key } = authority.issue({
    commonName: "fault-proxy",
    serverNames: ["localhost", "127.0.0.1"],
  });
  const server = createServer({ cert, key, maxHeaderSize: maxHeaderBytes }, exchange.handle);
  server.requestTimeout = 0; // held requests are the point
  server.keepAliveTimeout = idleConnectionMs;
  server.listen({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const link = await startLink(portOf(server.address()));

  const dir = await mkdtemp(join(tmpdir(), "pallas-faults-"));
  const caPath = join(dir, "ca.crt");
  const kubeconfigPath = join(dir, "kubeconfig");
  const url = `https://127.0.0.1:${link.port}`;
  await writeFile(caPath, authority.certificatePem);
  await writeFile(kubeconfigPath, renderTokenKubeconfig(url, authority.certificatePem, token), { mode: 0o600 });

  const stop = async (): Promise<void> => {
    rules.clear();
    await link.close();
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
    upstream.close();
    await rm(dir, { recursive: true, force: true });
    const { callbackErrors } = exchange;
    if (callbackErrors.length > 0) throw new AggregateError(callbackErrors, "callbacks of fault rules failed");
  };
  return {
    url,
    caPath,
    kubeconfigPath,
    token,
    upstream: access,
    journal: journal.records,
    faults: {
      add: (rule) => rules.add(rule),
      endWatches: exchange.endWatches,
      sendBookmark: exchange.sendBookmark,
      partition: link.partition,
      heal: link.heal,
      blackHole: link.blackHole,
      resetAll: () => link.reset(),
      clear() {
        rules.clear();
        link.heal();
      },
    },
    async snapshot() {
      const { body } = await callApi(access, { path: "/api/v1/namespaces?limit=1" });
      return JSON.parse(body).metadata.resourceVersion;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
