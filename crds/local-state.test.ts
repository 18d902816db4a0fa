import { describe, expect, test } from "vitest";
import { localStateSchema } from "./local-state.ts";
import { apiVersion } from "./names.ts";

const instance = {
  apiVersion,
  kind: "PallasInstance",
  metadata: { name: "team", namespace: "agents" },
  spec: { registryNamespace: "com.example" },
  status: { registryUrl: "http://localhost:24200" },
};
const agent = {
  apiVersion,
  kind: "PallasAgent",
  metadata: { name: "research", namespace: "agents" },
  spec: { instanceRef: { name: "team" } },
  status: { url: "http://localhost:24101/mcp" },
};
const endpoints = [
  { namespace: "agents", instance: "team", agent: "research", pod: "research-7", adminUrl: "http://127.0.0.1:9" },
];

describe("CLI-1 what the registry is told", () => {
  test("is resources of every kind, each by its own schema", () => {
    const told = localStateSchema.parse({ schema: 2, resources: [agent, instance], endpoints });
    expect(told).toMatchObject({ schema: 2, resources: [agent, instance], endpoints });
    expect(told.resources).toMatchObject([{ spec: { replicas: 1 } }, { spec: { version: "1.0.0" } }]);
  });

  test("in the form of an earlier release means the same", () => {
    const before = { schema: 1, instances: [instance], agents: [agent], endpoints };
    const now = { schema: 2, resources: [instance, agent], endpoints };
    expect(localStateSchema.parse(before)).toEqual(localStateSchema.parse(now));
  });

  test.each([
    ["a kind that is none of ours", { schema: 2, resources: [{ ...agent, kind: "Pod" }], endpoints }, "kind"],
    [
      "a field that the kind does not have",
      { schema: 2, resources: [{ ...instance, spec: agent.spec }], endpoints },
      "spec",
    ],
    ["a form of another release", { schema: 3, resources: [], endpoints }, "schema"],
    ["both forms at once", { schema: 2, resources: [], instances: [], endpoints }, "instances"],
  ])("is refused with %s, which is named", (_, state, named) => {
    const { error } = localStateSchema.safeParse(state);
    expect(JSON.stringify(error?.issues)).toContain(named);
  });
});
