// A collector that is down or slow: calls do not notice, memory stays bounded, and the end does not wait for it.
import { createServer } from "node:net";
import { once } from "node:events";
import { performance } from "node:perf_hooks";
import { describe, expect, test, vi } from "vitest";
import { stopAfterEach } from "../testing/cleanup.ts";
import { ask } from "../testing/client.ts";
import { startOtlpCollector } from "../testing/otlp-collector.ts";
import { renderTestConfig } from "../testing/run-config.ts";
import { createTestLog, startAgent } from "../testing/servers.ts";
import { startTelemetry } from "./settings.ts";

const started = stopAfterEach();

/** Takes connections and never answers. */
async function startSilentServer() {
  const server = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  started.push({ stop: async () => void server.close() });
  return `http://127.0.0.1:${port}`;
}

const open = (endpoint: string, captureContent = false) => {
  const { log, lines } = createTestLog();
  const urls = { tracesUrl: `${endpoint}/v1/traces`, metricsUrl: `${endpoint}/v1/metrics` };
  const telemetry = startTelemetry({ ...urls, captureContent }, { config: renderTestConfig(), log });
  return telemetry.then((opened) => ({ telemetry: opened, lines }));
};

const call = { era: "2026" as const, requestId: "1", meta: {} };

describe("MET-6 a collector that", () => {
  test("never answers delays no call, and the end by two seconds at most", { timeout: 30_000 }, async () => {
    const { telemetry } = await open(await startSilentServer());
    const agent = await startAgent({}, { telemetry });
    started.push(agent);
    for (let calls = 0; calls < 20; calls++) expect((await ask(agent.mcpUrl, { message: "hi" })).text).toBe("hi");
    const beforeMs = performance.now();
    await telemetry.close();
    const tookMs = performance.now() - beforeMs;
    expect(tookMs).toBeGreaterThan(1_900);
    expect(tookMs).toBeLessThan(5_000);
  });

  test("is not there is told once, and once when it is back", { timeout: 30_000 }, async () => {
    const collector = await startOtlpCollector({ status: 400 });
    started.push(collector);
    const { telemetry, lines } = await open(collector.endpoint);
    for (let rounds = 1; rounds <= 3; rounds++) {
      telemetry.startCall({ ...call, tool: "t" }).end({ content: [] });
      await expect.poll(() => collector.requests(), { timeout: 10_000 }).toBe(rounds);
    }
    collector.answerWith(200);
    telemetry.startCall({ ...call, tool: "t" }).end({ content: [] });
    await telemetry.close();
    const ofTraces = lines.filter(({ signal }) => signal === "traces");
    expect(ofTraces).toMatchObject([
      { level: "WARNING", logger: "pallas.telemetry", message: "telemetry cannot be sent" },
      { level: "INFO", message: "telemetry is sent again" },
    ]);
  });

  test("SEC-5 has a link-local or metadata address is not connected to, and the log says so", async () => {
    const { telemetry, lines } = await open("http://169.254.169.254:4318");
    telemetry.startCall({ ...call, tool: "t" }).end({ content: [] });
    await telemetry.close();
    expect(lines).toContainEqual(expect.objectContaining({ signal: "traces", message: "telemetry cannot be sent" }));
    expect(JSON.stringify(lines)).toContain("169.254.169.254 is a link-local or metadata address");
  });

  test.each([
    ["2,048 spans wait", false, 2_048],
    ["256 spans with content wait", true, 256],
  ])(
    "is behind gets what waits, and no more: %s, one more is dropped",
    { timeout: 30_000 },
    async (_rule, content, waiting) => {
      const collector = await startOtlpCollector();
      started.push(collector);
      const { telemetry } = await open(collector.endpoint, content);
      const batch = Math.min(512, waiting);
      // The first batch leaves at once and makes room; all after it wait, since nothing is awaited here.
      for (let made = 0; made < batch + waiting + 1; made++) {
        telemetry.startCall({ ...call, tool: "t" }).end({ content: [] });
      }
      await telemetry.close();
      // What is on its way at the end still arrives; the one that was dropped cannot.
      await vi.waitFor(() => expect(collector.spans.length).toBeGreaterThanOrEqual(batch + waiting));
      expect(collector.spans).toHaveLength(batch + waiting);
    },
  );
});
