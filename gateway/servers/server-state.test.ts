// How a server is, by what is known of it.
import { expect, test } from "vitest";
import { serverResource } from "../testing/resources.ts";
import type { Health } from "./entry.ts";
import { Pins } from "./pins.ts";
import { observeServerState } from "./server-state.ts";

const healthy: Health = { status: "healthy", errorCount: 0 };
const unknown: Health = { status: "unknown", errorCount: 0 };
const down: Health = { status: "unhealthy", errorCount: 1, error: "connection refused" };
const unavailable = (reason: string) => ({
  conditions: [
    {
      type: "Available",
      status: "False",
      reason,
      message: `because ${reason}`,
      lastTransitionTime: "2026-01-01T00:00:00Z",
    },
  ],
});
const inline = {
  known: { name: "x", inline: { name: "x", url: "http://x/mcp" } },
  problem: "only agents hold its secrets",
};

function changedPins(count: number): Pins {
  const tools = (description: string) =>
    Array.from({ length: count }, (_, n) => ({ name: `t${n}`, description, inputSchema: { type: "object" as const } }));
  const pins = new Pins();
  pins.mode = "block";
  pins.list(tools("as it was"));
  pins.list(tools("another"));
  return pins;
}

test.each([
  ["answers", { health: healthy }, "ready", null],
  ["answers, while a condition is older", { health: healthy, status: unavailable("ServerDown") }, "ready", null],
  ["is not started", { isActive: false, health: down }, "off", null],
  ["is refused, started or not", { isActive: false, refusal: "no such image" }, "error", "no such image"],
  ["was not asked yet", {}, "starting", "its tools have not been listed yet"],
  ["is being started", { status: unavailable("ServerStarting") }, "starting", "because ServerStarting"],
  ["is being rolled out", { health: down, status: unavailable("Progressing") }, "starting", "because Progressing"],
  ["cannot be started", { status: unavailable("ServerDown") }, "error", "because ServerDown"],
  ["has no address yet", { problem: "no address" }, "starting", "no address"],
  ["does not answer", { health: down }, "error", "connection refused"],
  ["only agents can ask", inline, "ready", "only agents hold its secrets"],
  ["has a hidden tool", { health: healthy, pins: changedPins(1) }, "degraded", expect.stringMatching(/^1 tool is not/)],
  [
    "has hidden tools",
    { health: healthy, pins: changedPins(2) },
    "degraded",
    expect.stringMatching(/^2 tools are not/),
  ],
])("a server that %s", (_what, { status, ...seen }: Record<string, unknown> & { status?: object }, state, reason) => {
  const server = {
    known: { name: "x", resource: serverResource("x", {}, { status }) },
    ...{ isActive: true, health: unknown, problem: undefined, refusal: undefined, pins: new Pins() },
    ...seen,
  };
  expect(observeServerState(server)).toEqual({ state, reason });
});
