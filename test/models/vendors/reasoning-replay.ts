// `reasoning_content` in the history: some servers refuse it, some demand it beside every tool call.
import { at, firstOf, listOf, textOf } from "./json.ts";
import type { Fault, Rule, VendorRequest } from "./rule.ts";

const assistantsOf = ({ body }: VendorRequest) =>
  listOf(body["messages"])
    .map((message, index) => ({ message, index }))
    .filter(({ message }) => at(message, "role") === "assistant");

/** The index of the first answer whose reasoning was sent back. */
export const refuseReasoning = (source: string, models: RegExp, fault: (index: number) => Fault): Rule => ({
  name: "reasoning refused",
  source,
  find: (request) =>
    models.test(request.model)
      ? firstOf(assistantsOf(request), ({ message, index }) =>
          at(message, "reasoning_content") === undefined ? undefined : fault(index),
        )
      : undefined,
});

/** The index of the first answer with calls and without reasoning. */
export const demandReasoning = (source: string, models: RegExp, fault: (index: number) => Fault): Rule => ({
  name: "reasoning demanded",
  source,
  find: (request) =>
    models.test(request.model) && at(request.body["thinking"], "type") !== "disabled"
      ? firstOf(assistantsOf(request), ({ message, index }) =>
          listOf(at(message, "tool_calls")).length > 0 && textOf(at(message, "reasoning_content")) === ""
            ? fault(index)
            : undefined,
        )
      : undefined,
});
