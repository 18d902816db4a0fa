import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { AgentEndpoint } from "../../crds/local-state.ts";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { createLogger, type Logger } from "../../lib/process/log.ts";
import { MemorySource } from "../testing/memory-source.ts";
import { makeEndpoint } from "../testing/resources.ts";
import { createPoller, type Poller } from "./poller.ts";

const endpoints = (count: number) =>
  Array.from({ length: count }, (_, at) => makeEndpoint(`agent-${at}`, `http://10.0.0.${at}:9090`));
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

function start(
  source: MemorySource,
  ask: (endpoint: AgentEndpoint, signal: AbortSignal) => Promise<string>,
  timing: { intervalMs?: number; timeoutMs?: number; concurrency?: number; log?: Logger } = {},
): Poller<string> {
  const poller = createPoller({
    source,
    question: "test",
    ask,
    intervalMs: 60_000,
    timeoutMs: 60_000,
    concurrency: 16,
    log: silentLog(),
    ...timing,
  });
  poller.start();
  stops.push(() => poller.stop());
  return poller;
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<string>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });

describe("MET-1 asking every pod", () => {
  it("asks at most 16 at once and all of them in the end", async () => {
    let running = 0;
    let most = 0;
    const source = new MemorySource({ endpoints: endpoints(40) });
    const poller = start(source, async ({ agent }) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return agent;
    });
    await vi.waitFor(() => expect(poller.visits()).toHaveLength(40));
    expect(most).toBe(16);
  });

  it("a pod that hangs costs its own answer only, at its deadline", async () => {
    const source = new MemorySource({ endpoints: endpoints(4) });
    const ask = (endpoint: AgentEndpoint, signal: AbortSignal) =>
      endpoint.agent === "agent-0" ? untilAborted(signal) : Promise.resolve("fine");
    const poller = start(source, ask, { timeoutMs: 50, concurrency: 2 });
    await vi.waitFor(() => expect(poller.visits()).toHaveLength(4));
    const answers = Object.fromEntries(poller.visits().map(({ endpoint, answer }) => [endpoint.agent, answer.ok]));
    expect(answers).toEqual({ "agent-0": false, "agent-1": true, "agent-2": true, "agent-3": true });
  });

  it("pods that hang again and again get half of the slots, however many they are", async () => {
    const source = new MemorySource({ endpoints: endpoints(40) });
    const asked: string[] = [];
    let hanging = 0;
    const ask = async ({ agent }: AgentEndpoint, signal: AbortSignal) => {
      asked.push(agent);
      if (agent === "agent-0" || agent === "agent-1") return "fine";
      hanging += 1;
      return untilAborted(signal).finally(() => (hanging -= 1));
    };
    const poller = start(source, ask, { timeoutMs: 20, intervalMs: 1, concurrency: 4 });
    await vi.waitFor(() => expect(poller.visits()).toHaveLength(40));
    asked.length = 0;
    let most = 0;
    await vi.waitFor(
      () => {
        most = Math.max(most, hanging);
        expect(asked.filter((agent) => agent === "agent-0").length).toBeGreaterThan(20);
      },
      { interval: 2, timeout: 10_000 },
    );
    expect(most).toBe(2);
    expect(asked.filter((agent) => agent === "agent-2").length).toBeLessThan(10);
  });

  it("keeps when a pod last gave an answer", async () => {
    let fails = false;
    const source = new MemorySource({ endpoints: endpoints(1) });
    const ask = vi.fn<() => Promise<string>>(async () => {
      if (fails) throw new Error("down");
      return "fine";
    });
    const poller = start(source, ask, { intervalMs: 5 });
    await vi.waitFor(() => expect(poller.visits()[0]?.answeredAtMs).toBeGreaterThan(0));
    fails = true;
    await vi.waitFor(() => expect(poller.visits()[0]?.answer.ok).toBe(false));
    const lastMs = poller.visits()[0]?.answeredAtMs;
    expect(lastMs).toBeLessThan(performance.now());
    const times = ask.mock.calls.length;
    await vi.waitFor(() => expect(ask.mock.calls.length).toBeGreaterThan(times + 2));
    expect(poller.visits()[0]?.answeredAtMs).toBe(lastMs);
  });

  it("a pod that never answered has no such time", async () => {
    const ask = () => Promise.reject(new Error("down"));
    const poller = start(new MemorySource({ endpoints: endpoints(1) }), ask);
    await vi.waitFor(() => expect(poller.visits()).toHaveLength(1));
    expect(poller.visits()[0]?.answeredAtMs).toBeUndefined();
  });

  it("one line says that a pod does not answer, and one that it does again, however often it is asked", async () => {
    const lines: string[] = [];
    const log = createLogger({ logger: "test", destination: { write: (line) => lines.push(line) } });
    let fails = true;
    const ask = vi.fn<() => Promise<string>>(async () => {
      if (fails) throw new Error("down");
      return "fine";
    });
    const poller = start(new MemorySource({ endpoints: endpoints(1) }), ask, { intervalMs: 2, log });
    await vi.waitFor(() => expect(ask.mock.calls.length).toBeGreaterThan(4));
    fails = false;
    const times = ask.mock.calls.length;
    await vi.waitFor(() => expect(ask.mock.calls.length).toBeGreaterThan(times + 3));
    expect(poller.visits()[0]?.answer.ok).toBe(true);
    expect(lines.map((line): unknown => JSON.parse(line).message)).toEqual([
      "agent does not answer",
      "agent answers again",
    ]);
  });

  it("asks again after the interval", async () => {
    const ask = vi.fn<() => Promise<string>>().mockResolvedValue("fine");
    start(new MemorySource({ endpoints: endpoints(1) }), ask, { intervalMs: 10 });
    await vi.waitFor(() => expect(ask.mock.calls.length).toBeGreaterThan(3));
  });

  it("a new pod is asked at once, a vanished one is forgotten at once and its question aborted", async () => {
    const [first, second] = endpoints(2);
    if (first === undefined || second === undefined) throw new Error("expected two endpoints");
    const aborted = vi.fn<() => void>();
    const source = new MemorySource({ endpoints: [first] });
    const poller = start(source, (endpoint, signal) => {
      if (endpoint !== second) return Promise.resolve("fine");
      signal.addEventListener("abort", aborted);
      return untilAborted(signal);
    });
    await vi.waitFor(() => expect(poller.visits()).toHaveLength(1));
    source.set({ endpoints: [second] });
    expect(poller.visits()).toEqual([]);
    source.set({ endpoints: [] });
    expect(aborted).toHaveBeenCalledOnce();
  });

  it("a pod with another address is another process", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.5); // the second question is in half an interval
    onTestFinished(() => void vi.restoreAllMocks());
    const asked: string[] = [];
    const source = new MemorySource({ endpoints: [makeEndpoint("research", "http://10.0.0.1:9090")] });
    const poller = start(source, async ({ adminUrl }) => {
      asked.push(adminUrl);
      return adminUrl;
    });
    await vi.waitFor(() => expect(poller.visits()).toHaveLength(1));
    source.set({ endpoints: [makeEndpoint("research", "http://10.0.0.2:9090")] });
    await vi.waitFor(() => expect(poller.visits()[0]?.endpoint.adminUrl).toBe("http://10.0.0.2:9090"));
    expect(asked).toEqual(["http://10.0.0.1:9090", "http://10.0.0.2:9090"]);
  });
});
