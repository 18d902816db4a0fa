// What a scripted model does in an agent framework, knowing nothing but what the framework has shown it of the tool's answers:
// it begins a conversation with the agent, finds its id in what it is shown, and goes on by that. The same as scripted.py.
import { MockLanguageModelV4 } from "ai/test";

const first = { message: "I am Ada", session_id: "new" };

/** The arguments of its next call of send_message, or its last word; `shown` are the answers so far, as the model sees them. */
function decide(shown) {
  const [answer, last] = [shown[0], shown.at(-1)];
  if (answer === undefined || last === undefined) return first;
  if (shown.length > 1) return last;
  const found = /session_id\W+([0-9a-f]{32})/.exec(answer)?.[1];
  return found === undefined ? `no session_id in ${answer}` : { message: "who am I?", session_id: found };
}

const readOutput = ({ value }) =>
  typeof value === "string" ? value : JSON.stringify(value, (_, each) => each ?? null);

function answer({ prompt, tools = [] }) {
  const parts = prompt.filter(({ role }) => role === "tool").flatMap(({ content }) => content);
  const shown = parts.filter(({ type }) => type === "tool-result").map(({ output }) => readOutput(output));
  const decision = decide(shown);
  if (typeof decision === "string") return { type: "text", text: decision };
  const tool = tools.find(({ name }) => name.endsWith("send_message"));
  if (tool === undefined) return { type: "text", text: `no send_message in ${JSON.stringify(tools)}` };
  return {
    type: "tool-call",
    toolCallId: `call_${shown.length}`,
    toolName: tool.name,
    input: JSON.stringify(decision),
  };
}

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finish = (part) => {
  const unified = part.type === "text" ? "stop" : "tool-calls";
  return { unified, raw: unified };
};

function* stream(part) {
  yield { type: "stream-start", warnings: [] };
  if (part.type === "text") {
    yield { type: "text-start", id: "text" };
    yield { type: "text-delta", id: "text", delta: part.text };
    yield { type: "text-end", id: "text" };
  } else {
    yield part;
  }
  yield { type: "finish", finishReason: finish(part), usage };
}

/** By the interface of models that the AI SDK defines. */
export const scriptedModel = new MockLanguageModelV4({
  doGenerate: async (options) => {
    const part = answer(options);
    return { content: [part], finishReason: finish(part), usage, warnings: [] };
  },
  doStream: async (options) => ({ stream: ReadableStream.from(stream(answer(options))) }),
});
