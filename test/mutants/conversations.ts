// Mistakes with conversations: whose they are, on the whole way of a request, and what keeps them usable. Each place that is
// given a caller is here with the caller forgotten.
import type { Mutant } from "./mutant.ts";

const callers: readonly Mutant[] = [
  {
    file: "lib/mcp/owned-id.ts",
    find: "  return id.slice(randomChars) === renderSeal(",
    replace: '  return caller === "anyone" || id.slice(randomChars) === renderSeal(',
    breaks: "where a caller was forgotten, every conversation is everybody's",
  },
  {
    file: "lib/mcp/owned-id.ts",
    find: "  return random + renderSeal(random, caller);",
    replace: "  return random;",
    breaks: "a conversation is nobody's, and its owner cannot go on with it",
  },
  {
    file: "agent-runtime/session/sessions.ts",
    find: "id !== undefined && isOwnedBy(id, caller)",
    replace: "id !== undefined",
    breaks: "a list names a conversation of another",
  },
  {
    file: "agent-runtime/conversation-routes.ts",
    find: "auth === undefined ? renderGatewaySubject(data.subject) : data.subject",
    replace: "renderGatewaySubject(data.subject)",
    breaks: "who shows an agent a token does not find their conversations",
  },
  {
    file: "lib/mcp/serve-eras.ts",
    find: 'if (callers === "anyone") return "anyone";',
    replace: 'if (callers !== undefined) return "anyone";',
    breaks: "all authenticated callers are one",
  },
  {
    file: "lib/mcp/serve-2025.ts",
    find: 'isOwnedBy(id, caller) ? await findOrResume(id, inbound) : "unknown";',
    replace: "await findOrResume(id, inbound);",
    breaks: "whoever learns a session of the 2025 era has it",
  },
  {
    file: "lib/mcp/serve-2025.ts",
    find: "isOwnedBy(id, caller) ?",
    replace: 'isOwnedBy(id, "anyone") ?',
    breaks: "an authenticated caller has no session of the 2025 era",
  },
  {
    file: "lib/mcp/serve-2025.ts",
    find: "mintOwnedId(inbound.caller)",
    replace: 'mintOwnedId("anyone")',
    breaks: "a session of the 2025 era is nobody's",
  },
  {
    file: "lib/mcp/server-2025.ts",
    find: "authInfo: renderAuthInfo(caller)",
    replace: 'authInfo: renderAuthInfo("anyone")',
    breaks: "calls of the 2025 era lose their caller",
  },
  {
    file: "lib/mcp/server-2025.ts",
    find: "caller: parseAuthInfo(extra.authInfo)",
    replace: 'caller: "anyone"',
    breaks: "handlers of the 2025 era are not told the caller",
  },
  {
    file: "lib/mcp/serve-2026.ts",
    find: "authInfo: renderAuthInfo(caller)",
    replace: 'authInfo: renderAuthInfo("anyone")',
    breaks: "calls of the 2026 era lose their caller",
  },
  {
    file: "lib/mcp/serve-2026.ts",
    find: "caller: parseAuthInfo(http?.authInfo)",
    replace: 'caller: "anyone"',
    breaks: "handlers of the 2026 era are not told the caller",
  },
  {
    file: "lib/mcp/dispatch.ts",
    find: "    caller: inbound.caller,",
    replace: '    caller: "anyone",',
    breaks: "no handler is told the caller",
  },
  {
    file: "agent-runtime/agent.ts",
    find: 'callers: config.auth === undefined ? "either" : "named",',
    replace: 'callers: "anyone",',
    breaks: "an agent with authentication has one caller",
  },
  {
    file: "lib/auth/token.ts",
    find: "subject: `${trusted.issuer} ${subject}`",
    replace: "subject: trusted.issuer",
    breaks: "all subjects of an issuer are one caller",
  },
  {
    file: "lib/auth/guard.ts",
    find: '    c.set("caller", verdict.caller);\n',
    replace: "",
    breaks: "nobody with a token is served",
  },
  {
    file: "agent-runtime/mcp-surface/send-message.ts",
    find: "    caller: caller.caller,",
    replace: '    caller: "anyone",',
    breaks: "a message goes on with the conversation of whoever",
  },
  {
    file: "agent-runtime/mcp-surface/send-message.ts",
    find: 'return failure instanceof CallerError ? "invalid" : "error";',
    replace: 'return "error";',
    breaks: "callers' own mistakes raise the alert on an agent's errors",
  },
  {
    file: "agent-runtime/mcp-surface/send-message.ts",
    find: "if (!caller.signal.aborted && !(error instanceof CallerError))",
    replace: "if (!(error instanceof CallerError))",
    breaks: "people who press Stop fill the log with warnings and stacks",
  },
  {
    file: "agent-runtime/mcp-surface/history-prompt.ts",
    find: "sessions.readPage({ sessionId, connectionId, caller }",
    replace: 'sessions.readPage({ sessionId, connectionId, caller: "anyone" }',
    breaks: "the history prompt forgets who asks",
  },
  {
    file: "agent-runtime/mcp-surface/clear-history.ts",
    find: "sessions.clear({ sessionId, connectionId, caller }",
    replace: 'sessions.clear({ sessionId, connectionId, caller: "anyone" }',
    breaks: "clear_history forgets who asks",
  },
  {
    file: "agent-runtime/session/sessions.ts",
    find: "isOwnedBy(sessionId, caller) && ",
    replace: "",
    breaks: "whoever learns a session_id has the conversation",
  },
  {
    file: "agent-runtime/session/sessions.ts",
    find: "(await findNamed(sessionId, caller)).key",
    replace: '(await findNamed(sessionId, "anyone")).key',
    breaks: "reading and clearing forget whose the conversation is",
  },
  {
    file: "agent-runtime/session/sessions.ts",
    find: "return findNamed(sessionId, caller);",
    replace: 'return findNamed(sessionId, "anyone");',
    breaks: "going on with a conversation forgets whose it is",
  },
  {
    file: "agent-runtime/session/sessions.ts",
    find: "mintOwnedId(caller)",
    replace: 'mintOwnedId("anyone")',
    breaks: "a new conversation is nobody's",
  },
  {
    file: "agent-runtime/session/sessions.ts",
    find: 'if (caller !== "anyone") return `caller ${caller.subject}`;',
    replace: 'if (caller !== "anyone") return "";',
    breaks: "authenticated callers take each other's room",
  },
];

