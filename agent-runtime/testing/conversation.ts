// A scripted conversation for tests that cut it off: user, two calls at once, their long results, one call, its result, a
// summary of what came before that call, since the window is small, and the answer. Eight entries.
import type { TurnRequest } from "../model/types.ts";
import type { SessionStore } from "../session/store.ts";
import { callTool, createScriptedModels } from "./scripted-models.ts";
import { talk } from "./talk.ts";

export const conversationEntries = 8;
export const conversationAnswer = "Both.\n\nOne more.\n\nDone.";

/** Has it once more and returns the answer. `onTool` hears of each call that is made. */
export async function converse(
  text: string,
  { store, onTool }: { store: SessionStore; onTool: (id: string) => void },
): Promise<string> {
  const call = (name: string) => callTool(name, { text }, `${text}-${name}`);
  const takeTurn = ({ system, messages }: TurnRequest) => {
    // Without a count of the provider's the size is estimated.
    const usage = {};
    if (system !== "agent") return { text: `Summary before the answer to ${text}.`, usage };
    const { role, results } = readLast(messages);
    if (role === "user") return { text: "Both.", toolCalls: [call("left"), call("right")], usage };
    if (results === 2) return { text: "One more.", toolCalls: [call("last")], usage };
    return { text: "Done.", usage };
  };
  const outcome = await talk(text, {
    store,
    models: createScriptedModels([takeTurn]),
    capabilities: { contextWindow: 400 },
    compaction: { compactAt: 0.5 },
    async dispatch(_context, _toolbox, { id, name }) {
      onTool(id);
      return { callId: id, name, text: name === "last" ? "done" : "x".repeat(400), images: [], isError: false };
    },
  });
  if (outcome.failure !== undefined) throw new Error("the run failed", { cause: outcome.failure });
  return outcome.text;
}

function readLast(messages: TurnRequest["messages"]): { role: string | undefined; results: number } {
  const last = messages.at(-1);
  return { role: last?.role, results: last?.role === "tool" ? last.results.length : 0 };
}
