import { describe, expect, test } from "vitest";
import type { HealthReport } from "../../crds/health.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Diagnostic } from "../manifests/diagnostic.ts";
import { judge } from "../manifests/judge.ts";
import { agentYaml, instanceYaml, readFolder, recordTerminal, serverYaml } from "../testing/manifests.ts";
import { Board, type ProcessState } from "./board.ts";
import { renderDesired } from "./desired.ts";
import { createJsonReport } from "./json-report.ts";
import { registryKey } from "./process-keys.ts";
import type { RunState } from "./report.ts";
import { createTextReport } from "./text-report.ts";

async function createState(more = "", spec = ""): Promise<RunState> {
  const manifests = await readFolder({
    "a.yaml": instanceYaml(spec) + agentYaml("a") + agentYaml("b", "dependsOn: [a]") + more,
  });
  const context = {
    registryPort: 24_200,
    urlHost: "localhost",
    environment: {},
    portsBefore: new Map<string, number>(),
    serverPorts: new Map([["server/default/memory", 24_400]]),
    judgeProgram: () => "allowed" as const,
  };
  const desired = renderDesired(manifests, judge(manifests, { mode: "local" }, {}), context);
  return { desired, board: new Board(), registryUrl: "http://localhost:24200" };
}

const token = "token-of-the-run";

const problem: Diagnostic = {
  severity: "error",
  file: "/m/a.yaml",
  position: { line: 1, column: 2 },
  message: "wrong",
};

describe("CLI-1 a run told to people", () => {
  test("one line says how things are: what is wrong first, and how to stop when all is well", async () => {
    const terminal = recordTerminal("/");
    const report = createTextReport(terminal);
    const state = await createState();
    report.changed(state);
    state.board.set("default/a", { phase: "starting" });
    report.changed(state);
    state.board.set("default/a", { phase: "failing", detail: "x" });
    report.changed(state);
    state.board.set("default/a", { phase: "ready" });
    state.board.set("default/b", { phase: "ready" });
    report.changed(state);
    expect(terminal.statuses).toEqual([
      "0 of 2 agents ready; waiting: a, b",
      "0 of 2 agents ready; starting: a; waiting: b",
      "0 of 2 agents ready; failing: a; waiting: b",
      "2 of 2 agents ready; Ctrl-C stops",
    ]);
  });

  test("nothing is said twice, and when the last problem has gone that is said", () => {
    const terminal = recordTerminal("/m");
    const report = createTextReport(terminal);
    report.judged([problem]);
    report.judged([problem]);
    report.judged([]);
    report.judged([]);
    report.inTrouble("default/a", "ended with code 1", 1_000, ["default/b"]);
    report.inTrouble("default/a", "ended with code 1", 2_000, []);
    report.ready("default/a", "http://localhost:1/mcp", 1_234);
    report.ready("default/b", "http://localhost:2/mcp", 1_000);
    report.edited({ started: ["default/c"], restarted: [], stopped: ["default/d", "default/e"] });
    report.edited({ started: [], restarted: [], stopped: [] });
    expect(terminal.complaints).toEqual([
      "a.yaml:1:2: error: wrong",
      "edited: all errors are corrected",
      "a: ended with code 1; trying again in 1.0 s; b waits for it",
      "a: ready after 1.2 s at http://localhost:1/mcp",
      "edited: started c; stopped d, e",
    ]);
  });
});

