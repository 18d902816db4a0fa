// DSC-3 the tools of servers that only agents reach, as the gateway learns them: whom it asks, how often, and what it keeps.
import { describe, expect, onTestFinished, test } from "vitest";
import type { ToolReport } from "../../crds/tool-report.ts";
import { createLogger } from "../../lib/process/log.ts";
import { ManualClock, settle } from "../../lib/process/testing/manual-clock.ts";
import { sampleAgent, sampleInstance } from "../../plan/testing/resources.ts";
import { collectServers } from "../state/servers.ts";
import type { StateChange } from "../state/state.ts";
import { AgentToolsFeed } from "./agent-tools.ts";

const secret = { name: "X-Key", valueFrom: { secretKeyRef: { name: "keys", key: "k" } } };
const url = "http://tools.example.com/mcp";
const archive = { name: "archive", url, headers: [secret] };
const oauth = {
  tokenUrl: "https://login.example.com/token",
  clientId: "c",
  clientSecret: { secretKeyRef: { name: "keys", key: "s" } },
};
const uses = (name: string, tools?: object) => ({ servers: [{ name, ...(tools && { tools }) }] });

interface Asked {
  agent: string;
  server: string;
  known: string | undefined;
  signal: AbortSignal;
}

/** Agents that are ready unless `away` has them, and what each says by `agent/server`: names of tools, or an error. */
function open(agents: Record<string, object>, servers: object[] = [archive]) {
  const clock = new ManualClock();
  const away = new Set<string>();
  const says = new Map<string, string[]>();
  const asked: Asked[] = [];
  const held = { isOn: false };
  const listeners = new Set<(change: StateChange) => void>();
  const scene = { agents: { ...agents }, servers: [...servers] };
  const state = {
    listServers: () => collectServers(sampleInstance({ servers: scene.servers }), []).list,
    listAgents: () => Object.entries(scene.agents).map(([name, spec]) => sampleAgent(name, spec)),
    getEndpoint: (name: string) =>
      away.has(name) || !(name in scene.agents) ? undefined : { mcpUrl: url, adminUrl: url },
    onChange(listener: (change: StateChange) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const tell = () => {
    const change = { agents: ["x"], servers: [], registrations: [], policies: [], approvals: [], instance: false };
    for (const listener of listeners) listener(change);
  };
  const render = (agent: string, server: string, names: string[]): ToolReport => ({
    agent,
    server,
    version: names.join(" "),
    tools: names.map((name) => ({ name, inputSchema: { type: "object" } })),
  });
  const admin = {
    async fetchTools(agent: string, server: string, known: string | undefined, signal: AbortSignal) {
      asked.push({ agent, server, known, signal });
      if (held.isOn) await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      const names = says.get(`${agent}/${server}`);
      if (names === undefined) throw new Error("no answer");
      const report = render(agent, server, names);
      return report.version === known ? "same" : report;
    },
  };
  const log = createLogger({ logger: "test", level: "SILENT" });
  const feed = new AgentToolsFeed({ state, admin, log, clock, random: () => 0 });
  onTestFinished(() => feed.close());
  const list = () => feed.list().map(({ agent, server, tools }) => [agent, server, tools.map(({ name }) => name)]);
  const names = () => asked.splice(0).map(({ agent, server }) => `${agent}/${server}`);
  return { scene, clock, away, says, asked, held, tell, feed, list, names };
}

describe("DSC-3 servers that only agents reach", () => {
  test("are asked for of one agent, and all that use them are known to have the tools", async () => {
    const { says, clock, list, names, feed } = open({ b: uses("archive"), a: uses("archive"), c: {} });
    says.set("a/archive", ["read", "write"]);
    let told = 0;
    feed.onChange(() => (told += 1));
    await clock.advance(0);
    expect(names()).toEqual(["a/archive"]);
    expect(list()).toEqual([
      ["a", "archive", ["read", "write"]],
      ["b", "archive", ["read", "write"]],
    ]);
    expect(told).toBe(1);
  });

  test("are those with a secret or a token of their own, and never those that take callers' tokens", async () => {
    const servers = [
      { name: "plain", url, headers: [{ name: "X-A", value: "b" }] },
      { name: "own-token", url, auth: { oauth } },
      { ...archive, name: "callers", forwardInboundAuth: true },
    ];
    const all = { servers: servers.map(({ name }) => ({ name })) };
    const { clock, names } = open({ a: all }, servers);
    await clock.advance(0);
    expect(names()).toEqual(["a/own-token"]);
  });

  test("of agents with rules: each hears of what its rules let through, by one without rules or else by one of each kind", async () => {
    const { says, clock, list, names, away, tell } = open({
      free: uses("archive"),
      reader: uses("archive", { allow: ["re*"] }),
      other: uses("archive", { allow: ["re*"] }),
      writer: uses("archive", { deny: ["read"] }),
    });
    away.add("free");
    says.set("free/archive", ["read", "write", "remove"]);
    says.set("other/archive", ["read", "remove"]);
    says.set("writer/archive", ["write", "remove"]);
    await clock.advance(0);
    expect(names()).toEqual(["other/archive", "writer/archive"]);
    expect(list()).toEqual([
      ["other", "archive", ["read", "remove"]],
      ["reader", "archive", ["read", "remove"]],
      ["writer", "archive", ["write", "remove"]],
    ]);
    away.clear();
    says.set("free/archive", ["read", "write"]);
    tell();
    await clock.advance(120_000);
    expect(new Set(names())).toEqual(new Set(["free/archive"]));
    expect(list()).toEqual([
      ["free", "archive", ["read", "write"]],
      ["other", "archive", ["read"]],
      ["reader", "archive", ["read"]],
      ["writer", "archive", ["write"]],
    ]);
  });

  test("are asked for again every 30 s with what is known, and nobody is told where that is the same", async () => {
    const { says, clock, asked, feed } = open({ a: uses("archive") });
    says.set("a/archive", ["read"]);
    await clock.advance(0);
    const before = feed.list();
    let told = 0;
    feed.onChange(() => (told += 1));
    await clock.advance(29_999);
    expect(asked).toHaveLength(1);
    await clock.advance(1);
    expect(asked.map(({ known }) => known)).toEqual([undefined, "read"]);
    expect(feed.list()).toBe(before);
    says.set("a/archive", ["read", "more"]);
    await clock.advance(30_000);
    expect(told).toBe(1);
    expect(feed.list()[0]?.tools).toHaveLength(2);
  });

  test("stay known while their agents are away, which are then named last; nobody is asked meanwhile", async () => {
    const { says, clock, away, tell, feed, names } = open({ a: uses("archive"), b: uses("archive") });
    says.set("a/archive", ["read"]);
    await clock.advance(0);
    names();
    away.add("a");
    tell();
    expect(feed.list().map(({ agent, isReady }) => [agent, isReady])).toEqual([
      ["b", true],
      ["a", false],
    ]);
    away.add("b");
    tell();
    names();
    await clock.advance(600_000);
    expect(names()).toEqual([]);
    expect(feed.list()).toHaveLength(2);
    away.clear();
    tell();
    await clock.advance(0);
    expect(names()).toEqual(["a/archive"]);
  });

  test("are forgotten with the agent, its entry, or the server", async () => {
    const { says, clock, scene, tell, list } = open({ a: uses("archive"), b: uses("archive") });
    says.set("a/archive", ["read"]);
    await clock.advance(0);
    delete scene.agents["a"];
    tell();
    expect(list()).toEqual([["b", "archive", ["read"]]]);
    scene.agents["b"] = {};
    tell();
    expect(list()).toEqual([]);
    scene.agents["b"] = uses("archive");
    scene.servers = [{ name: "archive", url }];
    tell();
    await clock.advance(60_000);
    expect(list()).toEqual([]);
    expect(clock.pending).toEqual([]);
  });

  test("of an agent that fails: the next is asked after 5 s, then 10, at most 300, and what is known stays", async () => {
    const { says, clock, names } = open({ a: uses("archive"), b: uses("archive") });
    const times: number[] = [];
    let before = clock.now();
    for (let turn = 0; turn < 9; turn += 1) {
      await clock.advance(clock.pending[0] ?? 0);
      times.push((clock.now() - before) / 1_000);
      before = clock.now();
    }
    expect(times).toEqual([0, 5, 10, 20, 40, 80, 160, 300, 300]);
    expect(names().slice(0, 3)).toEqual(["a/archive", "b/archive", "a/archive"]);
    says.set("a/archive", ["read"]);
    says.set("b/archive", ["read"]);
    await clock.advance(300_000);
    expect(clock.pending).toEqual([30_000]);
  });

  test("are asked for four at once, each for 10 s at most", async () => {
    const servers = Array.from({ length: 5 }, (_, at) => ({ ...archive, name: `s${at}` }));
    const { clock, asked, held } = open({ a: { servers: servers.map(({ name }) => ({ name })) } }, servers);
    held.isOn = true;
    await clock.advance(0);
    expect(asked).toHaveLength(4);
    await clock.advance(9_999);
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([false, false, false, false]);
    await clock.advance(1);
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, true, true, true, false]);
  });

  test("nobody is asked and nothing waits once it is closed", async () => {
    const { clock, asked, held, feed } = open({ a: uses("archive") });
    held.isOn = true;
    await clock.advance(0);
    feed.close();
    await settle();
    expect(asked[0]?.signal.aborted).toBe(true);
    await clock.advance(600_000);
    expect(asked).toHaveLength(1);
    expect(clock.pending).toEqual([]);
  });
});
