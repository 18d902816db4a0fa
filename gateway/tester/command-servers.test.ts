import { describe, expect, it } from "vitest";
import { apiVersion } from "../../crds/names.ts";
import type { PallasServer } from "../../crds/server.ts";
import type { PersonIdentity } from "../../lib/auth/roles.ts";
import { createLogger } from "../../lib/process/log.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import type { KnownServer } from "../state/servers.ts";
import { WriteRefused, type ResourceWrites, type StateChange } from "../state/state.ts";
import { createCommandServers, type CommandServersParts } from "./command-servers.ts";

const operator: PersonIdentity = { kind: "person", subject: "alice", name: "alice", groups: [], role: "operator" };
const url = "http://transient.agents.svc:8080/mcp";
const change: StateChange = {
  agents: [],
  servers: [],
  registrations: [],
  policies: [],
  approvals: [],
  instance: false,
};
type Condition = NonNullable<NonNullable<PallasServer["status"]>["conditions"]>[number];
const condition = (type: string, status: Condition["status"], message = ""): Condition => ({
  type,
  status,
  message,
  reason: "Reason",
  lastTransitionTime: "2026-01-01T00:00:00Z",
});

/** A cluster that remembers what was written, and whose operator a test plays. */
function open(refuse?: WriteRefused) {
  const clock = new ManualClock();
  const servers: PallasServer[] = [];
  const deleted: { name: string; subject: string }[] = [];
  const listeners = new Set<(change: StateChange) => void>();
  const unused = () => Promise.reject(new Error("not used"));
  const writes = (subject: string): ResourceWrites<PallasServer> => ({
    async create(manifest) {
      if (refuse !== undefined) throw refuse;
      servers.push(manifest);
      return manifest;
    },
    async delete(name) {
      deleted.push({ name, subject });
      const at = servers.findIndex(({ metadata }) => metadata.name === name);
      if (at < 0) throw new WriteRefused("gone", { kind: "gone" });
      servers.splice(at, 1);
    },
    patch: unused,
    upsert: unused,
  });
  const others = { create: unused, delete: unused, patch: unused, upsert: unused };
  const known = (): KnownServer[] => servers.map((resource) => ({ name: resource.metadata.name, resource }));
  const state: CommandServersParts["state"] = {
    namespace: "agents",
    instance: "ouranos",
    listServers: known,
    getServerAddress: () => ({ url, headers: [], forwardInboundAuth: false }),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const commands = createCommandServers({
    state,
    writesFor: ({ subject }) => ({ agents: others, policies: others, registrations: others, servers: writes(subject) }),
    log: createLogger({ logger: "test", level: "ERROR" }),
    clock,
  });
  const say = (...conditions: Condition[]) => {
    for (const [at, server] of servers.entries()) servers[at] = { ...server, status: { conditions } };
    for (const listener of listeners) listener(change);
  };
  return { clock, servers, deleted, listeners, commands, say };
}

const never = new AbortController().signal;
const npx = { command: "npx", args: ["-y", "@scope/server@1.2.3", "--all"], env: {} };

describe("DSC-9 a transient server of a package", () => {
  it("is a PallasServer with a label and a name nobody chose, reached when it is ready, and deleted in its opener's name", async () => {
    const { commands, servers, say, deleted, listeners } = open();
    const opening = commands.open(operator, npx, never);
    await expect.poll(() => listeners.size).toBe(1);
    expect(servers[0]).toMatchObject({
      apiVersion,
      kind: "PallasServer",
      metadata: { namespace: "agents", labels: { "pallas.helu.ca/transient": "true" } },
      spec: {
        instanceRef: { name: "ouranos" },
        listed: false,
        package: { kind: "npm", name: "@scope/server", version: "1.2.3", args: ["--all"] },
      },
    });
    say(condition("Accepted", "True"), condition("Ready", "False", "starting"));
    say(condition("Accepted", "True"), condition("Ready", "True"));
    const server = await opening;
    expect(server).toMatchObject({ url, name: expect.stringMatching(/^transient-[0-9a-f]{10}$/) });
    await server.remove();
    expect(deleted).toEqual([{ name: server.name, subject: "alice" }]);
    expect(listeners.size).toBe(0);
    await expect(server.remove()).resolves.toBeUndefined();
  });

  it("that is not accepted is 422 with the operator's words, and is taken away", async () => {
    const { commands, say, servers, listeners } = open();
    const opening = commands.open(operator, npx, never);
    await expect.poll(() => listeners.size).toBe(1);
    say(condition("Accepted", "False", "image x is not allowed"));
    await expect(opening).rejects.toMatchObject({ status: 422, message: "image x is not allowed" });
    expect(servers).toEqual([]);
  });

  it("that is not ready after two minutes is 504 with why, and is taken away", async () => {
    const { commands, say, servers, clock, listeners } = open();
    const opening = commands.open(operator, npx, never);
    const failed = expect(opening).rejects.toMatchObject({
      status: 504,
      message: expect.stringContaining("no such package"),
    });
    await expect.poll(() => listeners.size).toBe(1);
    say(condition("Ready", "False", "no such package"));
    await clock.advance(119_999);
    expect(servers).toHaveLength(1);
    await clock.advance(1);
    await failed;
    expect(servers).toEqual([]);
  });

  it("whose opener has gone is taken away", async () => {
    const { commands, servers, listeners } = open();
    const gone = new AbortController();
    const opening = commands.open(operator, npx, gone.signal);
    await expect.poll(() => listeners.size).toBe(1);
    gone.abort();
    await expect(opening).rejects.toMatchObject({ status: 503 });
    expect(servers).toEqual([]);
  });

  it.each([
    ["a program of one machine", { command: "node", args: ["server.js"], env: {} }, "from a manifest"],
    ["no package", { command: "npx", args: ["-y"], env: {} }, "name the package"],
    ["variables, which could be read by others", { ...npx, env: { KEY: "hunter2" } }, "from a Secret"],
    [
      "variables of docker",
      { command: "docker", args: ["run", "-e", "A=b", "image", "run"], env: {} },
      "from a Secret",
    ],
  ])("is refused for %s", async (_what, command, sentence) => {
    const { commands, servers } = open();
    const refused = commands.open(operator, command, never);
    await expect(refused).rejects.toMatchObject({ status: 422, message: expect.stringContaining(sentence) });
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining("hunter2") });
    expect(servers).toEqual([]);
  });

  it("is refused where management is not readWrite", async () => {
    const { commands } = open(new WriteRefused("set it to readWrite", { kind: "not-allowed" }));
    await expect(commands.open(operator, npx, never)).rejects.toMatchObject({
      status: 403,
      message: "set it to readWrite",
    });
  });

  it("that a gateway left behind is taken away half an hour after it was made; no other server is", async () => {
    const { commands, servers, clock, deleted } = open();
    const left = (name: string, labels: Record<string, string>): PallasServer => ({
      apiVersion,
      kind: "PallasServer",
      metadata: { name, namespace: "agents", labels, creationTimestamp: new Date(clock.wallNow()).toISOString() },
      spec: { instanceRef: { name: "ouranos" }, active: true, listed: false, package: { kind: "npm", name: "x" } },
    });
    servers.push(left("transient-old", { "pallas.helu.ca/transient": "true" }), left("kept", {}));
    await clock.advance(29 * 60_000);
    expect(deleted).toEqual([]);
    await clock.advance(60_000);
    expect(deleted).toEqual([{ name: "transient-old", subject: "pallas-gateway" }]);
    commands.close();
    expect(clock.pending).toEqual([]);
  });
});
