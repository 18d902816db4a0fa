import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { HealthReport } from "../../crds/health.ts";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { agentQuestion } from "./ask-health.ts";
import { createHealthPoller, type HealthPollerOptions } from "./poller.ts";
import type { HealthVerdict } from "./verdict.ts";
import type { WatchedPod, WatchedPods } from "./watched-pods.ts";

const report = (agent: string, fields: Partial<HealthReport> = {}): HealthReport => ({
  status: "ok",
  timestamp: "2026-11-21T10:00:00Z",
  agent,
  providers: {},
  downstreams: {},
  ...fields,
});

/** Pods that a test sets by hand; those set before anyone listens are initial. */
function memoryPods() {
  const known = new Map<string, WatchedPod[]>();
  const listeners = new Set<(agent: string, initial: boolean) => void>();
  const pods: WatchedPods = {
    of: (agent) => known.get(agent) ?? [],
    onChange(listener) {
      for (const agent of known.keys()) listener(agent, true);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const set = (name: string, ...found: WatchedPod[]): void => {
    known.set(`agents/${name}`, found);
    for (const listener of listeners) listener(`agents/${name}`, false);
  };
  return { pods, set };
}
const ready = (url = "http://10.0.0.1"): WatchedPod => ({ url, ready: true });
const unready = (url = "http://10.0.0.1"): WatchedPod => ({ url, ready: false });

type Ask = NonNullable<Parameters<typeof agentQuestion>[0]>;
type Options = Partial<HealthPollerOptions<HealthVerdict>>;

function start(ask: Ask, names: readonly string[] = [], options: Options = {}) {
  const clock = new ManualClock();
  const { pods, set } = memoryPods();
  for (const name of names) set(name, ready());
  const onChange = vi.fn<(agent: string) => void>();
  const asked = vi.fn<Ask>(ask);
  const poller = createHealthPoller({
    question: agentQuestion(asked),
    pods,
    onChange,
    log: silentLog(),
    clock,
    ...options,
  });
  const stop = new AbortController();
  const running = poller.run(stop.signal);
  const end = async () => {
    stop.abort(new Error("stopped"));
    await running;
  };
  onTestFinished(end);
  const health = (name: string) => poller.of(`agents/${name}`)?.health;
  return { clock, set, onChange, asked, health, end };
}

const untilAborted: Ask = (_, __, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
const names = (count: number) => Array.from({ length: count }, (_, i) => `agent-${i}`);

describe("HLT-6 when agents are asked", () => {
  it("those known at the start are spread over the interval, each once in it", async () => {
    const { clock, asked } = start(async (_, agent) => report(agent), names(240));
    const perMoment: number[] = [];
    for (let moment = 0; moment < 120; moment += 1) {
      const before = asked.mock.calls.length;
      await clock.advance(moment === 0 ? 0 : 250);
      perMoment.push(asked.mock.calls.length - before);
    }
    expect(asked).toHaveBeenCalledTimes(240);
    expect(Math.max(...perMoment)).toBeLessThan(12);
    await clock.advance(30_000);
    expect(asked).toHaveBeenCalledTimes(480);
  });

  it("one whose pods changed is asked at once", async () => {
    const { clock, set, asked, health } = start(async (_, agent) => report(agent));
    set("research", ready());
    await clock.advance(0);
    expect(asked).toHaveBeenCalledTimes(1);
    expect(health("research")).toBe("ok");
  });

  it("at most 32 at once, and one more when one is done", async () => {
    const waiting: (() => void)[] = [];
    const ask: Ask = (_, agent) => new Promise((resolve) => waiting.push(() => resolve(report(agent))));
    const { clock, set, asked } = start(ask, [], { timeoutMs: 3_600_000 });
    for (const name of names(33)) set(name, ready());
    expect(asked).toHaveBeenCalledTimes(32);
    waiting[0]?.();
    await clock.advance(0);
    expect(asked).toHaveBeenCalledTimes(33);
    for (const answer of waiting) answer();
  });

  it("those that did not answer last time take half of the slots: many that hang take no turn from others", async () => {
    const hanging = names(12);
    const ask: Ask = async (url, agent, signal) =>
      agent === "sound" ? report(agent) : untilAborted(url, agent, signal);
    const { clock, set, asked } = start(ask, [], { concurrency: 4, timeoutMs: 20_000 });
    for (const name of hanging) set(name, ready());
    await clock.advance(61_000);
    const soundAsked = () => asked.mock.calls.filter(([, agent]) => agent === "sound").length;
    set("sound", ready());
    expect(soundAsked()).toBe(1);
    for (let interval = 1; interval <= 5; interval += 1) {
      await clock.advance(30_000);
      expect(soundAsked()).toBe(1 + interval);
    }
    // They are asked all the same, each in its turn.
    const askedAll = new Set(asked.mock.calls.map(([, agent]) => agent));
    expect(askedAll.size).toBe(13);
  });

  it("one that hangs is not asked again meanwhile, and costs 8 s", async () => {
    const { clock, set, asked } = start(untilAborted, [], { timeoutMs: 100_000 });
    set("research", ready());
    await clock.advance(90_000);
    expect(asked).toHaveBeenCalledTimes(1);
    const hanging = start(untilAborted);
    hanging.set("research", ready());
    await hanging.clock.advance(7_999);
    const signal = hanging.asked.mock.calls[0]?.[2];
    expect(signal?.aborted).toBe(false);
    await hanging.clock.advance(1);
    expect(signal?.aborted).toBe(true);
  });

  it("nobody after the stop, which ends what is under way", async () => {
    const { clock, set, asked, onChange, end } = start(untilAborted);
    set("research", ready());
    await end();
    set("archive", ready());
    await clock.advance(60_000);
    expect(asked).toHaveBeenCalledTimes(1);
    expect(onChange).not.toHaveBeenCalled();
    expect(clock.pending).toHaveLength(0);
  });
});

describe("HLT-6 what is told", () => {
  it("a verdict is told once, and again only when it is another", async () => {
    let answer = report("research");
    const { clock, set, onChange, health } = start(async () => answer);
    set("research", ready());
    await clock.advance(90_000);
    expect(onChange.mock.calls).toEqual([["agents/research"]]);
    answer = report("research", { status: "degraded", message: "LLM: down" });
    await clock.advance(30_000);
    expect(onChange).toHaveBeenCalledTimes(2);
    expect(health("research")).toBe("degraded");
  });

  it("one missed answer is forgiven, the second one is an error, and an answer ends it", async () => {
    let up = true;
    const { clock, set, health } = start(async (_, agent) => {
      if (!up) throw new Error("connection refused");
      return report(agent);
    });
    set("research", ready());
    await clock.advance(0);
    up = false;
    await clock.advance(30_000);
    expect(health("research")).toBe("ok");
    await clock.advance(30_000);
    expect(health("research")).toBe("error");
    up = true;
    await clock.advance(30_000);
    expect(health("research")).toBe("ok");
    up = false;
    await clock.advance(30_000);
    expect(health("research")).toBe("ok");
  });

  it("a pod that is not ready need not answer, but is heard when it does", async () => {
    let invalid = false;
    const { clock, set, health, onChange } = start(async (_, agent) => {
      if (!invalid) throw new Error("connection refused");
      return report(agent, { status: "error", message: "Secret a/b is missing" });
    });
    set("research", unready());
    await clock.advance(120_000);
    expect(health("research")).toBeUndefined();
    expect(onChange).not.toHaveBeenCalled();
    invalid = true;
    await clock.advance(30_000);
    expect(health("research")).toBe("error");
  });

  it("the next pod is asked where one does not answer, three at most", async () => {
    const urls = ["http://a", "http://b", "http://c", "http://d"];
    const { clock, set, asked, health } = start(async (url, agent) => {
      if (url !== "http://d") throw new Error("connection refused");
      return report(agent);
    });
    set("research", ...urls.map((url) => ready(url)));
    await clock.advance(0);
    expect(asked.mock.calls.map(([url]) => url)).toEqual(urls.slice(0, 3));
    expect(health("research")).toBeUndefined();
    set("research", ...urls.slice(1).map((url) => ready(url)));
    await clock.advance(0);
    expect(health("research")).toBe("ok");
  });

  it("an agent without pods is forgotten, and not asked any more", async () => {
    const { clock, set, asked, onChange, health } = start(async (_, agent) => report(agent));
    set("research", ready());
    await clock.advance(0);
    set("research");
    expect(health("research")).toBeUndefined();
    expect(onChange).toHaveBeenCalledTimes(2);
    await clock.advance(60_000);
    expect(asked).toHaveBeenCalledTimes(1);
  });
});
