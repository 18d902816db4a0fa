// Questions of a downstream server on their way to the caller of the run (MGM-7): only what the caller can be asked, named
// after the server that asks, bounded in size, number and time. What belongs to our connections stays behind.
import { isAskable, type Ask, type Asking, type Question } from "./asking.ts";
import { JsonRpcError, rpcCodes } from "./json-rpc.ts";
import { refusedInput } from "./mcp-error.ts";
import { settledWithin, type Clock } from "../process/clock.ts";

/** Of a question, and of its answer, as JSON. */
export const maxQuestionBytes = 256 * 1024;
/** In one tool call. */
export const maxQuestions = 16;
/** How long people may take. */
export const answerTimeoutMs = 300_000;

/** Everything else of a request belongs to a connection, or would tell the server of other servers (`includeContext`). */
const passedOn = {
  "elicitation/create": ["mode", "message", "requestedSchema", "url", "elicitationId"],
  "sampling/createMessage": [
    "messages",
    "modelPreferences",
    "systemPrompt",
    "temperature",
    "maxTokens",
    "stopSequences",
  ],
} as const satisfies Record<Question["method"], readonly string[]>;

const refuse = (text: string) => new JsonRpcError(rpcCodes.invalidRequest, text);

/** What a call of `server`'s tool is given where its own caller can be asked, for the link's call. */
export function relayedAsking(server: string, asking: Asking | undefined, clock: Clock): RelayedAsking {
  if (asking === undefined) return {};
  // A caller that is gone needs not to know.
  const onCompleted = (id: string) => void asking.tellCompleted?.(id).catch(() => undefined);
  return { ask: relayQuestions(server, asking, clock), onCompleted };
}

export interface RelayedAsking {
  ask?: Ask;
  onCompleted?: (elicitationId: string) => void;
}

/** Asks the caller in the name of `server`, during one of its tool calls. Rejects with what the server is told. */
export function relayQuestions(server: string, { can, ask }: Asking, clock: Clock): Ask {
  let asked = 0;
  return async (question, signal) => {
    if (!isAskable(can, question)) throw refuse(`${question.method} asks for something ${refusedInput}`);
    asked += 1;
    if (asked > maxQuestions) throw refuse(`a call may ask its caller ${maxQuestions} times, and this was one more`);
    const labelled = renderLabelled(server, question);
    const bytes = Buffer.byteLength(JSON.stringify(labelled.params));
    if (bytes > maxQuestionBytes) throw refuse(`the question has ${bytes} bytes, expected at most ${maxQuestionBytes}`);
    return await askInTime(labelled, { ask, signal, clock });
  };
}

async function askInTime(question: Question, { ask, signal, clock }: { ask: Ask; signal: AbortSignal; clock: Clock }) {
  const late = new AbortController();
  const asking = ask(question, AbortSignal.any([signal, late.signal]));
  if (!(await settledWithin(asking, answerTimeoutMs, clock))) {
    asking.catch(() => undefined); // It ends by the abort, and was given up already.
    late.abort(new Error("the caller did not answer in time"));
    if (question.method === "elicitation/create") return { action: "cancel" };
    throw refuse(`the caller did not answer within ${answerTimeoutMs / 1_000} s`);
  }
  const answer = await asking;
  const bytes = Buffer.byteLength(JSON.stringify(answer));
  if (bytes > maxQuestionBytes) throw refuse(`the answer has ${bytes} bytes, expected at most ${maxQuestionBytes}`);
  return answer;
}

/** A caller must know who asks: it is never the agent itself. */
function renderLabelled(server: string, { method, params }: Question): Question {
  const kept: Record<string, unknown> = Object.fromEntries(
    passedOn[method].flatMap((name) => (params[name] === undefined ? [] : [[name, params[name]]])),
  );
  const { message, systemPrompt } = kept;
  if (method === "elicitation/create") {
    const asked = typeof message === "string" ? message : "";
    return { method, params: { ...kept, message: `${server} asks: ${asked}` } };
  }
  const label = `The MCP server "${server}" asks for this.`;
  const prompt = typeof systemPrompt === "string" ? `${label}\n\n${systemPrompt}` : label;
  return { method, params: { ...kept, systemPrompt: prompt } };
}
