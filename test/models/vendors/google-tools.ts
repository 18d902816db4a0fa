// Gemini's rules for declared functions. It reports every fault of a request at once, one a line.
import { at, firstOf, firstRepeated, listOf, textOf } from "./json.ts";
import { findReferenceFault, parserFaults, validatorFaults } from "./google-schema.ts";
import type { Fault, Rule, VendorRequest } from "./rule.ts";

const countLimit = 512;
const namePattern = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;
const nameRule =
  "Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.";

const declarationsOf = ({ body }: VendorRequest) =>
  listOf(body["tools"]).flatMap((tool, group) =>
    listOf(at(tool, "functionDeclarations")).map((declaration, index) => ({
      path: `tools[${group}].function_declarations[${index}]`,
      name: textOf(at(declaration, "name")),
      parameters: at(declaration, "parameters"),
      full: at(declaration, "parametersJsonSchema"),
    })),
  );

const joined = (faults: readonly string[]): Fault | undefined =>
  faults.length === 0 ? undefined : { message: faults.join("\n") };

export const googleTools: readonly Rule[] = [
  {
    name: "names of schema fields",
    source: "fazer-ai/agents#64, zed-industries/zed#44875, CLIProxyAPI#97, 5ire#42; @google/genai 2.32.0 (npm) Schema",
    find: (request) =>
      joined(
        declarationsOf(request).flatMap(({ path, parameters }) => {
          if (parameters === undefined) return [];
          return [...parserFaults(parameters, { wire: `${path}.parameters`, named: `${path}.parameters` })];
        }),
      ),
  },
  {
    name: "tool count",
    source: "google-gemini/gemini-cli#19083",
    find: (request) =>
      declarationsOf(request).length > countLimit
        ? {
            message: `tools[0].function_declarations: [FIELD_INVALID] At most ${countLimit} function declarations can be specified.`,
          }
        : undefined,
  },
  {
    name: "tool name",
    source: "google-gemini/gemini-cli#6704 (64; @google/genai 2.32.0 says 128)",
    find: (request) =>
      joined(
        declarationsOf(request)
          .filter(({ name }) => !namePattern.test(name))
          .map(({ path }) => `* GenerateContentRequest.${path}.name: ${nameRule}`),
      ),
  },
  {
    name: "duplicate tools",
    source: "Google's answer, quoted widely",
    find: (request) => {
      const name = firstRepeated(declarationsOf(request).map((each) => each.name));
      return name === undefined ? undefined : { message: `Duplicate function declaration found: ${name}` };
    },
  },
  {
    name: "schemas",
    source: "gemini-desktop#7 (items), 9router#380 (enum); @google/genai 2.32.0 (names of properties)",
    find: (request) =>
      joined(
        declarationsOf(request).flatMap(({ path, parameters }) => {
          if (parameters === undefined) return [];
          return [...validatorFaults(parameters, { wire: `${path}.parameters`, named: `${path}.parameters` })];
        }),
      ),
  },
  {
    name: "empty properties",
    source: "agno-agi/agno#2112 (2025); relaxed since, by pydantic-ai#1998",
    unverified: true,
    find: (request) =>
      joined(
        declarationsOf(request).flatMap(({ path, parameters }) =>
          parameters !== undefined && Object.keys(at(parameters, "properties") ?? {}).length === 0
            ? [`* GenerateContentRequest.${path}.parameters.properties: should be non-empty for OBJECT type`]
            : [],
        ),
      ),
  },
  {
    name: "one schema only",
    source: "@google/genai 2.32.0 (npm): parametersJsonSchema excludes parameters; wording from memory",
    find: (request) =>
      firstOf(declarationsOf(request), ({ path, parameters, full }) =>
        parameters !== undefined && full !== undefined
          ? {
              message: `* GenerateContentRequest.${path}: only one of parameters and parameters_json_schema can be set`,
            }
          : undefined,
      ),
  },
  {
    name: "references",
    source: "google-gemini/gemini-cli#13326 (undefined), #14945 (recursion)",
    find: (request) =>
      firstOf(declarationsOf(request), ({ full }) => {
        const message = full === undefined ? undefined : findReferenceFault(full);
        return message === undefined ? undefined : { message };
      }),
  },
];
