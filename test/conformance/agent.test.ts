// The agent as it is built, with no fixtures: what of the official conformance suite asks for none, it passes (AGT-9).
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startAgentProcess, type AgentProcess } from "../../agent-runtime/testing/process.ts";
import { renderTestConfig } from "../../agent-runtime/testing/run-config.ts";
import { fixtureFree } from "./not-applying.ts";
import { type Checks, renderFailures, revisions, runSuite } from "./suite.ts";

const program = join(import.meta.dirname, "../../dist/agent-runtime.js");

describe("AGT-9 the agent as it is built", () => {
  let agent: AgentProcess;

  beforeAll(async () => {
    agent = await startAgentProcess(renderTestConfig(), {}, program);
    await vi.waitFor(() => fetch(`${agent.adminUrl}/readyz`), { timeout: 20_000 });
  });
  afterAll(() => agent.stop());

  describe.each(revisions)("revision %s", (revision) => {
    let results: Map<string, Checks>;

    beforeAll(async () => {
      results = await runSuite(["server", "--url", `${agent.url}/mcp`, "--requirements", revision]);
    });

    it.each(fixtureFree[revision])("passes %s", (name) => {
      expect(results.get(name), "the suite did not run it").toBeDefined();
      expect(renderFailures(results.get(name) ?? [])).toEqual([]);
    });
  });
});
