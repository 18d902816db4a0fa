// The built agent on a model mock, as the tests of a running agent start it.
import { join } from "node:path";
import { expect, vi } from "vitest";
import { startAgentProcess, type AgentProcess } from "../../../agent-runtime/testing/process.ts";
import { renderTestConfig } from "../../../agent-runtime/testing/run-config.ts";
import type { RunConfig } from "../../../crds/run-config.ts";
import type { ModelMock } from "../../models/model-mock.ts";

const program = join(import.meta.dirname, "../../../dist/agent-runtime.js");
const startTimeoutMs = 120_000;

/** Starts it and waits until it is ready. */
export async function startBuiltAgent(
  mock: ModelMock,
  changes: Partial<RunConfig>,
  env: Record<string, string> = {},
): Promise<AgentProcess> {
  const agent = await startAgentProcess(renderTestConfig({ ...renderModel(mock), ...changes }), env, program);
  const isReady = async () => expect((await fetch(`${agent.adminUrl}/readyz`)).status).toBe(200);
  await vi.waitFor(isReady, { timeout: startTimeoutMs, interval: 50 });
  return agent;
}

function renderModel(mock: ModelMock): Pick<RunConfig, "models" | "providers"> {
  const models = renderTestConfig().models.map((model) => ({ ...model, ref: "mock.m", provider: "mock", name: "m" }));
  const provider = { name: "mock", kind: "openai-compatible" as const, baseUrl: mock.openaiUrl, headers: [] };
  return { models, providers: [{ ...provider, requireListedModel: false, forwardInboundAuth: false }] };
}