const usable: readonly Mutant[] = [
  {
    file: "agent-runtime/loop/refusals.ts",
    find: 'error.kind === "invalid_request" || error.kind === "context_overflow"',
    replace: 'error.kind === "context_overflow"',
    breaks: "one refused image makes a conversation unusable",
  },
  {
    file: "agent-runtime/loop/refusals.ts",
    find: "await history.withdraw(messages.length - at, error.message);",
    replace: "await history.withdraw(messages.length - at - 1, error.message);",
    breaks: "what a provider refused is sent again",
  },
  {
    file: "agent-runtime/mcp-surface/record-message.ts",
    find: "if (!isRepeated(history.entries, formed)) ",
    replace: "",
    breaks: "a repeated call doubles its message",
  },
  {
    file: "agent-runtime/session/open-history.ts",
    find: "const formed = toWellFormed(entry);",
    replace: "const formed = entry;",
    breaks: "half a character makes a conversation unusable",
  },
  {
    file: "agent-runtime/image-data.ts",
    find: "header?.mimeType !== mimeType",
    replace: "header === undefined",
    breaks: "a WebP that was sent as PNG is stored, and refused ever after",
  },
  {
    file: "agent-runtime/session/transcript.ts",
    find: ", ...entries.slice(at).filter(isSummary));",
    replace: ");",
    breaks: "a summary is lost with a message that it does not stand for",
  },
  {
    file: "agent-runtime/session/transcript.ts",
    find: "Math.min(summary.covers - 1, ",
    replace: "Math.max(summary.covers - 1, ",
    breaks: "a turn that a summary cuts loses its question after a restart",
  },
  {
    file: "agent-runtime/session/history-folder.ts",
    find: "covers: entry.covers + skipped",
    replace: "covers: entry.covers",
    breaks: "a later summary stands for the wrong messages",
  },
  {
    file: "agent-runtime/session/history-folder.ts",
    find: "if (textBytes > maxBytesPerConversation) throw",
    replace: "if (textBytes >= maxBytesPerConversation) throw",
    breaks: "a history is full one byte too early",
  },
  {
    file: "agent-runtime/session/retention.ts",
    find: "nowMs - usedAtMs >= limits.protectedMs",
    replace: "true",
    breaks: "a flood of messages takes the conversations of others",
  },
  {
    file: "agent-runtime/session/retention.ts",
    find: "neededBytes = take(victims, neededBytes, (use) => use.owner === owner);",
    replace: "",
    breaks: "a writer's own conversations stay and others' go",
  },
  {
    file: "agent-runtime/session/image-files.ts",
    find: "      if (needed.has(sha256)) continue;\n",
    replace: "",
    breaks: "an image goes before the entry that names it is written",
  },
];

export const conversationMutants = [...callers, ...usable];