describe("CLI-1 an agent that is up and not well", () => {
  const health = (status: "ok" | "degraded", message?: string): HealthReport => ({
    status,
    timestamp: "",
    agent: "a",
    providers: {},
    downstreams: {},
    ...defined({ message }),
  });

  test("is degraded in the table with its reason, and when that changes or is over a line says so", async () => {
    const terminal = recordTerminal("/");
    const report = createTextReport(terminal);
    const state = await createState();
    const become = (found: HealthReport | "unreachable") => {
      state.board.set("default/a", { phase: "ready", health: found });
      report.changed(state);
    };
    become(health("degraded", "Unreachable: x"));
    report.settled(state, token);
    expect(terminal.printed.map((line) => line.replaceAll(/ +/g, " "))).toEqual([
      "AGENT MODEL STATUS URL",
      "a passthrough degraded http://localhost:24201/mcp",
      "b passthrough stopped http://localhost:24202/mcp",
      " a: Unreachable: x",
      "registry stopped: http://localhost:24200/.well-known/mcp/server.json",
    ]);
    expect(terminal.statuses.at(-1)).toBe("0 of 2 agents ready; degraded: a; waiting: b");
    expect(terminal.complaints).toEqual([]);
    state.board.set("default/b", { phase: "ready" });
    report.changed(state);
    expect(terminal.statuses.at(-1)).toBe("1 of 2 agents ready; degraded: a; Ctrl-C stops");
    become(health("degraded", "Slow: y (2.1 s)"));
    become(health("degraded", "Slow: y (2.2 s)"));
    become(health("ok"));
    become(health("ok"));
    become("unreachable");
    expect(terminal.complaints).toEqual([
      "a: degraded: Slow: y (2.1 s)",
      "a: healthy again",
      "a: degraded: it does not answer",
    ]);
  });

  test("that stops with calls in flight says so once, with what comes of it", async () => {
    const terminal = recordTerminal("/");
    const report = createTextReport(terminal);
    const state = await createState();
    const stop = (detail?: string) => {
      state.board.set("default/a", { phase: "stopping", ...defined({ detail }) });
      report.changed(state);
    };
    stop();
    stop("2 calls are still running");
    stop("1 call is still running");
    state.board.set("default/a", { phase: "ready" });
    report.changed(state);
    report.stopping();
    stop("3 calls are still running");
    expect(terminal.complaints).toEqual([
      "a: 2 calls are still running; what was edited holds when they have ended",
      "stopping",
      "a: 3 calls are still running; Ctrl-C once more ends what runs",
    ]);
    expect(terminal.statuses.at(-1)).toBe("stopping; a: 3 calls are still running");
  });
});

describe("DSC-6 tool servers of a run", () => {
  const key = "server/default/memory";
  const memory = serverYaml("memory", "package: { kind: npm, name: server-memory, version: 1.0.0 }");
  const far = serverYaml("far", 'remote: { url: "https://far.example/mcp" }');
  const idle = serverYaml("idle", "local: { command: x }\nactive: false");

  test("are told to people: in the table with their last words, and in lines when that changes", async () => {
    const terminal = recordTerminal("/");
    const report = createTextReport(terminal);
    const state = await createState(memory + far + idle);
    const become = (bridge: NonNullable<ProcessState["bridge"]>) => {
      state.board.set(key, { phase: "ready", pid: 7, bridge });
      report.changed(state);
    };
    become({ status: "starting", processes: 1 });
    expect(terminal.statuses.at(-1)).toBe("0 of 2 agents and 0 of 1 servers ready; starting: memory; waiting: a, b");
    become({ status: "down", processes: 0, message: "its words" });
    report.settled(state, token);
    expect(terminal.printed.slice(3, -1).map((line) => line.replaceAll(/ +/g, " "))).toEqual([
      "SERVER KIND STATUS URL",
      "far remote direct https://far.example/mcp",
      "idle local inactive -",
      "memory npm failing http://127.0.0.1:24400/mcp",
      " idle: spec.active is false; set it to true",
      " memory: its words",
    ]);
    expect(terminal.complaints).toEqual([]);
    become({ status: "down", processes: 0, message: "its other words" });
    become({ status: "down", processes: 0, message: "its other words" });
    become({ status: "ok", processes: 1, toolCount: 9 });
    become({ status: "ok", processes: 2, toolCount: 9 });
    expect(terminal.complaints).toEqual([
      "memory: failing: its other words",
      "memory: ready at http://127.0.0.1:24400/mcp",
    ]);
    expect(terminal.statuses.at(-1)).toBe("0 of 2 agents and 1 of 1 servers ready; waiting: a, b");
  });

  test("SEC-8 one that an edit makes another program says so once, on a line of its own", async () => {
    const terminal = recordTerminal("/");
    const report = createTextReport(terminal);
    const state = await createState(memory + far + idle);
    const hold = (message: string | undefined) => {
      const held = message === undefined ? {} : { held: { reason: "Unavailable" as const, message } };
      for (const { held: _, ...listed } of [...state.desired.servers.values()].filter((each) => each.key === key)) {
        state.desired.servers.set(key, { ...listed, ...held });
      }
      report.changed(state);
    };
    hold("run a");
    report.settled(state, token);
    hold("run a");
    hold("run b");
    hold("run b");
    hold(undefined);
    hold("run b");
    expect(terminal.complaints).toEqual(["memory: held: run b", "memory: held: run b"]);
  });

  test("and to scripts: an object per change, and their number when all is settled", async () => {
    const terminal = recordTerminal("/");
    const report = createJsonReport(terminal);
    const state = await createState(memory + far);
    const told = () => terminal.printed.splice(0).map((line): unknown => JSON.parse(line));
    const one = { event: "server", namespace: "default", name: "memory", kind: "npm" };
    report.changed(state);
    expect(told()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ...one, phase: "stopped", url: "http://127.0.0.1:24400/mcp" }),
        expect.objectContaining({ event: "server", name: "far", kind: "remote", phase: "direct" }),
      ]),
    );
    state.board.set(key, { phase: "ready", pid: 7, bridge: { status: "down", processes: 0, message: "its words" } });
    report.changed(state);
    expect(told()).toMatchObject([{ ...one, phase: "failing", detail: "its words", pid: 7 }]);
    state.board.set(key, { phase: "ready", pid: 7, bridge: { status: "ok", processes: 1, toolCount: 9 } });
    report.changed(state);
    report.settled(state, token);
    expect(told()).toMatchObject([
      { ...one, phase: "ready", tools: 9 },
      { event: "settled", ready: 0, agents: 2, readyServers: 1, servers: 1 },
    ]);
  });
});

