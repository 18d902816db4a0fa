// The machine-readable part of Bedrock's Converse: lengths, patterns and ranges of botocore's description of
// bedrock-runtime (1.44.5), in the words in which AWS refuses what breaks them.
import { at, isObject, listOf, numberOf, objectOf, textOf, type Json } from "./json.ts";
import type { Rule } from "./rule.ts";

interface Checked {
  path: string;
  value: unknown;
}

interface Constraint {
  find: (body: Json) => Checked[];
  min?: number;
  max?: number;
  pattern?: string;
  oneOf?: readonly string[];
}

/** Members of lists are counted from 1. */
const members = (list: unknown, path: string): Checked[] =>
  listOf(list).map((value, index) => ({ value, path: `${path}.${index + 1}.member` }));

const present = (value: unknown, path: string): Checked[] => (value === undefined ? [] : [{ value, path }]);

const specsOf = (body: Json): Checked[] =>
  members(at(body["toolConfig"], "tools"), "toolConfig.tools").flatMap(({ value, path }) =>
    present(at(value, "toolSpec"), `${path}.toolSpec`),
  );

const blocksOf = (body: Json, kind: string): Checked[] =>
  members(body["messages"], "messages").flatMap((message) =>
    members(at(message.value, "content"), `${message.path}.content`).flatMap(({ value, path }) =>
      present(at(value, kind), `${path}.${kind}`),
    ),
  );

const fieldOf = (checked: readonly Checked[], key: string): Checked[] =>
  checked.flatMap(({ value, path }) => present(at(value, key), `${path}.${key}`));

const inference = (body: Json, key: string) => present(at(body["inferenceConfig"], key), `inferenceConfig.${key}`);

const toolName = { min: 1, max: 64, pattern: "[a-zA-Z0-9_-]+" };
const toolUseId = { min: 1, max: 64, pattern: "[a-zA-Z0-9_.:-]+" };

const constraints: readonly Constraint[] = [
  { find: (body) => present(at(body["toolConfig"], "tools"), "toolConfig.tools"), min: 1 },
  { find: (body) => fieldOf(specsOf(body), "name"), ...toolName },
  { find: (body) => fieldOf(specsOf(body), "description"), min: 1 },
  { find: (body) => fieldOf(blocksOf(body, "toolUse"), "name"), ...toolName },
  { find: (body) => fieldOf(blocksOf(body, "toolUse"), "toolUseId"), ...toolUseId },
  { find: (body) => fieldOf(blocksOf(body, "toolResult"), "toolUseId"), ...toolUseId },
  { find: (body) => fieldOf(blocksOf(body, "image"), "format"), oneOf: ["png", "jpeg", "gif", "webp"] },
  { find: (body) => fieldOf(members(body["system"], "system"), "text"), min: 1 },
  { find: (body) => inference(body, "maxTokens"), min: 1 },
  { find: (body) => inference(body, "temperature"), min: 0, max: 1 },
  { find: (body) => inference(body, "topP"), min: 0, max: 1 },
  { find: (body) => inference(body, "stopSequences"), max: 2500 },
  {
    find: (body) => members(at(body["inferenceConfig"], "stopSequences"), "inferenceConfig.stopSequences"),
    min: 1,
  },
];

function* breaches(body: Json): Generator<string> {
  for (const { find, min, max, pattern, oneOf } of constraints) {
    for (const { path, value } of find(body)) {
      const what = numberOf(value) === undefined ? "length" : "value";
      const size = numberOf(value) ?? (Array.isArray(value) ? value.length : textOf(value).length);
      const shown = isObject(value) || Array.isArray(value) ? "Value" : `Value '${String(value)}'`;
      const fault = (constraint: string) =>
        `${shown} at '${path}' failed to satisfy constraint: Member must ${constraint}`;
      if (pattern !== undefined && !new RegExp(`^(?:${pattern})$`).test(textOf(value))) {
        yield fault(`satisfy regular expression pattern: ${pattern}`);
      }
      if (max !== undefined && size > max) yield fault(`have ${what} less than or equal to ${max}`);
      if (min !== undefined && size < min) yield fault(`have ${what} greater than or equal to ${min}`);
      if (oneOf !== undefined && !oneOf.includes(textOf(value))) {
        yield fault(`satisfy enum value set: [${oneOf.join(", ")}]`);
      }
    }
  }
}

export const bedrockConstraints: Rule = {
  name: "constraints",
  source: "botocore 1.44.5 (PyPI) bedrock-runtime/2023-09-30/service-2.json; openclaw/openclaw#12892, awslabs/mcp#3181",
  find({ body }) {
    const found = [...breaches(objectOf(body))];
    if (found.length === 0) return undefined;
    const count = found.length === 1 ? "1 validation error" : `${found.length} validation errors`;
    return { message: `${count} detected: ${found.join("; ")}` };
  },
};
