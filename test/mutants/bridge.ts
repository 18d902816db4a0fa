// Mistakes in what a bridge does with its server's processes, what it says of them, and whose answer goes to whom.
import type { Mutant } from "./mutant.ts";

export const bridgeMutants: readonly Mutant[] = [
  {
    file: "bridge/stdio/shown-text.ts",
    find: "text.endsWith(value.slice(0, chars))",
    replace: "false",
    breaks: "the beginning of a secret stands at the cut of a long line",
  },
  {
    file: "bridge/stdio/shown-text.ts",
    find: "(left, value) => left.replaceAll(value,",
    replace: "(left, value) => left.replace(value,",
    breaks: "a secret is hidden once in a line, and shown the second time",
  },
  {
    file: "bridge/stdio/starts.ts",
    find: "renderProblem(answer.message, process.showText)",
    replace: "renderProblem(answer.message, String)",
    breaks: "a secret that the server repeats in its refusal is in health and log",
  },
  {
    file: "bridge/stdio/telling-line.ts",
    find: "said.findLast((line) => saysWhy.test(line)) ?? said.at(-1)",
    replace: "lines.at(-1)",
    breaks: "a package that does not exist is explained by where npm keeps its log",
  },
  {
    file: "bridge/stdio/starts.ts",
    find: "this.#retryAt === undefined || waitMs <= 0",
    replace: "this.#retryAt !== undefined || waitMs <= 0",
    breaks: "a server that exits at once is started by every request",
  },
  {
    file: "bridge/stdio/child-process.ts",
    find: '  killGroup(child, "SIGKILL");\n  // One that left',
    replace: "  // One that left",
    breaks: "what a server forked outlives it",
  },
  {
    file: "bridge/places.ts",
    find: "      if (taken >= max) {",
    replace: "      if (taken > max) {",
    breaks: "one session too many is opened",
  },
  {
    file: "bridge/stdio-server.ts",
    find: "const maxSharedSessions = 256;",
    replace: "const maxSharedSessions = 257;",
    breaks: "one session too many shares a process",
  },
  {
    file: "bridge/shared/shared-server.ts",
    find: "const own = (live.lastId += 1);\n    const token",
    replace: "const own = Number(id);\n    const token",
    breaks: "sessions that share a process hear each other's answers",
  },
  {
    file: "bridge/relay/session.ts",
    find: 'this.#calls.endAll("lost", ({ id }) => renderError(id, code, message));',
    replace: "",
    breaks: "calls in flight wait for a killed process until their deadlines",
  },
  {
    file: "bridge/pipes/supervisor-link.ts",
    find: " || this.#control.socket.writableLength > maxUnreadBytes",
    replace: "",
    breaks: "a server that invents events fills the bridge's memory",
  },
  {
    file: "bridge/relay/session.ts",
    find: "this.#calls.size >= sessionLimits.maxCalls",
    replace: "this.#calls.size > sessionLimits.maxCalls",
    breaks: "a session has one request more than it may",
  },
  {
    file: "bridge/environment.ts",
    find: '    return { PATH, LANG: "C.UTF-8", ...Object.fromEntries([...inherited, ...folders]) };',
    replace:
      '    return { ...own, PATH, LANG: "C.UTF-8", ...Object.fromEntries([...inherited, ...folders]) } as Record<string, string>;',
    breaks: "a server finds the bridge's own variables",
  },
];
