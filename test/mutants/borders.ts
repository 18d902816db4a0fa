// Mistakes where callers, servers and their credentials meet: questions of servers, tokens of the agent's own, who a caller is,
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
    file: "lib/mcp/relay.ts",
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
    file: "lib/mcp/askable-links.ts",
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
    find: "if (kept?.token === token) ",
    replace: "if (kept !== undefined) ",
    breaks: "calls that got 401 together throw each other's new token away",
  },
  {
    file: "lib/mcp/sent-headers.ts",
    find: "if (answer.status !== 401) ",
    replace: "if (answer.status !== 402) ",
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

const callers: readonly Mutant[] = [
  {
    file: "lib/auth/cluster-tokens.ts",
    find: "if ([aud].flat().some((each) => each !== expected.audience))",
    replace: "if ([aud].flat().length === 0)",
    breaks: "a token for the API server is taken, and whoever runs the gateway can act as its owner",
  },
  {
    file: "lib/auth/cluster-tokens.ts",
    find: "if (sub !== `system:serviceaccount:${namespace}:${serviceaccount.name}`)",
    replace: 'if (sub === "")',
    breaks: "a token that names two accounts is taken for the one that access names",
  },
  {
    file: "lib/auth/cluster-tokens.ts",
    find: "issuer === undefined || readNamedIssuer(token) !== issuer",
    replace: "issuer === undefined",
    breaks: "a token of another issuer is refused before that issuer is asked",
  },
  {
    file: "lib/auth/roles.ts",
    find: "proof.namespace === namespace && ",
    replace: "",
    breaks: "whoever may make ServiceAccounts in another namespace is an approver here",
  },
  {
    file: "lib/auth/roles.ts",
    find: "roles.indexOf(identity.role) >= roles.indexOf(needed)",
    replace: "roles.indexOf(identity.role) !== -1",
    breaks: "a viewer may do what an admin may",
  },
  {
    file: "lib/auth/authenticate.ts",
    find: "namespace === options.namespace ? options.findAgent(account) : undefined",
    replace: "options.findAgent(account)",
    breaks: "an account of another namespace speaks as an agent of this one",
  },
  {
    file: "lib/auth/authenticate.ts",
    find: 'return byIssuer.kind === "refused" ? (byTable ?? byIssuer) : byIssuer;',
    replace: "return byIssuer;",
    breaks: "while a token table cannot be read, its owners hear that their tokens are wrong",
  },
  {
    file: "lib/auth/request-credentials.ts",
    find: "if (headers.length + carrying.length > 1)",
    replace: "if (carrying.length > 1)",
    breaks: "of two tokens in a request the first is taken, and a proxy before us may have judged the second",
  },
  {
    file: "lib/auth/token-table.ts",
    find: "wallNowMs < expiresAtMs",
    replace: "wallNowMs !== expiresAtMs",
    breaks: "a token of a table is good for ever",
  },
  {
    file: "lib/auth/token-table.ts",
    find: "isMissing(error) ? [] : undefined",
    replace: "isMissing(error) ? [] : entries",
    breaks: "a table that can be read no more goes on to let in whoever was in it",
  },
  {
    file: "lib/process/http-upgrade.ts",
    find: "if (inside >= maxUpgraded)",
    replace: "if (inside > maxUpgraded)",
    breaks: "WebSockets take one connection more than they may",
  },
  {
    file: "lib/process/http-connections.ts",
    find: "if ((sockets.get(socket) ?? 0) > 0) return false;",
    replace: "",
    breaks: "an earlier request's answer is written amid the messages of a WebSocket",
  },
  {
    file: "lib/process/http-deadline.ts",
    find: "if (outgoing.headersSent) outgoing.destroy();",
    replace: "",
    breaks: "an answer that has begun hangs for ever",
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

export const borderMutants: readonly Mutant[] = [...questions, ...memory, ...tokens, ...callers, ...reading];
