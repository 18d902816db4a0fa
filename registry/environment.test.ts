import { describe, expect, it } from "vitest";
import { parseEnvironment } from "./environment.ts";
import { renderAllowedHosts } from "./hosts.ts";

const cluster = { PALLAS_NAMESPACE: "agents", PALLAS_INSTANCE: "ouranos" };

describe("CAT-9 what the registry serves", () => {
  it.each([
    [{ PALLAS_INSTANCE: "a, b," }, { namespace: "agents", instances: ["a", "b"] }],
    [{ PALLAS_INSTANCE: "*" }, { namespace: "agents", instances: undefined }],
    [
      { PALLAS_NAMESPACE: "*", PALLAS_INSTANCE: "*" },
      { namespace: undefined, instances: undefined },
    ],
  ])("%o", (env, expected) => {
    expect(parseEnvironment({ ...cluster, ...env })).toMatchObject(expected);
  });

  it("has defaults for the rest", () => {
    expect(parseEnvironment(cluster)).toMatchObject({
      port: 24_200,
      adminPort: 9090,
      host: "0.0.0.0",
      logLevel: undefined,
      rootLogLevel: undefined,
      metricsMode: "aggregate",
      scrapeIntervalMs: 15_000,
      scrapeTimeoutMs: 2_000,
      allowedHosts: [],
      allowedOrigins: [],
      drainDelayMs: 5_000,
    });
  });

  it("judges by what its operator tells it, and by no limit where it tells nothing", () => {
    const rulesOf = (env: Record<string, string>) => parseEnvironment({ ...cluster, ...env }).rules;
    expect(rulesOf({})).toEqual({ mode: "cluster" });
    expect(rulesOf({ PALLAS_LIMITS: '{"allowedImages":["a"]}' })).toEqual({ mode: "cluster", allowedImages: ["a"] });
    expect(parseEnvironment({ PALLAS_LOCAL_STATE: "/tmp/state.json" }).rules).toEqual({ mode: "local" });
  });

  it("local mode needs neither namespace nor instance, drains at once, and has no port for probes unless it is set", () => {
    expect(parseEnvironment({ PALLAS_LOCAL_STATE: "/tmp/state.json" })).toMatchObject({
      drainDelayMs: 0,
      adminPort: undefined,
    });
    expect(parseEnvironment({ PALLAS_LOCAL_STATE: "/tmp/state.json", PALLAS_ADMIN_PORT: "0" }).adminPort).toBe(0);
  });

  it.each([
    [{}, "PALLAS_NAMESPACE is not set"],
    [{ PALLAS_NAMESPACE: "agents" }, "PALLAS_INSTANCE is not set"],
    [{ ...cluster, PALLAS_INSTANCE: "," }, "PALLAS_INSTANCE"],
    [{ ...cluster, PALLAS_INSTANCE: "a in (b)" }, "PALLAS_INSTANCE"],
    [{ ...cluster, PALLAS_NAMESPACE: "Agents" }, "PALLAS_NAMESPACE"],
    [{ ...cluster, PALLAS_LIMITS: "a,b" }, "PALLAS_LIMITS"],
    [{ ...cluster, PALLAS_METRICS_MODE: "both" }, "PALLAS_METRICS_MODE"],
    [{ ...cluster, PALLAS_SCRAPE_TIMEOUT_MS: "0" }, "PALLAS_SCRAPE_TIMEOUT_MS"],
  ])("refuses %o, naming the variable", (env, message) => {
    expect(() => parseEnvironment(env)).toThrow(message);
  });
});

describe("SEC-4 hosts of a registry", () => {
  it("without a namespace of its own its Services are known by name only", () => {
    expect(renderAllowedHosts({ instances: ["a", "b"], configured: ["x"] })).toEqual([
      "a-registry",
      "b-registry",
      "localhost",
      "127.0.0.1",
      "[::1]",
      "x",
    ]);
  });
});
