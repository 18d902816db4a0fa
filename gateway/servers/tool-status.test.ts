// What stands in a server's status of its tools, and when it is written.
import { describe, expect, it, onTestFinished } from "vitest";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { serverResource } from "../testing/resources.ts";
import type { ToolStatus } from "../writes/server-status.ts";
import { Pins } from "./pins.ts";
import { keepToolStatus, renderToolStatus } from "./tool-status.ts";

const now = "2026-11-23T09:00:00.000Z";
const later = "2026-11-23T10:00:00.000Z";
const tool = (name: string, description = "") => ({ name, description, inputSchema: { type: "object" as const } });

function serverWith(names: string[] | undefined, health: "healthy" | "unhealthy" | "unknown" = "healthy") {
  const pins = new Pins();
  const tools = names?.map((name) => tool(name));
  if (tools !== undefined) pins.list(tools);
  return { tools, pins, health: { status: health, errorCount: 0 }, problem: undefined };
}

describe("DSC-12 the status of a server's tools", () => {
  it("is their number, hash and what was approved, and that they were listed", () => {
    const status = renderToolStatus(serverWith(["read", "write"]), serverResource("memory"), now);
    expect(status).toMatchObject({ toolCount: 2, listedAt: now, pinned: [{ name: "read" }, { name: "write" }] });
    expect(status?.conditions).toMatchObject([
      { type: "Indexed", status: "True", reason: "Listed", message: "2 tools", lastTransitionTime: now },
      { type: "Pinned", status: "True", reason: "Pinned", observedGeneration: 1 },
    ]);
  });

  it("names the tools that changed, whatever their names hold, with the cure", () => {
    const server = serverWith(["read"]);
    server.pins.list([tool("read", "other"), tool("\u001b[31mred")]);
    const pinned = renderToolStatus(server, serverResource("memory"), now)?.conditions?.[1];
    expect(pinned).toMatchObject({ type: "Pinned", status: "False", reason: "ToolsChanged" });
    expect(pinned?.message).toContain('not as approved: "read", "\\u001b[31mred"');
    expect(pinned?.message).toContain("GET /api/servers/NAME/pins");
  });

  it("keeps what another process saw while this one has seen nothing, and its times while nothing changed", () => {
    const first = renderToolStatus(serverWith(["read"]), serverResource("memory"), now);
    const known = serverResource("memory", {}, { status: first });
    expect(renderToolStatus(serverWith(undefined, "unknown"), known, later)).toBeUndefined();
    expect(renderToolStatus(serverWith(undefined, "unhealthy"), known, later)).toMatchObject({
      toolCount: 1,
      pinned: first?.pinned,
      conditions: [{ type: "Indexed", status: "False", reason: "NotListed" }, first?.conditions?.[1]],
    });
    expect(renderToolStatus(serverWith(["read"]), known, later)).toEqual(first);
  });

  it("is written when it differs, once for what changes at once, and not again", async () => {
    const clock = new ManualClock();
    const written: ToolStatus[] = [];
    let hear: (name: string) => void = () => undefined;
    let resource = serverResource("memory");
    const server = serverWith(["read"]);
    const entry = () => ({ ...server, name: "memory", known: { name: "memory", resource } });
    const stop = keepToolStatus({
      servers: {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as much of an entry as is looked at
        all: () => [entry() as never],
        onChange(listener) {
          hear = listener;
          return () => undefined;
        },
      },
      write: async (_, status) => void written.push(status),
      log: silentLog(),
      clock,
    });
    onTestFinished(stop);
    const change = async () => {
      hear("memory");
      hear("memory");
      await clock.advance(500);
    };
    await change();
    expect(written).toHaveLength(1);
    resource = serverResource("memory", {}, { status: written[0] });
    await change();
    expect(written).toHaveLength(1);
    server.pins.list([tool("read", "other")]);
    await change();
    expect(written).toHaveLength(2);
  });
});
