// How the three model APIs write one answer as server-sent events. Pure: an answer in, frames out.

export interface ScriptedCall {
  name: string;
  /** A string is sent as it is, so that broken JSON can be scripted. */
  arguments: unknown;
  id?: string;
}

export interface ScriptedAnswer {
  text?: string;
  reasoning?: string;
  toolCalls?: ScriptedCall[];
  stop?: "end" | "length";
  /** As the provider counts: input includes what was cached, except with Anthropic. */
  usage?: { input?: number; output?: number; cacheRead?: number; cacheWrite?: number; reasoning?: number };
}

export type Protocol = "chat" | "responses" | "messages";

const argumentsText = (call: ScriptedCall) =>
  typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);

const callId = (call: ScriptedCall, index: number) => call.id ?? `call_${index + 1}`;

/** Frames of a whole answer, each ready to be written. */
export function renderFrames(protocol: Protocol, model: string, answer: ScriptedAnswer): string[] {
  if (protocol === "chat") return renderChat(model, answer);
  if (protocol === "responses") return renderResponses(model, answer);
  return renderMessages(model, answer);
}

function renderChat(model: string, answer: ScriptedAnswer): string[] {
  const { usage = {} } = answer;
  const chunk = (delta: unknown, finish: string | null = null, extra: object = {}) =>
    data({
      id: "c1",
      object: "chat.completion.chunk",
      created: 1,
      model,
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...extra,
    });
  const calls = (answer.toolCalls ?? []).map((call, index) =>
    chunk({
      tool_calls: [
        {
          index,
          id: callId(call, index),
          type: "function",
          function: { name: call.name, arguments: argumentsText(call) },
        },
      ],
    }),
  );
  const finish = answer.stop === "length" ? "length" : calls.length > 0 ? "tool_calls" : "stop";
  return [
    chunk({ role: "assistant", content: "" }),
    ...(answer.reasoning === undefined ? [] : [chunk({ reasoning_content: answer.reasoning })]),
    ...(answer.text === undefined ? [] : [chunk({ content: answer.text })]),
    ...calls,
    chunk({}, finish),
    data({
      id: "c1",
      object: "chat.completion.chunk",
      created: 1,
      model,
      choices: [],
      usage: {
        prompt_tokens: usage.input ?? 1,
        completion_tokens: usage.output ?? 1,
        prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
        completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
      },
    }),
    "data: [DONE]\n\n",
  ];
}

function renderResponses(model: string, answer: ScriptedAnswer): string[] {
  const { usage = {} } = answer;
  let sequence = 0;
  const event = (type: string, fields: object) => named(type, { type, sequence_number: sequence++, ...fields });
  const response = { id: "resp_1", object: "response", created_at: 1, model, service_tier: null };
  const frames = [event("response.created", { response: { ...response, status: "in_progress", output: [] } })];
  let output = 0;
  if (answer.reasoning !== undefined) {
    const item = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: `sealed:${answer.reasoning}` };
    frames.push(
      event("response.output_item.added", { output_index: output, item: { ...item, encrypted_content: null } }),
    );
    frames.push(event("response.output_item.done", { output_index: output++, item }));
  }
  if (answer.text !== undefined) {
    const item = { type: "message", id: "msg_1", role: "assistant", content: [] };
    const part = { type: "output_text", text: answer.text, annotations: [] };
    frames.push(
      event("response.output_item.added", { output_index: output, item: { ...item, status: "in_progress" } }),
    );
    frames.push(
      event("response.output_text.delta", {
        item_id: "msg_1",
        output_index: output,
        content_index: 0,
        delta: answer.text,
      }),
    );
    frames.push(
      event("response.output_item.done", {
        output_index: output++,
        item: { ...item, status: "completed", content: [part] },
      }),
    );
  }
  for (const [index, call] of (answer.toolCalls ?? []).entries()) {
    const item = { type: "function_call", id: `fc_${index + 1}`, call_id: callId(call, index), name: call.name };
    const text = argumentsText(call);
    frames.push(
      event("response.output_item.added", {
        output_index: output,
        item: { ...item, arguments: "", status: "in_progress" },
      }),
    );
    frames.push(
      event("response.function_call_arguments.delta", { item_id: item.id, output_index: output, delta: text }),
    );
    frames.push(
      event("response.output_item.done", {
        output_index: output++,
        item: { ...item, arguments: text, status: "completed" },
      }),
    );
  }
  const incomplete = answer.stop === "length";
  const final = {
    ...response,
    status: incomplete ? "incomplete" : "completed",
    incomplete_details: incomplete ? { reason: "max_output_tokens" } : null,
    output: [],
    usage: {
      input_tokens: usage.input ?? 1,
      input_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
      output_tokens: usage.output ?? 1,
      output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
      total_tokens: (usage.input ?? 1) + (usage.output ?? 1),
    },
  };
  frames.push(event(incomplete ? "response.incomplete" : "response.completed", { response: final }));
  return frames;
}

function renderMessages(model: string, answer: ScriptedAnswer): string[] {
  const { usage = {} } = answer;
  const event = (type: string, fields: object = {}) => named(type, { type, ...fields });
  const frames = [
    event("message_start", {
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: usage.input ?? 1,
          cache_read_input_tokens: usage.cacheRead ?? 0,
          cache_creation_input_tokens: usage.cacheWrite ?? 0,
          output_tokens: 0,
        },
      },
    }),
  ];
  let index = 0;
  const block = (content: object, deltas: object[]) => {
    frames.push(event("content_block_start", { index, content_block: content }));
    for (const delta of deltas) frames.push(event("content_block_delta", { index, delta }));
    frames.push(event("content_block_stop", { index: index++ }));
  };
  if (answer.reasoning !== undefined) {
    block({ type: "thinking", thinking: "" }, [
      { type: "thinking_delta", thinking: answer.reasoning },
      { type: "signature_delta", signature: "signed" },
    ]);
  }
  if (answer.text !== undefined) block({ type: "text", text: "" }, [{ type: "text_delta", text: answer.text }]);
  for (const [number, call] of (answer.toolCalls ?? []).entries()) {
    block({ type: "tool_use", id: callId(call, number), name: call.name, input: {} }, [
      { type: "input_json_delta", partial_json: argumentsText(call) },
    ]);
  }
  const stop = answer.stop === "length" ? "max_tokens" : answer.toolCalls === undefined ? "end_turn" : "tool_use";
  frames.push(
    event("message_delta", {
      delta: { stop_reason: stop, stop_sequence: null },
      usage: {
        output_tokens: usage.output ?? 1,
        ...(usage.reasoning === undefined ? {} : { output_tokens_details: { thinking_tokens: usage.reasoning } }),
      },
    }),
    event("message_stop"),
  );
  return frames;
}

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const named = (name: string, value: unknown) => `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
