// Mistakes in the tester: who tries which server, whose a session and its questions are, and how much is kept and left running.
import type { Mutant } from "./mutant.ts";

export const testerMutants: readonly Mutant[] = [
  {
    file: "gateway/tester/tester.ts",
    find: "if (refusal !== undefined) throw",
    replace: "if (refusal?.status === 401) throw",
    breaks: "anybody who is known calls tools by the tester",
  },
  {
    file: "gateway/tester/tester.ts",
    find: "server === undefined || !seesServer(caller, server.name)",
    replace: "server === undefined",
    breaks: "who is narrowed to some servers tries the others",
  },
  {
    file: "gateway/tester/transients.ts",
    find: "found === undefined || found.subject !== subject",
    replace: "found === undefined",
    breaks: "a handle that was seen is good for anybody",
  },
  {
    file: "gateway/tester/caller-routes.ts",
    find: "if (key === undefined) return sessions.of(caller.subject);",
    replace: 'if (key === undefined) return [...sessions.of(caller.subject), ...sessions.of("alice")];',
    breaks: "one caller reads and answers another's questions",
  },
  {
    file: "gateway/tester/questions.ts",
    find: "      judgeAnswer(found.question, answer);\n",
    replace: "",
    breaks: "a server gets an answer that does not fit what it asked for",
  },
  {
    file: "gateway/tester/entries.ts",
    find: "kept.length > maxEntries",
    replace: "kept.length > maxEntries + 1",
    breaks: "more is kept of what a server says than is promised",
  },
  {
    file: "gateway/tester/export.ts",
    find: "${url.origin}${url.pathname}",
    replace: "${url.href}",
    breaks: "an export holds the secret of a URL's query",
  },
  {
    file: "gateway/tester/command-servers.ts",
    find: "createdAt + maxLifetimeMs <= clock.wallNow()",
    replace: "createdAt + maxLifetimeMs < 0",
    breaks: "what a gateway that died left behind runs for ever",
  },
  {
    file: "gateway/tester/sessions.ts",
    find: "own.size >= maxPerCaller",
    replace: "own.size > maxPerCaller",
    breaks: "a caller has more sessions than is promised",
  },
  {
    file: "lib/mcp/witness.ts",
    find: "wasLast && call.expired() !== undefined",
    replace: "wasLast && false",
    breaks: "a question outlives the call that was given up",
  },
];
