import { expect, test } from "vitest";
import { serverManifest } from "../../crds/server.ts";
import type { ProcessState } from "./board.ts";
import type { ListedServer } from "./desired-servers.ts";
import { describeServer, renderServerStatus } from "./server-status.ts";

const server = serverManifest.parse({
  apiVersion: "pallas.helu.ca/v1alpha1",
  kind: "PallasServer",
  metadata: { name: "memory" },
  spec: { instanceRef: { name: "i" }, package: { kind: "npm", name: "server-memory" } },
});
const url = "http://127.0.0.1:24400/mcp";
const listed: ListedServer = {
  key: "server/default/memory",
  file: "a.yaml",
  server,
  name: "memory",
  kind: "package",
  url,
};
const held: ListedServer = { ...listed, held: { reason: "Inactive", message: "spec.active is false" } };
const ready = (bridge: ProcessState["bridge"]): ProcessState => ({ phase: "ready", ...(bridge && { bridge }) });

test.each([
  ["its server answers", listed, true, ready({ status: "ok", processes: 1, toolCount: 9 }), "ready", undefined],
  ["its server starts", listed, true, ready({ status: "starting", processes: 1 }), "starting", undefined],
  [
    "its server is down",
    listed,
    true,
    ready({ status: "down", message: "its words", processes: 0 }),
    "failing",
    "its words",
  ],
  ["the bridge is silent", listed, true, ready("unreachable"), "degraded", "it does not answer"],
  ["the bridge fails", listed, true, { phase: "failing", detail: "port" } as const, "failing", "port"],
  ["it is switched off", held, false, undefined, "inactive", "spec.active is false"],
  ["it has no bridge", listed, false, undefined, "direct", undefined],
])("DSC-6 told of a server when %s", (_, entry, isRunnable, state, status, reason) => {
  expect(describeServer(entry, isRunnable, state)).toEqual({ status, ...(reason !== undefined && { reason }) });
});

test("DSC-6 registry and gateway are told as in a cluster: its conditions with its last words, and where it is reached", () => {
  const render = (state: ProcessState | undefined, previous?: ReturnType<typeof renderServerStatus>, now = "t1") =>
    renderServerStatus({ listed, isRunnable: true, state, previous, now });
  const up = render(ready({ status: "ok", processes: 1, toolCount: 9 }));
  expect(up).toMatchObject({ url, toolCount: 9 });
  expect(up.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
    "Accepted=True",
    "Available=True",
    "Ready=True",
  ]);
  const down = render(ready({ status: "down", message: "its words", processes: 0 }), up, "t2");
  // What it had last is still the best that is known of its tools.
  expect(down.toolCount).toBe(9);
  expect(down.conditions).toEqual([
    { type: "Accepted", status: "True", reason: "Accepted", message: "", lastTransitionTime: "t1" },
    { type: "Available", status: "False", reason: "ServerDown", message: "its words", lastTransitionTime: "t2" },
    { type: "Ready", status: "False", reason: "NotReady", message: "its words", lastTransitionTime: "t2" },
  ]);
  expect(renderServerStatus({ listed: held, isRunnable: false, state: undefined, now: "t" })).toMatchObject({
    conditions: [{}, { type: "Available", status: "False", reason: "Inactive" }, { type: "Ready", status: "False" }],
  });
  expect(renderServerStatus({ listed: held, isRunnable: false, state: undefined, now: "t" })).not.toHaveProperty("url");
});
