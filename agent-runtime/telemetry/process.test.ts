// The program with an endpoint in its environment: what a run leaves behind is sent before the process ends.
import { expect, test, vi } from "vitest";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { ask } from "../testing/client.ts";
import { startOtlpCollector } from "../testing/otlp-collector.ts";
import { startAgentProcess } from "../testing/process.ts";
import { renderTestConfig } from "../testing/run-config.ts";

const keep = keepUntilEnd();

test("MET-6 SIGTERM right after a call loses none of its spans", { timeout: 30_000 }, async () => {
  const collector = await keep(startOtlpCollector());
  const agent = await keep(
    startAgentProcess(renderTestConfig(), {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
      PALLAS_DRAIN_DELAY_MS: "0",
    }),
  );
  await vi.waitFor(async () => expect((await fetch(`${agent.adminUrl}/readyz`)).status).toBe(200), { timeout: 15_000 });
  await ask(`${agent.url}/mcp`, { message: "hi" });
  agent.kill("SIGTERM");
  expect(await agent.exited).toBe(0);
  expect(collector.spans.map(({ name }) => name).toSorted()).toEqual([
    "chat test",
    "invoke_agent tech-research",
    "tools/call send_message",
  ]);
  expect(collector.bodies[0]).toContain("deployment.environment.name");
  expect(collector.metrics.map(({ name }) => name)).toContain("gen_ai.invoke_agent.duration");
});