describe("CLI-1 a run told to scripts", () => {
  test("one object per change of state, and none without one", async () => {
    const terminal = recordTerminal("/m");
    const report = createJsonReport(terminal);
    const state = await createState();
    const told = () => terminal.printed.splice(0).map((line): unknown => JSON.parse(line));
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    const a = { time, event: "agent", namespace: "default", name: "a", url: "http://localhost:24201/mcp" };

    report.judged([problem]);
    expect(told()).toEqual([
      {
        time,
        event: "judged",
        diagnostics: [{ severity: "error", file: "a.yaml", line: 1, column: 2, message: "wrong" }],
      },
    ]);
    state.board.set(registryKey, { phase: "starting", pid: 7 });
    report.changed(state);
    expect(told()).toMatchObject([
      { event: "registry", phase: "starting", pid: 7, url: "http://localhost:24200" },
      { ...a, phase: "stopped" },
      { event: "agent", name: "b", phase: "stopped" },
    ]);
    state.board.set("default/a", { phase: "failing", detail: "ended with code 1" });
    report.changed(state);
    report.changed(state);
    expect(told()).toEqual([{ ...a, phase: "failing", detail: "ended with code 1" }]);
    state.board.set("default/a", { phase: "ready", pid: 8 });
    report.changed(state);
    report.settled(state, token);
    expect(told()).toEqual([
      { ...a, phase: "ready", pid: 8 },
      { time, event: "settled", ready: 1, agents: 2 },
    ]);
    state.board.remove("default/a");
    state.desired.runnable.delete("default/a");
    report.changed(state);
    expect(told()).toMatchObject([{ name: "a", phase: "stopped" }]);
    expect(terminal.complaints).toEqual([]);
  });
});

describe("UI-1 the dashboard of a run", () => {
  const settle = async (create: typeof createTextReport, screen: { isTerminal?: boolean } = {}) => {
    const terminal = recordTerminal("/", screen);
    const report = create(terminal);
    const state = await createState("", "gateway: {}");
    report.changed(state);
    report.settled(state, token);
    return terminal;
  };

  test("is the last line, a link that signs in whoever looks at the terminal", async () => {
    const { printed, complaints } = await settle(createTextReport, { isTerminal: true });
    expect(printed.at(-1)).toBe(`dashboard: http://localhost:24300/ui/#token=${token}`);
    expect([...printed.slice(0, -1), ...complaints].join("")).not.toContain(token);
  });

  test("is a link without a token where what is told goes into a file, or to a script", async () => {
    const text = await settle(createTextReport);
    expect(text.printed.at(-1)).toBe("dashboard: http://localhost:24300/ui/");
    const { printed, complaints } = await settle(createJsonReport, { isTerminal: true });
    expect(printed.map((line): unknown => JSON.parse(line))).toContainEqual(
      expect.objectContaining({
        event: "gateway",
        url: "http://localhost:24300/mcp",
        dashboard: "http://localhost:24300/ui/",
      }),
    );
    expect([...text.printed, ...text.complaints, ...printed, ...complaints].join("")).not.toContain(token);
  });
});
