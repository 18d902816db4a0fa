// Tool servers as a list of the management server: real servers on loopback, as the gateway knows and asks them.
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { systemClock } from "../../../lib/process/clock.ts";
import { sampleAgent } from "../../../plan/testing/resources.ts";
import { serverResource } from "../../testing/resources.ts";
import { echoTool, openServerScene, remoteServer, serverUrl, startMcpServer } from "../../testing/server-scene.ts";
import { CallTrend } from "../../servers/call-trend.ts";
import { person } from "../testing/management.ts";
import { readFamily } from "../testing/read-family.ts";
import { createServerList, maxChangedNames } from "./servers.ts";

const entries = z.array(z.looseObject({ name: z.string(), state: z.string() }));

function start(inline: object[] = []) {
  const scene = openServerScene({ inline });
  const trend = new CallTrend(systemClock);
  const family = createServerList({ servers: scene.servers, state: scene.state, trend, clock: systemClock });
  const read = async (identity = person("viewer")) => entries.parse(await readFamily(family, identity));
  const find = async (name: string) => (await read()).find((each) => each.name === name);
  const until = async (name: string, state: string) =>
    await vi.waitFor(async () => {
      const found = await find(name);
      expect(found?.state).toBe(state);
      return found;
    }, 5_000);
  return { ...scene, trend, family, read, find, until };
}

test("MGM-2 a server is listed with its state, its calls, who uses it and what it is made of", async () => {
  const { url } = await startMcpServer();
  const { state, trend, until } = start();
  state.put(remoteServer("echo", url));
  state.putAgent(sampleAgent("clerk", { servers: [{ name: "echo" }] }));
  state.putAgent(sampleAgent("boss"));
  trend.countTool({ server: "echo", tool: "echo", success: true, durationMs: 8 });
  trend.countTool({ server: "echo", tool: "echo", success: false, durationMs: 8 });
  expect(await until("echo", "ready")).toMatchObject({
    ...{ reason: null, kind: "remote", package: null, version: null, url, active: true, tool_count: 1 },
    ...{ calls_24h: 2, errors_24h: 1, median_ms: expect.any(Number), used_by: ["clerk"] },
    ...{ changed_tools: [], changed_count: 0, pin: "warn", conditions: [] },
  });
});

test("MGM-2 nobody reads of servers and agents that they do not see", async () => {
  const { state, family, read } = start();
  state.put(remoteServer("bank", serverUrl));
  state.put(remoteServer("mail", serverUrl));
  for (const name of ["clerk", "boss"]) state.putAgent(sampleAgent(name, { servers: [{ name: "mail" }] }));
  const narrow = await read(person("viewer", { servers: ["mail"], agents: ["boss"] }));
  expect(narrow).toMatchObject([{ name: "mail", used_by: ["boss"] }]);
  expect(await readFamily(family, person(undefined))).toBeUndefined();
});

test("what a server is made of is said by its kind, its package and its version", async () => {
  const { state, read } = start([{ name: "inline", url: serverUrl }]);
  const put = (name: string, spec: object) => state.put(serverResource(name, { remote: undefined, ...spec }));
  put("a", { package: { kind: "npm", name: "@x/memory", version: "1.2.3" } });
  put("b", { package: { kind: "pypi", name: "mcp-server-time" } });
  put("c", { container: { image: "ghcr.io/x/y:1", command: ["y"] } });
  put("d", { local: { command: "server" } });
  expect(await read()).toMatchObject([
    { name: "a", kind: "npm", package: "@x/memory", version: "1.2.3" },
    { name: "b", kind: "pypi", package: "mcp-server-time", version: null },
    { name: "c", kind: "container", package: "ghcr.io/x/y:1", version: null },
    { name: "d", kind: "local", package: null },
    { name: "inline", kind: "instance", url: serverUrl },
  ]);
});

test("a server that does not answer is in error, and says what was found", async () => {
  const { state, until } = start();
  state.put(remoteServer("down", serverUrl));
  expect(await until("down", "error")).toMatchObject({ reason: expect.stringMatching(/\w+ \w+/) });
});

test.each([maxChangedNames, maxChangedNames + 1])(
  "of %i changed tools so many are named, and all counted",
  async (count) => {
    const names = Array.from({ length: count }, (_, n) => `t${n}`);
    const server = await startMcpServer(names.map((name) => echoTool(name)));
    const { state, servers, until, find, family } = start();
    state.put(remoteServer("echo", server.url));
    await until("echo", "ready");
    const told = vi.fn();
    const stop = family.follow?.("", told);
    onTestFinished(() => stop?.());
    server.table.tools = (await import("../../../lib/mcp/table.ts")).staticTools(
      names.map((name) => ({ ...echoTool(name), description: "Another." })),
    );
    await servers.get("echo")?.check();
    const found = z.looseObject({ changed_tools: z.array(z.string()) }).parse(await find("echo"));
    expect(found).toMatchObject({ state: "ready", changed_count: count });
    expect(found.changed_tools).toHaveLength(maxChangedNames);
    await vi.waitFor(() => expect(told).toHaveBeenCalled(), 5_000);
  },
);
