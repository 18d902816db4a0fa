import { expect, test } from "vitest";
import { judge } from "../manifests/judge.ts";
import { agentYaml, instanceYaml, readFolder } from "../testing/manifests.ts";
import { ManualClock, settle } from "../../lib/process/testing/manual-clock.ts";
import { Board } from "./board.ts";
import { renderDesired, type RunnableAgent } from "./desired.ts";
import { Slots } from "./slots.ts";
import { stopOrder } from "./stop-order.ts";
import { Supervisor } from "./supervisor.ts";

const context = {
  registryPort: 24_200,
  urlHost: "localhost",
  environment: {},
  portsBefore: new Map(),
  serverPorts: new Map(),
  judgeProgram: () => "allowed" as const,
};

async function desire(text: string): Promise<ReadonlyMap<string, RunnableAgent>> {
  const manifests = await readFolder({ "a.yaml": instanceYaml() + text });
  return renderDesired(manifests, judge(manifests, { mode: "local" }, {}), context).runnable;
}

/** Processes in name only, which end when they are allowed to. */
function supervise() {
  const log: string[] = [];
  const ends = new Map<string, () => void>();
  const supervisor = new Supervisor(
    {
      clock: new ManualClock(),
      board: new Board(),
      slots: new Slots(8),
      observeReadiness: () => Promise.resolve(undefined),
      whileReady: () => Promise.resolve(undefined),
      whileStopping: () => Promise.resolve(),
      hurry: new AbortController().signal,
      onReady: () => undefined,
      onTrouble: () => undefined,
    },
    {
      stopOrder,
      planFor: ({ key, port }: RunnableAgent) => ({
        key,
        dependencies: () => [],
        stopGraceMs: 1,
        launch: async () => {
          log.push(`${key} starts on ${port}`);
          const { promise, resolve } = Promise.withResolvers<string>();
          const stop = async (): Promise<void> => {
            log.push(`${key} stops`);
            await new Promise<void>((end) => ends.set(key, end));
            resolve("was ended by SIGTERM");
          };
          return { pid: 1, adminUrl: key, exited: promise, stop };
        },
      }),
    },
  );
  const end = async (key: string): Promise<void> => {
    ends.get(key)?.();
    for (let turn = 0; turn < 5; turn += 1) await settle();
  };
  return { supervisor, log, end };
}

test("CLI-1 an edit restarts what runs on something else now, and nothing more", async () => {
  const { supervisor, log } = supervise();
  const both = `${agentYaml("a", "instruction: one")}${agentYaml("b")}`;
  supervisor.apply(await desire(both));
  await settle();
  expect(supervisor.apply(await desire(both))).toEqual({ started: [], restarted: [], stopped: [] });
  expect(supervisor.apply(await desire(both.replace("one", "two")))).toEqual({
    started: [],
    restarted: ["default/a"],
    stopped: [],
  });
  await settle();
  expect(log).toEqual(["default/a starts on 24201", "default/b starts on 24202", "default/a stops"]);
});

test("CLI-1 an agent gets the port of one that is gone once that has ended its calls", async () => {
  const { supervisor, log, end } = supervise();
  supervisor.apply(await desire(agentYaml("old", "port: 24301")));
  await settle();
  const changes = supervisor.apply(await desire(agentYaml("new", "port: 24301")));
  expect(changes).toEqual({ started: ["default/new"], restarted: [], stopped: ["default/old"] });
  await settle();
  expect(log).toEqual(["default/old starts on 24301", "default/old stops"]);
  await end("default/old");
  expect(log.at(-1)).toBe("default/new starts on 24301");
});

test("CLI-1 agents stop in the reverse order of their start", async () => {
  const runnable = await desire(
    [
      agentYaml("boss", "agents: [{ name: worker }, { name: clerk }]"),
      agentYaml("worker", "dependsOn: [store]"),
      agentYaml("clerk"),
      agentYaml("store"),
      agentYaml("orphan", "dependsOn: [faulty]"),
      agentYaml("faulty", "nope: 1"),
    ].join(""),
  );
  expect(stopOrder([...runnable.values()])).toEqual([
    ["default/orphan"],
    ["default/boss"],
    ["default/worker"],
    ["default/clerk", "default/store"],
  ]);
});
