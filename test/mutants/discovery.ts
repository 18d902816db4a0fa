// Mistakes in discovery: who finds, lists, hears of and calls which tool, and what a call of one that is away does.
import type { Mutant } from "./mutant.ts";

export const discoveryMutants: readonly Mutant[] = [
  {
    file: "gateway/discovery/may-call.ts",
    find: "&& !deny.some(",
    replace: "&& !allow.some(",
    breaks: "an agent calls tools that its entry denies",
  },
  {
    file: "gateway/discovery/may-call.ts",
    find: "allow.length === 0 ||",
    replace: "true ||",
    breaks: "an agent calls tools that its entry does not allow",
  },
  {
    file: "gateway/discovery/may-call.ts",
    find: 'requireRole(identity, "caller")',
    replace: 'requireRole(identity, "viewer")',
    breaks: "who may only look calls tools",
  },
  {
    file: "gateway/discovery/may-call.ts",
    find: "if (server !== last) [last, judge]",
    replace: "if (last === undefined) [last, judge]",
    breaks: "what holds for the first server of a search holds for all",
  },
  {
    file: "gateway/discovery/may-call.ts",
    find: "(tool) => tool === agentTool",
    replace: "() => true",
    breaks: "an agent has tools that nobody can call",
  },
  {
    file: "gateway/discovery/reach.ts",
    find: "if (!may(server, tool)) return false;",
    replace: "",
    breaks: "everybody finds everything",
  },
  {
    file: "gateway/discovery/reach.ts",
    find: "askable(last, tool).length > 0",
    replace: "true",
    breaks: "who may ask no agent is told what its servers offer",
  },
  {
    file: "gateway/discovery/did-you-mean.ts",
    find: "{ limit: maxSuggestions + 1, accept }",
    replace: "{ limit: maxSuggestions + 1 }",
    breaks: "suggestions name tools that their caller may not call",
  },
  {
    file: "gateway/discovery/listed-tools.ts",
    find: "return [...old.tools, ...now.tools].some((tool) => may(name, tool.name));",
    replace: "return true;",
    breaks: "who may not call a server's tools hears when they change",
  },
  {
    file: "gateway/discovery/shown-tools.ts",
    find: "requester.sessionId ?? null",
    replace: "null",
    breaks: "what one session found stands in the lists of the caller's others",
  },
  {
    file: "gateway/discovery/call-tool.ts",
    find: 'requireRole(identity, "operator") === undefined',
    replace: "true",
    breaks: "a caller starts servers",
  },
];
