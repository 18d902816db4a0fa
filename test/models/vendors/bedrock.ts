// Bedrock's Converse. What Claude refuses there it refuses in Anthropic's words. As of autumn 2026.
import { findSamplerFault } from "./anthropic-models.ts";
import { anthropicTools } from "./anthropic-tools.ts";
import { bedrockConstraints } from "./bedrock-constraints.ts";
import { bedrockMessages } from "./bedrock-messages.ts";
import { at, firstOf, listOf, numberOf, textOf } from "./json.ts";
import type { Rule, Vendor, VendorRequest } from "./rule.ts";
import { countInputTokens } from "./text.ts";

const specsOf = ({ body }: VendorRequest) =>
  listOf(at(body["toolConfig"], "tools")).map((tool) => at(tool, "toolSpec"));
const schemaOf = (spec: unknown) => at(at(spec, "inputSchema"), "json");
const byModel = (message: string) => ({ message: `The model returned the following errors: ${message}` });

const claudeTools: Rule = {
  name: "tools of Claude",
  source: "as Anthropic; vscode-as-mcp-server#6 (draft 2020-12), openclaw/openclaw#12892",
  find(request) {
    if (!/claude/.test(request.model)) return undefined;
    const tools = specsOf(request).map((spec) => ({ name: at(spec, "name"), input_schema: schemaOf(spec) }));
    const fault = firstOf(anthropicTools, (rule) => rule.find({ ...request, body: { tools } }));
    return fault === undefined ? undefined : byModel(fault.message);
  },
};

const samplers: Rule = {
  name: "samplers of Claude",
  source: "as Anthropic; skydiscover#15",
  find({ body, model }) {
    if (!/claude/.test(model)) return undefined;
    const more = body["additionalModelRequestFields"];
    const { inferenceConfig } = body;
    const [temperature, topP] = ["temperature", "topP"].map((key) => numberOf(at(inferenceConfig, key)));
    const thinks = /^(enabled|adaptive)$/.test(textOf(at(at(more, "thinking"), "type")));
    const fault = findSamplerFault(model, { temperature, topP, topK: numberOf(at(more, "top_k")) }, thinks);
    return fault === undefined ? undefined : byModel(fault.message);
  },
};

export const bedrock: Vendor = {
  render: ({ message, status = 400, type = "ValidationException" }) => ({
    status,
    headers: { "x-amzn-errortype": type },
    body: { message },
  }),
  rules: [
    bedrockConstraints,
    {
      name: "type of schemas",
      source: "block/goose#5064; botocore 1.44.5 (PyPI) ToolInputSchema",
      find: (request) =>
        firstOf(specsOf(request), (spec, index) =>
          at(schemaOf(spec), "type") === "object"
            ? undefined
            : {
                message: `The value at toolConfig.tools.${index}.toolSpec.inputSchema.json.type must be one of the following: object.`,
              },
        ),
    },
    ...bedrockMessages,
    claudeTools,
    {
      name: "output limit",
      source: "sigoden/aichat#813; the limit is the mock's setting",
      find({ body, maxOutputTokens = Infinity }) {
        const asked = numberOf(at(body["inferenceConfig"], "maxTokens")) ?? 1;
        if (asked <= maxOutputTokens) return undefined;
        const cure = `Try again with a maximum tokens value that is lower than ${maxOutputTokens}.`;
        return { message: `The maximum tokens you requested exceeds the model limit of ${maxOutputTokens}. ${cure}` };
      },
    },
    samplers,
    {
      name: "overflow",
      source: "AWS's answer, quoted widely; the window is the mock's setting",
      find: ({ body, contextWindow = Infinity }) =>
        countInputTokens(body) > contextWindow ? { message: "Input is too long for requested model." } : undefined,
    },
  ],
};
