// Mistakes in what an agent has for its gateway alone: who may use it, and what its compositor offers of its servers.
import type { Mutant } from "./mutant.ts";

export const compositorMutants: readonly Mutant[] = [
  {
    file: "agent-runtime/require-gateway.ts",
    find: "if (gateway === undefined) {",
    replace: "if (false) {",
    breaks: "an agent without a gateway fails instead of answering 404",
  },
  {
    file: "agent-runtime/require-gateway.ts",
    find: 'verdict.subject === gateway.subject ? undefined : "the token is another account\'s"',
    replace: "undefined",
    breaks: "any account of the cluster with a token for agents aborts their calls",
  },
  {
    file: "agent-runtime/require-gateway.ts",
    find: "if (problem !== undefined) {",
    replace: "if (token === undefined) {",
    breaks: "any token at all opens what is the gateway's",
  },
  {
    file: "agent-runtime/compositor/mounts.ts",
    find: "all.filter(({ name }) => isToolAllowed(name, server))",
    replace: "all",
    breaks: "the compositor lends tools that the agent's lists deny",
  },
  {
    file: "agent-runtime/compositor/mounts.ts",
    find: ".slice(0, maxToolsPerMount)",
    replace: ".slice(0, maxToolsPerMount + 1)",
    breaks: "one tool more than promised is lent",
  },
  {
    file: "agent-runtime/compositor/mounts.ts",
    find: "for (const uri of followed.uris()) listener.onResourceChange(server.name, { uri });",
    replace: "",
    breaks: "what changed while a server was away is never heard of",
  },
  {
    file: "agent-runtime/compositor/mounts.ts",
    find: "if (counts.size === 0) close();",
    replace: "",
    breaks: "a server is looked at for ever that nobody follows any more",
  },
  {
    file: "agent-runtime/compositor/mounted-resources.ts",
    find: "mount?.isReadable === true ?",
    replace: "mount !== undefined ?",
    breaks: "resources are read that the agent's lists deny",
  },
  {
    file: "agent-runtime/compositor/mounted-resources.ts",
    find: 'await authorizer.authorize(call, context);\n      if ("answer"',
    replace: '{ args: call.args };\n      if ("answer"',
    breaks: "nobody is asked before a resource is read",
  },
  {
    file: "agent-runtime/compositor/mounted-resources.ts",
    find: "[...resources].slice(0, maxResourcesPerMount)",
    replace: "[...resources]",
    breaks: "one server fills the list of all",
  },
  {
    file: "agent-runtime/compositor/mounted-tools.ts",
    find: "await parts.authorizer.authorize(call, context);",
    replace: "{ args };",
    breaks: "nobody is asked before a tool is called",
  },
  {
    file: "agent-runtime/compositor/mounted-tools.ts",
    find: "known?.byName.get(name) ??",
    replace: "",
    breaks: "a server that hangs holds up calls to all others",
  },
  {
    file: "agent-runtime/compositor/count-call.ts",
    find: 'if (signal.aborted) outcome = "cancelled";',
    replace: "",
    breaks: "calls that were given up count as errors of the server",
  },
];
