// Answers as objects of a schema: through a whole agent with a scripted model, and the reading of a model's text.
import { describe, expect, test } from "vitest";
import type { JsonObjectSchema } from "../../lib/mcp/table.ts";
import { stopAfterEach } from "../testing/cleanup.ts";
import { connect2025 } from "../testing/client.ts";
import { renderTestConfig } from "../testing/run-config.ts";
import { callTool, createScriptedModels, type ScriptedModels } from "../testing/scripted-models.ts";
import { startAgent } from "../testing/servers.ts";
import { createAnswerSchema } from "./answer-schema.ts";
import { maxArgumentDepth } from "./tool-calls.ts";

const started = stopAfterEach();

const schema: JsonObjectSchema = {
  type: "object",
  properties: { city: { $ref: "#/$defs/name" }, degrees: { type: "number" } },
  required: ["city", "degrees"],
  additionalProperties: false,
  $defs: { name: { type: "string", minLength: 1 } },
};
const lisbon = { city: "Lisbon", degrees: 21.5 };

async function play(models: ScriptedModels | undefined, message: string, limits = {}) {
  const config = { output: { schema }, limits: { ...renderTestConfig().limits, ...limits } };
  const agent = await startAgent(config, models === undefined ? {} : { models });
  started.push(agent);
  const client = await connect2025(agent.mcpUrl);
  started.push({ stop: () => client.close() });
  // A client that has listed the tools checks what it gets by the declared schema.
  const { tools } = await client.listTools();
  const result = await client.callTool({ name: "send_message", arguments: { message } });
  return { tools, result, isError: result.isError === true, text: JSON.stringify(result.content) };
}

describe("AGT-13 an answer by the agent's schema", () => {
  test("is asked for in the system prompt, declared, and given as an object and as JSON alone", async () => {
    const models = createScriptedModels([
      { text: "I look it up.", toolCalls: [callTool("nope")] },
      { text: `Here it is:\n\`\`\`json\n${JSON.stringify(lisbon, null, 2)}\n\`\`\`` },
    ]);
    const { tools, result } = await play(models, "Lisbon?");
    expect(models.requests[0]?.system).toContain(`You are an agent under test.\n\n`);
    expect(models.requests[0]?.system).toContain(JSON.stringify(schema));
    const { $defs, ...output } = schema;
    expect(tools[0]?.outputSchema).toMatchObject({
      properties: { output, text: {} },
      required: expect.arrayContaining(["text", "output"]),
      $defs,
    });
    expect(result.structuredContent).toMatchObject({
      text: JSON.stringify(lisbon),
      output: lisbon,
      stop_reason: "end",
    });
    expect(result.content).toEqual([{ type: "text", text: JSON.stringify(lisbon) }]);
  });

  test("that does not fit is asked for once more, with what was wrong", async () => {
    const models = createScriptedModels([{ text: '{"city":"Lisbon"}' }, { text: JSON.stringify(lisbon) }]);
    const { result } = await play(models, "Lisbon?");
    expect(result.structuredContent).toMatchObject({ output: lisbon, steps: 2 });
    expect(models.requests[1]?.messages.slice(1)).toMatchObject([
      { role: "assistant", text: '{"city":"Lisbon"}' },
      { role: "user", content: [{ text: expect.stringContaining('"degrees" is required') }] },
    ]);
  });

  test("that does not fit twice is an error with what was wrong and what was written, and no third is asked for", async () => {
    const models = createScriptedModels([{ text: "21 degrees" }, { text: '{"city":"","degrees":21}' }]);
    const { text, isError, result } = await play(models, "Lisbon?");
    expect([isError, models.requests.length, result.structuredContent]).toEqual([true, 2, undefined]);
    expect(text).toContain("does not fit spec.output.schema of the agent, also when asked again");
    expect(text).toContain('\\"city\\" must have at least 1 characters');
    expect(text).toContain("21 degrees");
  });

  test("that was cut twice says so", async () => {
    const cut = { text: '{"city":"Lis', stopReason: "length", usage: { output: 5 } } as const;
    const { text, isError } = await play(createScriptedModels([cut]), "Lisbon?");
    expect([isError, text]).toEqual([true, expect.stringContaining("the model reached its limit after 5 tokens")]);
  });

  test("past a limit of the call is the object alone, and the limit is told beside it", async () => {
    const models = createScriptedModels([{ toolCalls: [callTool("nope")] }, { text: JSON.stringify(lisbon) }]);
    const { result } = await play(models, "Lisbon?", { toolCalls: 0 });
    expect(result).toMatchObject({
      content: [{ text: JSON.stringify(lisbon) }],
      structuredContent: { output: lisbon, stop_reason: "tool_calls" },
    });
  });

  test("comes from a keyless model too", async () => {
    const { result } = await play(undefined, `***FIXED_RESPONSE ${JSON.stringify(lisbon)}`);
    expect(result.structuredContent).toMatchObject({ output: lisbon, model: "test" });
  });
});

test("AGT-13 an answer is checked to its end, however long it is and however deep the schema", () => {
  const row = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] };
  const links = Array.from({ length: 400 }, (_, n) => [`a${n}`, { $ref: `#/$defs/a${n + 1}` }]);
  const $defs = { ...Object.fromEntries(links), a400: row };
  const { read } = createAnswerSchema({
    type: "object",
    properties: { rows: { items: row }, last: { $ref: "#/$defs/a0" } },
    $defs,
  });
  const rows = Array.from({ length: 100_000 }, (_, id): unknown => ({ id }));
  const answer = { rows, last: { id: 1 } };
  expect(read(JSON.stringify(answer))).toEqual({ output: answer });
  expect(read(JSON.stringify({ ...answer, rows: [...rows, {}] }))).toEqual({ problem: '"rows.100000.id" is required' });
  expect(read(JSON.stringify({ ...answer, last: {} }))).toEqual({ problem: '"last.id" is required' });
});

describe("AGT-13 the reading of an answer", () => {
  const { read } = createAnswerSchema({ type: "object", properties: { a: {} } });
  const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${"}".repeat(depth - 1)}`;

  test.each([
    ['{"a":1}', { a: 1 }],
    [' \n{"a":1}\n ', { a: 1 }],
    ['```json\n{"a":"}"}\n```', { a: "}" }],
    ['Of course: {"a":{"b":[1]}} - done.', { a: { b: [1] } }],
  ])("%j is read", (text, output) => {
    expect(read(text)).toEqual({ output });
  });

  test.each([
    ["", "there is no JSON object"],
    ["}{", "there is no JSON object"],
    ["[1]", "there is no JSON object"],
    ['{"a":1', "there is no JSON object"],
    ['{"a":1}, {"a":2}', "it is not JSON ("],
    ["{a: 1}", "it is not JSON ("],
  ])("%j is not: %s", (text, problem) => {
    expect(read(text)).toEqual({ problem: expect.stringContaining(problem) });
  });

  test("is of objects as deep as can be sent on, and not one level more", () => {
    expect(read(nested(maxArgumentDepth))).toHaveProperty("output");
    expect(read(nested(maxArgumentDepth + 1))).toEqual({ problem: expect.stringContaining("more than 100 levels") });
    expect(read(nested(200_000))).toHaveProperty("problem");
  });
});
