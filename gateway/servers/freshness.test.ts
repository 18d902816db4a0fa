// How soon the gateway knows of tool servers: what was written, at once; the tools of what was started, without a wait.
import { describe, expect, it, onTestFinished } from "vitest";
import type { PallasServer } from "../../crds/server.ts";
import type { Identity } from "../../lib/auth/roles.ts";
import { createLogger } from "../../lib/process/log.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { collectServers } from "../state/servers.ts";
import type { StateChange } from "../state/state.ts";
import { serverResource } from "../testing/resources.ts";
import { serverUrl } from "../testing/server-scene.ts";
import { CallLog } from "./call-log.ts";
import { createToolServers } from "./tool-servers.ts";

const viewer: Identity = { kind: "person", subject: "a viewer", name: "a viewer", groups: [], role: "viewer" };
const memory = (active: boolean) => serverResource("memory", { active, remote: { url: serverUrl } });

/** A state whose listeners hear of a change only when they are told. */
function open() {
  let known: PallasServer[] = [];
  let tell = (_change: StateChange): void => undefined;
  const clock = new ManualClock();
  const state = {
    listServers: () => collectServers(undefined, known).list,
    getServer: (name: string) => collectServers(undefined, known).get(name),
    onChange(listener: (change: StateChange) => void) {
      tell = listener;
      return () => undefined;
    },
  };
  const log = createLogger({ logger: "test", level: "SILENT" });
  const calls = new CallLog({ arguments: "off" });
  const metrics = { countToolCall: () => undefined };
  const servers = createToolServers({ state, calls, metrics, version: "1", log, clock, random: () => 0.9 });
  onTestFinished(() => servers.close());
  return {
    servers,
    clock,
    put: (...resources: PallasServer[]) => void (known = resources),
    tell: () =>
      tell({ agents: [], servers: ["memory"], registrations: [], policies: [], approvals: [], instance: false }),
  };
}

describe("DSC-8 a server that was written", () => {
  it("is known, changed and gone as soon as the state says so, whenever listeners hear of it", () => {
    const { servers, put } = open();
    put(memory(false));
    expect(servers.find("memory", viewer)?.isActive).toBe(false);
    put(memory(true));
    expect(servers.find("memory", viewer)?.isActive).toBe(true);
    put();
    expect(servers.find("memory", viewer)).toBeUndefined();
  });
});

describe("DSC-6 the tools of a server", () => {
  it("are listed at once when it is started", () => {
    const { clock, put, tell } = open();
    put(memory(false));
    tell();
    expect(clock.pending).toEqual([]);
    put(memory(true));
    tell();
    expect(clock.pending).toEqual([0]);
  });

  it("are listed within a second when it was started before, so that not all are asked at once", () => {
    const { clock, put, tell } = open();
    put(memory(true));
    tell();
    expect(clock.pending).toEqual([900]);
  });
});
