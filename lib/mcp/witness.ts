// Who sees all that a server says, and answers all that it asks: the one person whom a connection is for. Nothing is sorted by
// calls, since whatever comes is that person's; a connection that several share takes questions.ts instead.
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import type { Ask } from "./asking.ts";
import type { CallDeadline } from "./call-deadline.ts";
import { parseElicitResult, parseSampled, type Questions } from "./questions.ts";

/** A place that a client lets servers work in. */
export interface Root {
  uri: string;
  name?: string | undefined;
}

export interface Listener {
  /** Every notification as it came, those of progress too. */
  onNotification(method: string, params: Record<string, unknown>): void;
  /** Every question, in a call or beside it. */
  ask: Ask;
  roots(): readonly Root[];
}

export interface Witness {
  hear(message: JSONRPCMessage): void;
  questions: Questions;
}

/** A question that waits, and the calls during which it was asked: one of them may be what it is about. */
interface Waiting {
  during: Set<CallDeadline>;
  given: AbortController;
}

/** While a question waits, the silence of no call is counted: which of them it belongs to, servers need not say. */
export function createWitness({ onNotification, ask, roots }: Listener): Witness {
  const running = new Set<CallDeadline>();
  const waiting = new Set<Waiting>();
  const askAtRest: Ask = async (question, signal) => {
    const own: Waiting = { during: new Set(running), given: new AbortController() };
    const resumes = [...running].map((deadline) => deadline.hold());
    waiting.add(own);
    try {
      return await ask(question, AbortSignal.any([signal, own.given.signal]));
    } finally {
      waiting.delete(own);
      resumes.forEach((resume) => resume());
    }
  };
  const end = (call: CallDeadline) => {
    running.delete(call);
    for (const { during, given } of waiting) {
      const wasLast = during.delete(call) && during.size === 0;
      // A call that ends well may have asked for something that goes on.
      if (wasLast && call.expired() !== undefined) given.abort(new Error("the calls it was asked in were given up"));
    }
  };
  return {
    hear(message) {
      if ("method" in message && !("id" in message)) onNotification(message.method, { ...message.params });
    },
    questions: {
      begin(_call, _asked, deadline) {
        running.add(deadline);
        return {
          options: { allowInputRequired: true },
          ask: (question) => askAtRest(question, deadline.signal),
          roots,
          end: () => end(deadline),
        };
      },
      watch: (response) => response,
      answerFor(client) {
        client.setRequestHandler("elicitation/create", async ({ method, params }, { mcpReq }) =>
          parseElicitResult(await askAtRest({ method, params: { ...params } }, mcpReq.signal)),
        );
        client.setRequestHandler("sampling/createMessage", async ({ method, params }, { mcpReq }) =>
          parseSampled(await askAtRest({ method, params: { ...params } }, mcpReq.signal)),
        );
        client.setRequestHandler("roots/list", async () => ({ roots: [...roots()] }));
      },
    },
  };
}
