// Callers that ask an agent again and again while something happens to it, and what they were told.
import type { CallerAnswer } from "../integration/agents/callers.ts";
import { agentUrl, type ClientPod } from "./peers.ts";
import type { Space } from "./testbed.ts";

const eras = ["legacy", "auto"] as const;
/** Which the model `passthrough` gives back. */
export const question = "Are you there?";

export interface SteadyLoad {
  /** How many calls have ended so far, however. */
  ended(): number;
  /** Ends it; every answer, and an error for each call that had none although its client connected anew. */
  stop(): Promise<(CallerAnswer | Error)[]>;
}

/** Callers of both eras in turn. A connection that ends is opened once more for the same call, as clients do. */
export function startLoad(space: Space, client: ClientPod, agent: string, callers: number): SteadyLoad {
  const stopping = new AbortController();
  let ended = 0;
  const ask = async (era: (typeof eras)[number]) => {
    const open = () => client.openCaller(agentUrl(space, agent), era);
    const answers: (CallerAnswer | Error)[] = [];
    let caller = await open();
    const askAnew = async () => {
      await caller.stop().catch(() => undefined);
      caller = await open();
      return caller.send({ message: question });
    };
    while (!stopping.signal.aborted) {
      const answer = await caller
        .send({ message: question })
        .catch(askAnew)
        .catch((error: unknown) => new Error(`a call of the ${era} era was lost: ${String(error)}`));
      answers.push(answer);
      ended += 1;
    }
    await caller.stop().catch(() => undefined);
    return answers;
  };
  const asking = Promise.all(Array.from({ length: callers }, (_, at) => ask(eras[at % 2] ?? "auto")));
  return {
    ended: () => ended,
    async stop() {
      stopping.abort();
      return (await asking).flat();
    },
  };
}

/** Those that did not get `text`. */
export const lostAmong = (answers: readonly (CallerAnswer | Error)[], text: string): (CallerAnswer | Error)[] =>
  answers.filter((answer) => answer instanceof Error || answer.isError || answer.text !== text);
