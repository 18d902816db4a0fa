// What becomes of a history when a provider refuses what is in it (AGT-14): it would refuse each later turn as well. Results of
// tools give way to a text, so that the run goes on; what cannot be mended is taken back, and the history is as it was before
// the run. Each step is one record after another: wherever a crash cuts them off, the next call closes what is open.
import { CallError } from "../call-error.ts";
import { ModelError } from "../model/types.ts";
import type { OpenHistory } from "../session/open-history.ts";
import { listMessages } from "../session/transcript.ts";

/** Tries to mend what was refused; whether it is worth another try. */
type Mend = (error: unknown) => Promise<boolean>;

/** Asks until it is answered, or until no mend is left for the error. Each mend has one try. */
export async function askMending<Answer>(ask: () => Promise<Answer>, mends: readonly Mend[]): Promise<Answer> {
  const left = [...mends];
  const mendOnce = async (error: unknown) => {
    for (let mend = left.shift(); mend !== undefined; mend = left.shift()) if (await mend(error)) return true;
    return false;
  };
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(await mendOnce(error))) throw error;
    }
  }
}

/** Not of the provider's state, but of what it was sent. */
const isRefusal = (error: unknown): error is ModelError =>
  error instanceof ModelError && (error.kind === "invalid_request" || error.kind === "context_overflow");

/** Puts a text in the place of the last turn's results; false when the model was last sent something else. */
export async function replaceRefusedResults(history: OpenHistory, error: unknown): Promise<boolean> {
  if (!isRefusal(error)) return false;
  const messages = listMessages(history.entries);
  const refused = messages.slice(messages.findLastIndex(({ role }) => role !== "tool") + 1);
  const results = refused.flatMap((message) => (message.role === "tool" ? message.results : []));
  if (results.length === 0) return false;
  await history.withdraw(refused.length, error.message);
  const text = `The tool ran, but its result cannot be shown: the model's provider refused it, or another of the same turn (${error.message}).`;
  await history.append({
    role: "tool",
    results: results.map(({ callId, name }) => ({ callId, name, text, images: [], isError: true })),
  });
  return true;
}

/** Takes back the run that ended with a refusal: its message, and all that followed. Never rejects for the store's sake. */
export async function withdrawRefusedRun(history: OpenHistory, error: unknown): Promise<void> {
  if (!isRefusal(error)) return;
  const messages = listMessages(history.entries);
  const at = messages.findLastIndex(({ role }) => role === "user");
  if (at === -1) return;
  try {
    await history.withdraw(messages.length - at, error.message);
  } catch (problem) {
    // The refusal counts for more; a store that fails is told of by the next call, and by health.
    if (!(problem instanceof CallError)) throw problem;
  }
}
