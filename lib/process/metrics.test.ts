import { Counter } from "prom-client";
import { describe, expect, it } from "vitest";
import { createMetrics, probeRoutes } from "./metrics.ts";

describe("metrics", () => {
  it("renders own and process series as text 0.0.4", async () => {
    const metrics = createMetrics();
    new Counter({ name: "pallas_test_total", help: "x", registers: [metrics.registry] }).inc(3);
    const { body, contentType } = await metrics.render();
    expect(contentType).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(body).toContain("pallas_test_total 3");
    expect(body).toContain("process_cpu_seconds_total");
  });

  it("keeps two registries apart", async () => {
    const first = createMetrics();
    new Counter({ name: "pallas_test_total", help: "x", registers: [first.registry] });
    expect((await createMetrics().render()).body).not.toContain("pallas_test_total");
  });
});

describe("HLT-5 probes", () => {
  it("live by default; ready follows its probe and names the reason", async () => {
    let reason: string | undefined = "not synced yet";
    const app = probeRoutes({ ready: () => reason });
    expect((await app.request("/livez")).status).toBe(200);
    const unready = await app.request("/readyz");
    expect(unready.status).toBe(503);
    expect(await unready.json()).toEqual({ status: "unavailable", reason: "not synced yet" });
    reason = undefined;
    expect(await (await app.request("/readyz")).json()).toEqual({ status: "ok" });
  });

  it("takes a throw and a silence as failed", async () => {
    const app = probeRoutes({
      live: () => Promise.reject(new Error("loop stuck")),
      ready: () => new Promise<undefined>(() => undefined),
    });
    expect(await (await app.request("/livez")).json()).toEqual({ status: "unavailable", reason: "loop stuck" });
    expect(await (await app.request("/readyz")).json()).toEqual({
      status: "unavailable",
      reason: "no answer within 900 ms",
    });
  });
});
