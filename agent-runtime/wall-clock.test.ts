// A wall clock that somebody sets while an agent works: nothing that the agent measures may follow it.
import { expect, onTestFinished, test, vi } from "vitest";
import { ask } from "./testing/client.ts";
import { renderTestServer } from "./testing/run-config.ts";
import { callTool, createScriptedModels } from "./testing/scripted-models.ts";
import { startAgent, startToolServer, textResult } from "./testing/servers.ts";

test("MET-3 a wall clock that is set back changes no duration in metrics and log", async () => {
  const read = Date.now.bind(Date);
  const wall = vi.spyOn(Date, "now");
  onTestFinished(() => wall.mockRestore());
  const setBack = (hours: number) => wall.mockImplementation(() => read() - hours * 3_600_000);

  const tools = await startToolServer({
    read: () => {
      setBack(2);
      return textResult("x");
    },
  });
  onTestFinished(tools.stop);
  const models = createScriptedModels([
    () => {
      setBack(1);
      return { toolCalls: [callTool("argos__read")] };
    },
    { text: "done" },
  ]);
  const agent = await startAgent({ servers: [renderTestServer("argos", tools.url)] }, { models });
  onTestFinished(agent.stop);

  expect(await ask(agent.mcpUrl, { message: "hi" })).toMatchObject({ text: "done", isError: false });
  const answered = agent.lines.find(({ message }) => message === "call answered");
  expect(answered?.["durationMs"]).toBeGreaterThanOrEqual(0);
  const metrics = await (await fetch(`${agent.adminUrl}/metrics`)).text();
  const sums = [...metrics.matchAll(/^pallas_\w+_duration_seconds_sum\{.*\} (.*)$/gm)].map(([, sum]) => Number(sum));
  expect(sums).toHaveLength(2);
  for (const sum of sums) expect(sum).toBeGreaterThanOrEqual(0);
});
