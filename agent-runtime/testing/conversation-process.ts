// A process that has a scripted conversation over a folder of histories, for tests that kill it. Arguments: the folder, a
// file to which each tool appends what it did, the user's message, and after which append to die by SIGKILL (0: never).
// The conversation is user, two calls at once, their results, one call, its result, answer.
import { appendFileSync } from "node:fs";
import { systemClock } from "../clock.ts";
import { createBudget } from "../loop/budget.ts";
import type { RunContext } from "../loop/run-context.ts";
import { runLoop } from "../loop/run-loop.ts";
import type { ModelMessage, TurnRequest } from "../model/types.ts";
import { createSessions } from "../session/sessions.ts";
import type { SessionStore } from "../session/store.ts";
import { createTestStore, user } from "./histories.ts";
import { renderTestConfig } from "./run-config.ts";
import { callTool, createScriptedModels } from "./scripted-models.ts";

const [folder = "", effects = "", text = "", dieAfter = "0"] = process.argv.slice(2);
const { limits, request } = renderTestConfig();

/** Dies between an append and whoever waits for it. */
function killing(store: SessionStore): SessionStore {
  let appendsLeft = Number(dieAfter);
  return {
    ...store,
    async append(key: string, message: ModelMessage) {
      await store.append(key, message);
      appendsLeft -= 1;
      if (appendsLeft !== 0) return;
      process.kill(process.pid, "SIGKILL");
      await new Promise(() => undefined);
    },
  };
}

function takeTurn({ messages }: TurnRequest) {
  const step = messages.slice(messages.findLastIndex(({ role }) => role === "user")).length;
  const call = (name: string) => callTool(name, { text }, `${text}-${name}`);
  if (step === 1) return { text: "Both.", toolCalls: [call("left"), call("right")] };
  return step === 3 ? { text: "One more.", toolCalls: [call("last")] } : { text: "Done." };
}

const context: RunContext = {
  agent: "agent",
  sessionKey: "shared",
  requestId: "1",
  signal: new AbortController().signal,
  deadlineMs: systemClock.now() + 60_000,
  budget: createBudget(limits, request),
  events: { step() {}, toolStarted() {}, toolProgress() {}, toolEnded() {} },
};

const store = createTestStore(folder);
const sessions = createSessions({ scope: "shared", maxQueued: 1, store: killing(store) });
const history = await sessions.open(await sessions.resolve({}), context.signal);
await history.append(user(text));
const outcome = await runLoop(context, {
  models: createScriptedModels([takeTurn]),
  toolbox: { tools: [], find: () => undefined, close: () => undefined },
  history,
  system: "",
  settings: request,
  async dispatch(_context, _toolbox, { id, name }) {
    appendFileSync(effects, `${id}\n`);
    return { callId: id, name, text: `${name} done`, images: [], isError: false };
  },
});
await history.close();
await store.close();
if (outcome.failure !== undefined) throw new Error("the run failed", { cause: outcome.failure });
process.stdout.write(outcome.text);
