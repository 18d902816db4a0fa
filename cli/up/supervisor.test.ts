import { expect, test } from "vitest";
import { judge } from "../manifests/judge.ts";
import { agentYaml, instanceYaml, readFolder } from "../testing/manifests.ts";
import { renderDesired } from "./desired.ts";
import { stopOrder } from "./supervisor.ts";

test("CLI-1 agents stop in the reverse order of their start", async () => {
  const manifests = await readFolder({
    "a.yaml": [
      instanceYaml(),
      agentYaml("boss", "agents: [{ name: worker }, { name: clerk }]"),
      agentYaml("worker", "dependsOn: [store]"),
      agentYaml("clerk"),
      agentYaml("store"),
      agentYaml("orphan", "dependsOn: [faulty]"),
      agentYaml("faulty", "nope: 1"),
    ].join(""),
  });
  const context = { registryPort: 24_200, urlHost: "localhost", environment: {}, portsBefore: new Map() };
  const { runnable } = renderDesired(manifests, judge(manifests, { mode: "local" }, {}), context);
  expect(stopOrder([...runnable.values()])).toEqual([
    ["default/orphan"],
    ["default/boss"],
    ["default/worker"],
    ["default/clerk", "default/store"],
  ]);
});
