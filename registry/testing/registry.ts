// A whole registry without a socket of its own: requests go to its application, scrapes to real ports.
import type { Hono } from "hono";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { createMetrics } from "../../lib/process/metrics.ts";
import { createRegistry, type PallasRegistry, type RegistryOptions } from "../registry.ts";
import type { ResourceSource } from "../source/source.ts";

/** Serves `source` under localhost and registry.test. */
export function makeRegistry(source: ResourceSource, options: Partial<RegistryOptions> = {}): PallasRegistry {
  return createRegistry({
    source,
    own: createMetrics(),
    rules: { mode: "cluster" },
    metricsMode: "aggregate",
    scrapeIntervalMs: 50,
    scrapeTimeoutMs: 250,
    allowedHosts: ["localhost", "registry.test"],
    allowedOrigins: ["https://app.example.com"],
    log: silentLog(),
    ...options,
  });
}

/** A request as a client on this machine sends it. */
export const ask = async (app: Hono, path: string, init: RequestInit = {}): Promise<Response> =>
  app.request(path, { ...init, headers: { host: "localhost", ...Object.fromEntries(new Headers(init.headers)) } });
