// `ask_user` (MGM-7): the tool by which the model asks the caller of its run. It is there only in runs whose caller can be asked, and
// nothing of it leaves the agent but the question.
import { mcpName } from "../../crds/names.ts";
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import { shownLine } from "../../lib/process/shown-text.ts";
import type { ToolRoute } from "./route.ts";

const askUserName = "ask_user";
/** In one run. */
export const maxAskedOfUser = 16;
const maxQuestionChars = 4_096;
const maxOptions = 32;
const maxOptionChars = 200;
const maxAnswerChars = 16_384;

const inputSchema = {
  type: "object" as const,
  properties: {
    question: { type: "string", minLength: 1, maxLength: maxQuestionChars, description: "What to ask, in one go." },
    options: {
      type: "array",
      description: "The answers to choose from. Without them the user writes one.",
      items: { type: "string", minLength: 1, maxLength: maxOptionChars },
      maxItems: maxOptions,
    },
  },
  required: ["question"],
  additionalProperties: false,
};

/** The tool of one run. `agent`: its name. */
export function renderAskUserRoute(agent: string): ToolRoute {
  let asked = 0;
  return {
    name: askUserName,
    // In whose name the caller is asked.
    label: { server: mcpName(agent), tool: askUserName },
    downstream: agent,
    operation: "tool",
    toCaller: true,
    linksReadable: false,
    description:
      "Asks the user who sent the message, and waits for the answer. Use it only where you cannot go on without: for what " +
      "only the user knows or may decide.",
    inputSchema,
    judged: () => undefined,
    renderProgress: () => undefined,
    async call({ question, options }, { ask, signal }) {
      if (ask === undefined) return says("The user cannot be asked.", true);
      asked += 1;
      if (asked > maxAskedOfUser) {
        return says(`The user was asked ${maxAskedOfUser} times, and can be asked no more in this run.`, true);
      }
      const choices = Array.isArray(options) ? options.map((each) => shownLine(String(each), maxOptionChars)) : [];
      const params = renderParams(
        String(question),
        [...new Set(choices)].filter((each) => each !== ""),
      );
      const { action, content } = await ask({ method: "elicitation/create", params }, signal);
      if (action === "decline") return says("The user does not want to answer.");
      const answer = isJsonObject(content) ? content["answer"] : undefined;
      if (action !== "accept" || typeof answer !== "string") return says("The user gave no answer.");
      return says(answer.slice(0, maxAnswerChars).toWellFormed());
    },
  };
}

function renderParams(question: string, choices: string[]) {
  const message = question
    .split("\n")
    .map((line) => shownLine(line, maxQuestionChars))
    .join("\n");
  const answer = {
    type: "string",
    title: "Answer",
    ...(choices.length > 0 ? { enum: choices } : { maxLength: maxAnswerChars }),
  };
  const requestedSchema = { type: "object", properties: { answer }, required: ["answer"] };
  return { mode: "form", message, requestedSchema };
}

const says = (text: string, isError = false) => ({
  content: [{ type: "text" as const, text }],
  ...(isError && { isError }),
});
