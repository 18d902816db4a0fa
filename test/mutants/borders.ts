// Mistakes where an agent's callers, its servers and their credentials meet: questions of servers, tokens of the agent's own,
// resources, instructions and attachments.
import type { Mutant } from "./mutant.ts";

const questions: readonly Mutant[] = [
  {
    file: "lib/mcp/questions.ts",
    find: "const asked = calls.get(call);",
    replace: "const asked = calls.get(call) ?? [...calls.values()][0];",
    breaks: "a caller is asked what a server asks of nobody's call",
  },
  {
    file: "lib/mcp/questions.ts",
    find: "if (id !== undefined && calls.has(call)) askedBy.set(id, call);",
    replace: 'if (id !== undefined) askedBy.set(id, [...calls.keys()].at(-1) ?? "");',
    breaks: "one caller is asked what belongs to another caller's call",
  },
  {
    file: "lib/mcp/questions.ts",
    find: 'calls.get(openedBy.get(elicitationId) ?? "")?.onCompleted',
    replace: "[...calls.values()][0]?.onCompleted",
    breaks: "a caller hears that what another caller opened is done",
  },
  {
    file: "lib/mcp/suspended-calls.ts",
    find: "isOwnedBy(state, on.caller) ? waiting.get(state) : undefined",
    replace: "waiting.get(state)",
    breaks: "whoever learns of a requestState answers in another caller's name, and gets the result",
  },
  {
    file: "lib/mcp/suspended-calls.ts",
    find: "      waiting.delete(state);\n",
    replace: "",
    breaks: "a requestState can be played again",
  },
  {
    file: "agent-runtime/tools/relay.ts",
    find: "if (!isAskable(can, question)) throw",
    replace: "if (can.url && !isAskable(can, question)) throw",
    breaks: "a caller is sent questions that it cannot answer",
  },
  {
    file: "lib/mcp/call-deadline.ts",
    find: "      holds += 1;\n      clearTimeout(idle);",
    replace: "      holds += 1;",
    breaks: "a call fails while its caller thinks about an answer",
  },
  {
    file: "agent-runtime/tools/askable-links.ts",
    find: "const key = `${form} ${url} ${sampling}`;",
    replace: 'const key = "all";',
    breaks: "servers ask where nobody can answer, or never, as the first caller happened to be",
  },
];

const memory: readonly Mutant[] = [
  {
    file: "lib/mcp/answer-room.ts",
    find: "      holder.release();\n      return false;",
    replace: "      return true;",
    breaks: "answers of tools fill the memory until the pod is ended",
  },
  {
    file: "agent-runtime/tools/dispatch.ts",
    find: "holder.keep(shown",
    replace: "((_bytes: number) => undefined)(shown",
    breaks: "long texts of tools count until their run is over, and others find no room",
  },
  {
    file: "agent-runtime/mcp-surface/send-message.ts",
    find: "    context.memory.release();\n",
    replace: "",
    breaks: "what a run held stays counted, until no tool can answer",
  },
  {
    file: "agent-runtime/loop/answer-schema.ts",
    find: ', "the answer", ofOurOwn)',
    replace: ', "the answer")',
    breaks: "the end of a long answer is not checked",
  },
];

const tokens: readonly Mutant[] = [
  {
    file: "lib/mcp/client-credentials.ts",
    find: "openFetch = createGuardedFetch } = options;",
    replace:
      "openFetch = (o) => ({ ...createGuardedFetch(o), fetch: (u, { signal, ...r }) => fetch(u, r) }) } = options;",
    breaks: "a redirect of a token endpoint takes the client's secret elsewhere",
  },
  {
    file: "lib/mcp/client-credentials.ts",
    find: "asking ??= ask();",
    replace: "asking = ask();",
    breaks: "calls that come together each ask for a token",
  },
  {
    file: "lib/mcp/client-credentials.ts",
    find: "if (kept?.token === token) {",
    replace: "if (kept !== undefined) {",
    breaks: "calls that got 401 together throw each other's new token away",
  },
  {
    file: "lib/mcp/sent-headers.ts",
    find: "if (answer.status !== 401) {",
    replace: "if (answer.status !== 402) {",
    breaks: "a token that was revoked is sent until it expires",
  },
  {
    file: "agent-runtime/model/http.ts",
    find: "if (response.status === 401 && options.renew !== undefined) {",
    replace: "if (response.status === 402 && options.renew !== undefined) {",
    breaks: "a provider's revoked token fails every call until it expires",
  },
  {
    file: "plan/egress.ts",
    find: "    ...[...config.servers, ...config.providers].map(({ oauth }) => oauth?.tokenUrl),\n",
    replace: "",
    breaks: "the agent's own policy keeps it from the token endpoint",
  },
  {
    file: "plan/run-config.ts",
    find: "    ...addressees.flatMap(({ oauth }) => (oauth ? [oauth.clientSecret] : [])),\n",
    replace: "",
    breaks: "a client's secret is in no file of the pod",
  },
];

const reading: readonly Mutant[] = [
  {
    file: "agent-runtime/tools/toolbox.ts",
    find: "hasResources && isToolAllowed(resourcesRead, server)",
    replace: "hasResources",
    breaks: "an agent reads resources that its rules keep from it",
  },
  {
    file: "agent-runtime/tools/guidance.ts",
    find: 'plain.replaceAll(/^/gm, "> ")',
    replace: "`> ${plain}`",
    breaks: "one server speaks in another's name in the system prompt",
  },
  {
    file: "agent-runtime/mcp-surface/attachments.ts",
    find: "  if (!model.pdf) {",
    replace: "  if (!model.pdf && bytes.length === 0) {",
    breaks: "a PDF is sent to a model that takes none, and its provider refuses the conversation",
  },
  {
    file: "agent-runtime/mcp-surface/record-message.ts",
    find: "image.mimeType === pdfType ? undefined : ",
    replace: "",
    breaks: "an attached PDF is gone from the second message on",
  },
];

export const borderMutants: readonly Mutant[] = [...questions, ...memory, ...tokens, ...reading];
