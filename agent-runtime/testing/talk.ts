// One message to the loop over a store of histories, without an agent around it: for tests of what is kept and shown.
import type { ModelCapabilities, RunConfig } from "../../crds/run-config.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { createMemoryBudget, deriveBudgetBytes } from "../../lib/process/memory-budget.ts";
import { createBudget } from "../loop/budget.ts";
import { createRunMemory } from "../loop/run-memory.ts";
import { runLoop, type LoopParts, type RunOutcome } from "../loop/run-loop.ts";
import { recordMessage } from "../mcp-surface/record-message.ts";
import type { Models } from "../model/models.ts";
import type { UserPart } from "../model/types.ts";
import { createSessions } from "../session/sessions.ts";
import type { SessionStore } from "../session/store.ts";
import { listMessages, withdraw, type HistoryEntry, type WithdrawnEntry } from "../session/transcript.ts";
import type { Dispatch } from "../tools/dispatch.ts";
import { renderTestConfig } from "./run-config.ts";
import { createTestLog } from "./servers.ts";
import { anonymous } from "../policy/types.ts";

export interface TalkOptions {
  store: SessionStore;
  models: Pick<Models, "turn">;
  dispatch?: Dispatch;
  capabilities?: Partial<ModelCapabilities>;
  compaction?: Partial<LoopParts["compaction"]>;
  limits?: Partial<RunConfig["limits"]>;
  signal?: AbortSignal;
}

export const echoTool: Dispatch = async (_context, _toolbox, { id, name }) => ({
  callId: id,
  name,
  text: `${name} done`,
  images: [],
  isError: false,
});

/** Sends a message in the shared history and closes it again. Rejects when the history cannot be opened or written. */
export async function talk(message: string | UserPart[], options: TalkOptions): Promise<RunOutcome> {
  const { limits, request, history: settings, models } = renderTestConfig();
  const { store, signal = new AbortController().signal } = options;
  const capabilities = { vision: true, contextWindow: 131_072, maxOutputTokens: 16_384, ...models[0]?.capabilities };
  const sessions = createSessions({ scope: "shared", maxQueued: 1, store });
  const history = await sessions.open(await sessions.resolve({ caller: "anyone" }), signal);
  try {
    const content: UserPart[] = typeof message === "string" ? [{ type: "text", text: message }] : message;
    await recordMessage(history, content, undefined);
    const context = {
      agent: "agent",
      sessionKey: "shared",
      requestId: "1",
      signal,
      end: () => undefined,
      deadlineMs: systemClock.now() + 60_000,
      calledBy: anonymous,
      time: { pause: () => () => undefined, rests: () => () => undefined },
      budget: createBudget({ ...limits, ...options.limits }, request),
      memory: createRunMemory(createMemoryBudget(deriveBudgetBytes())),
      events: {
        step() {},
        toolStarted() {},
        toolProgress() {},
        toolEnded() {},
        toolWaits: () => () => undefined,
        stepName: () => "",
        steps: () => [],
      },
    };
    return await runLoop(context, {
      models: options.models,
      observeCapabilities: () => ({ ...capabilities, ...options.capabilities }),
      toolbox: { tools: [], unavailable: [], guidance: [], find: () => undefined, close: () => undefined },
      dispatch: options.dispatch ?? echoTool,
      history,
      system: "agent",
      settings: request,
      compaction: { ...settings, ...options.compaction },
      log: createTestLog("SILENT").log,
    });
  } finally {
    await history.close();
  }
}

export interface MemoryStore extends SessionStore {
  append(key: string, entry: HistoryEntry | WithdrawnEntry, owner?: string): Promise<void>;
  /** What is kept of it, as text. */
  text(): string;
}

/** One history in memory, shown from its beginning. */
export function createMemoryStore(): MemoryStore {
  const entries: HistoryEntry[] = [];
  return {
    text: () => JSON.stringify(entries),
    has: async () => true,
    load: async () => structuredClone(entries),
    readPage: async () => ({ messages: listMessages(entries), first: 0 }),
    listSummaries: async () => [],
    async append(_key, entry) {
      if (entry.role === "withdrawn") withdraw(entries, entry.messages);
      else entries.push(structuredClone(entry));
    },
    clear: async () => entries.splice(0).length,
    remove: async () => undefined,
    hold: async () => () => undefined,
    observeProblem: async () => undefined,
    close: async () => undefined,
  };
}
