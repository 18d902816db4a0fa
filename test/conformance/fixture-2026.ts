// What the suite wants of a 2026-era server beside a table: completion, and results that ask for input first
// (SEP-2322), with a state that nobody can alter.
import { randomBytes } from "node:crypto";
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type ElicitRequestFormParams,
  inputRequired,
  type InputRequests,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { McpExtension } from "../../lib/mcp/extension.ts";
import { complete, textResult } from "./fixture-table.ts";

const states = createRequestStateCodec<{ round: number }>({ key: randomBytes(32) });

const form = (message: string, field: string): ElicitRequestFormParams => ({
  message,
  requestedSchema: { type: "object", properties: { [field]: { type: "string" } }, required: [field] },
});
const asksName = inputRequired.elicit(form("What is your name?", "name"));
const asksOk = inputRequired.elicit({
  message: "Please confirm",
  requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
});
const samples = (text: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text } }], maxTokens });

const answersOf = ({ mcpReq }: ServerContext) => mcpReq.inputResponses ?? {};

/** The state that came back, or an error when it is not ours. */
async function readState(context: ServerContext): Promise<{ round: number } | undefined> {
  const state = context.mcpReq.requestState<string>();
  if (state === undefined) return undefined;
  try {
    return await states.verify(state, context);
  } catch (cause) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "requestState is not one of this server", { cause });
  }
}

/** Asks until every question is answered. */
async function askOnce(context: ServerContext, inputRequests: InputRequests, done: (round?: number) => string) {
  const answers = answersOf(context);
  const state = await readState(context);
  const isAnswered = Object.keys(inputRequests).every((key) => typeof answers[key] === "object");
  if (isAnswered) return textResult(done(state?.round));
  return inputRequired({ inputRequests, requestState: await states.mint({ round: 1 }) });
}

type Asking = (context: ServerContext) => Promise<ReturnType<typeof inputRequired> | ReturnType<typeof textResult>>;

const askingTools: Record<string, Asking> = {
  async test_missing_capability({ mcpReq }) {
    if (clientCapabilities(mcpReq).sampling === undefined) {
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    }
    return textResult("sampling is there");
  },
  test_streaming_elicitation: (context) => askOnce(context, { user_name: asksName }, () => "done"),
  async test_logging_tool({ mcpReq }) {
    await mcpReq.log("info", "logged");
    return textResult("logged");
  },
  async test_input_required_result_elicitation(context) {
    const name = acceptedContent<{ name?: unknown }>(answersOf(context), "user_name")?.name;
    if (typeof name === "string") return textResult(`Hello, ${name}!`);
    return inputRequired({ inputRequests: { user_name: asksName } });
  },
  test_input_required_result_sampling: (context) =>
    askOnce(context, { capital_question: samples("What is the capital of France?", 100) }, () =>
      JSON.stringify(answersOf(context)["capital_question"]),
    ),
  test_input_required_result_list_roots: (context) =>
    askOnce(context, { client_roots: inputRequired.listRoots() }, () =>
      JSON.stringify(answersOf(context)["client_roots"]),
    ),
  test_input_required_result_request_state: (context) =>
    askOnce(context, { confirm: asksOk }, (round) => (round === 1 ? "state-ok" : "state missing")),
  test_input_required_result_multiple_inputs: (context) =>
    askOnce(
      context,
      { user_name: asksName, greeting: samples("Generate a greeting", 50), client_roots: inputRequired.listRoots() },
      () => "all there",
    ),
  async test_input_required_result_multi_round(context) {
    const round = (await readState(context))?.round ?? 0;
    if (round === 2) return textResult("both rounds done");
    const inputRequests: InputRequests =
      round === 0
        ? { step1: inputRequired.elicit(form("Step 1: What is your name?", "name")) }
        : { step2: inputRequired.elicit(form("Step 2: What is your favorite color?", "color")) };
    return inputRequired({ inputRequests, requestState: await states.mint({ round: round + 1 }) });
  },
  test_input_required_result_tampered_state: (context) => askOnce(context, { confirm: asksOk }, () => "state-ok"),
  async test_input_required_result_capabilities({ mcpReq }) {
    const { sampling, elicitation } = clientCapabilities(mcpReq);
    return inputRequired({
      inputRequests: {
        ...(sampling !== undefined && { question: samples("What is the capital of France?", 100) }),
        ...(elicitation !== undefined && { user_name: asksName }),
      },
      requestState: await states.mint({ round: 1 }),
    });
  },
};

const capabilities = z.looseObject({ sampling: z.unknown().optional(), elicitation: z.unknown().optional() });
const envelopeOf = z.looseObject({ [CLIENT_CAPABILITIES_META_KEY]: capabilities.default({}) });

const clientCapabilities = ({ envelope }: ServerContext["mcpReq"]) =>
  envelopeOf.parse(envelope ?? {})[CLIENT_CAPABILITIES_META_KEY];

export const extend2026: McpExtension["extend2026"] = (server, { callTool, getPrompt }) => {
  server.registerCapabilities({ completions: {}, logging: {} });
  server.setRequestHandler("tools/call", async (request, context) => {
    const asking = askingTools[request.params.name];
    return asking === undefined ? callTool(request, context) : { ...(await asking(context)) };
  });
  server.setRequestHandler("prompts/get", async (request, context) => {
    const isAnswered = typeof answersOf(context)["user_context"] === "object";
    if (request.params.name !== "test_input_required_result_prompt" || isAnswered) return getPrompt(request, context);
    const asks = inputRequired.elicit(form("What context should the prompt use?", "context"));
    return inputRequired({ inputRequests: { user_context: asks } });
  });
  server.setRequestHandler("completion/complete", ({ params }) => complete(params.argument.value));
};
