// Reads what a request shows a model of the tools it may call and of what its calls gave, in the words of each API.
import * as z from "zod";
import type { ServedRequest } from "../models/journal.ts";
import { protocolOf, type Protocol } from "../models/wire.ts";

export interface ShownTool {
  readonly name: string;
  readonly schema: unknown;
}

export interface ShownResult {
  /** The tool's. */
  readonly name: string;
  readonly text: string;
}

export interface Shown {
  readonly tools: readonly ShownTool[];
  /** Of the calls that the model made before. */
  readonly results: readonly ShownResult[];
}

const texts = z.union([
  z.string(),
  z.array(z.looseObject({ text: z.string().default("") })).transform((parts) => parts.map(({ text }) => text).join("")),
]);

const chatSchema = z.looseObject({
  tools: z
    .array(z.looseObject({ function: z.looseObject({ name: z.string(), parameters: z.unknown().optional() }) }))
    .default([]),
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: z.unknown().optional(),
      tool_call_id: z.string().optional(),
      tool_calls: z.array(z.looseObject({ id: z.string(), function: z.looseObject({ name: z.string() }) })).default([]),
    }),
  ),
});

function readChat(body: unknown): Shown {
  const { tools, messages } = chatSchema.parse(body);
  const calls = messages.flatMap(({ tool_calls }) => tool_calls);
  const names = new Map(calls.map((call) => [call.id, call.function.name]));
  return {
    tools: tools.map(({ function: { name, parameters } }) => ({ name, schema: parameters })),
    results: messages
      .filter(({ role }) => role === "tool")
      .map(({ tool_call_id: id = "", content }) => ({ name: names.get(id) ?? "", text: texts.parse(content) })),
  };
}

const responsesSchema = z.looseObject({
  tools: z.array(z.looseObject({ name: z.string(), parameters: z.unknown().optional() })).default([]),
  input: z.array(
    z.looseObject({
      type: z.string().optional(),
      call_id: z.string().default(""),
      name: z.string().default(""),
      output: z.unknown().optional(),
    }),
  ),
});

function readResponses(body: unknown): Shown {
  const { tools, input } = responsesSchema.parse(body);
  const calls = input.filter(({ type }) => type === "function_call");
  const names = new Map(calls.map(({ call_id, name }) => [call_id, name]));
  return {
    tools: tools.map(({ name, parameters }) => ({ name, schema: parameters })),
    results: input
      .filter(({ type }) => type === "function_call_output")
      .map(({ call_id, output }) => ({ name: names.get(call_id) ?? "", text: texts.parse(output) })),
  };
}

const callBlock = z.looseObject({ type: z.literal("tool_use"), id: z.string(), name: z.string() });
const resultBlock = z.looseObject({ type: z.literal("tool_result"), tool_use_id: z.string(), content: texts });
const messagesSchema = z.looseObject({
  tools: z.array(z.looseObject({ name: z.string(), input_schema: z.unknown() })).default([]),
  messages: z.array(z.looseObject({ content: z.union([z.string(), z.array(z.unknown())]) })),
});

function readMessages(body: unknown): Shown {
  const { tools, messages } = messagesSchema.parse(body);
  const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const calls = blocks.flatMap((block) => callBlock.safeParse(block).data ?? []);
  const names = new Map(calls.map(({ id, name }) => [id, name]));
  return {
    tools: tools.map(({ name, input_schema }) => ({ name, schema: input_schema })),
    results: blocks
      .flatMap((block) => resultBlock.safeParse(block).data ?? [])
      .map(({ tool_use_id: id, content }) => ({ name: names.get(id) ?? "", text: content })),
  };
}

const generateSchema = z.looseObject({
  tools: z
    .array(
      z.looseObject({
        functionDeclarations: z.array(
          z.looseObject({
            name: z.string(),
            parameters: z.unknown().optional(),
            parametersJsonSchema: z.unknown().optional(),
          }),
        ),
      }),
    )
    .default([]),
  contents: z.array(z.looseObject({ parts: z.array(z.unknown()) })),
});
const responsePart = z.looseObject({
  functionResponse: z.looseObject({ name: z.string(), response: z.looseObject({}) }),
});

function readGenerate(body: unknown): Shown {
  const { tools, contents } = generateSchema.parse(body);
  return {
    tools: tools
      .flatMap(({ functionDeclarations }) => functionDeclarations)
      .map(({ name, parameters, parametersJsonSchema }) => ({
        name,
        schema: parametersJsonSchema ?? parameters ?? {},
      })),
    results: contents
      .flatMap(({ parts }) => parts)
      .flatMap((part) => responsePart.safeParse(part).data ?? [])
      .map(({ functionResponse: { name, response } }) => {
        const { content } = response;
        return { name, text: typeof content === "string" ? content : JSON.stringify(response) };
      }),
  };
}

const converseSchema = z.looseObject({
  toolConfig: z
    .looseObject({
      tools: z.array(
        z.looseObject({
          toolSpec: z.looseObject({ name: z.string(), inputSchema: z.looseObject({ json: z.unknown() }) }).optional(),
        }),
      ),
    })
    .optional(),
  messages: z.array(z.looseObject({ content: z.array(z.unknown()) })),
});
const usePart = z.looseObject({ toolUse: z.looseObject({ toolUseId: z.string(), name: z.string() }) });
const givenPart = z.looseObject({ toolResult: z.looseObject({ toolUseId: z.string(), content: texts }) });

function readConverse(body: unknown): Shown {
  const { toolConfig, messages } = converseSchema.parse(body);
  const blocks = messages.flatMap(({ content }) => content);
  const calls = blocks.flatMap((block) => usePart.safeParse(block).data ?? []);
  const names = new Map(calls.map(({ toolUse }) => [toolUse.toolUseId, toolUse.name]));
  return {
    tools: (toolConfig?.tools ?? [])
      .flatMap(({ toolSpec }) => toolSpec ?? [])
      .map(({ name, inputSchema }) => ({ name, schema: inputSchema.json })),
    results: blocks
      .flatMap((block) => givenPart.safeParse(block).data ?? [])
      .map(({ toolResult }) => ({ name: names.get(toolResult.toolUseId) ?? "", text: toolResult.content })),
  };
}

const readers: Readonly<Record<Protocol, (body: unknown) => Shown>> = {
  chat: readChat,
  responses: readResponses,
  messages: readMessages,
  generate: readGenerate,
  converse: readConverse,
};

export function readShown({ path, body }: ServedRequest): Shown {
  const protocol = protocolOf(path);
  if (protocol === undefined) throw new Error(`expected the path of a model's API, found ${path}`);
  return readers[protocol](body);
}
