// Mistakes in `pallas`: processes that are lost or kept, terminals that obey a stranger, tokens that go elsewhere.
import type { Mutant } from "./mutant.ts";

const upMutants: readonly Mutant[] = [
  {
    file: "cli/up/ports.ts",
    find: "if (before !== undefined && !holders.has(before)) give(key, before);",
    replace: "",
    breaks: "an agent's URL moves when another agent comes or goes",
  },
  {
    file: "cli/up/ports.ts",
    find: "if (next <= lastPort) give(key, next);",
    replace: "if (next <= lastPort + 1) give(key, next);",
    breaks: "an agent is given a port that there is not",
  },
  {
    file: "cli/up/addresses.ts",
    find: 'isIP(host) === 4 && host.startsWith("127.")',
    replace: 'host.startsWith("127.")',
    breaks: "a name that begins like a loopback address makes others callers without a token",
  },
  {
    file: "cli/up/addresses.ts",
    find: 'new Set(["0.0.0.0", "::"])',
    replace: 'new Set(["0.0.0.0"])',
    breaks: "with --host :: the catalogue names an address that nobody reaches",
  },
  {
    file: "cli/up/caller-token.ts",
    find: "if (isLoopback(host) || isOpen) return undefined;",
    replace: "if (!isLoopback(host) || isOpen) return undefined;",
    breaks: "other machines call agents without a token",
  },
  {
    file: "cli/up/caller-token.ts",
    find: 'if (kept !== "") return { file };',
    replace: "",
    breaks: "each start takes the token away from the clients that have it",
  },
  {
    file: "cli/up/child-process.ts",
    find: "if (!taken.has(port)) return port;",
    replace: "return port;",
    breaks: "a process takes the port that is promised to an agent",
  },
  {
    file: "cli/up/child-process.ts",
    find: "Math.min(graceMs, hurriedGraceMs)",
    replace: "graceMs",
    breaks: "a stop that was hurried waits for the whole drain time",
  },
  {
    file: "cli/up/child-output.ts",
    find: "rest.length >= maxLineChars; rest",
    replace: "rest.length >= Infinity; rest",
    breaks: "a process that writes no line break fills the memory",
  },
  {
    file: "cli/up/child-output.ts",
    find: 'if (rest !== "") onLine(rest);',
    replace: "",
    breaks: "the last words of a process that crashed are lost",
  },
  {
    file: "cli/up/child-output.ts",
    find: 'line.trim() !== "" && !/^(\\s|\\}|Node\\.js v)/.test(line)',
    replace: 'line.trim() !== ""',
    breaks: "a crash is reported by a stack frame or by Node's version",
  },
  {
    file: "cli/up/state-folder.ts",
    find: "(await identityOf(pid)) === identity ? pid : undefined",
    replace: "pid",
    breaks: "another program with the number of one that was killed keeps pallas up from starting",
  },
  {
    file: "cli/up/state-folder.ts",
    find: "if (holder !== undefined) throw lockedError(holder, path);",
    replace: "",
    breaks: "two pallas up work on one folder",
  },
  {
    file: "cli/up/state-folder.ts",
    find: "`_${encodeURIComponent(text)}`",
    replace: "`_${text}`",
    breaks: "a namespace leads out of the state folder",
  },
  {
    file: "cli/up/state-folder.ts",
    find: "await chmod(path, 0o700);",
    replace: "",
    breaks: "other users of the machine read the keys",
  },
  {
    file: "cli/up/runner.ts",
    find: "if (readyForMs >= runnerLimits.steadyAfterMs) backoff.reset();",
    replace: "backoff.reset();",
    breaks: "a process that crashes at once is started every second for ever",
  },
  {
    file: "cli/up/runner.ts",
    find: "if (clock.now() >= deadlineMs) return",
    replace: "if (clock.now() > deadlineMs) return",
    breaks: "a process that does not get ready is waited for beyond its time",
  },
  {
    file: "cli/up/runner.ts",
    find: "isHung ? hungGraceMs : plan.stopGraceMs",
    replace: "plan.stopGraceMs",
    breaks: "an agent that hangs is started again after its drain time only",
  },
  {
    file: "cli/up/watch-process.ts",
    find: "(await observeLiveness(signal)) ? 0 : silences + 1",
    replace: "(await observeLiveness(signal)) ? silences : silences + 1",
    breaks: "an agent that was slow three times in a day is started again",
  },
  {
    file: "cli/up/watch-process.ts",
    find: "(wasSilent || looks % looksPerHealth === 0)",
    replace: "looks % looksPerHealth === 0",
    breaks: "an agent that answers again is shown as silent for a while",
  },
  {
    file: "cli/up/supervisor.ts",
    find: "if (next?.fingerprint === running.item.fingerprint) {",
    replace: "if (next === undefined) {",
    breaks: "each edit restarts every agent",
  },
  {
    file: "cli/up/supervisor.ts",
    find: "!held.has(item.port)) this.#start(item);",
    replace: "true) this.#start(item);",
    breaks: "an agent is started on the port of one that still ends its calls",
  },
  {
    file: "cli/up/stop-order.ts",
    find: "...waves.toReversed()];",
    replace: "...waves];",
    breaks: "Ctrl-C ends first what others use",
  },
  {
    file: "cli/up/desired.ts",
    find: "const port = keptRunnable.get(keyOf(agent))?.port ?? agent.spec.port;",
    replace: "const port = agent.spec.port;",
    breaks: "a faulty edit moves an agent that keeps running",
  },
  {
    file: "cli/up/desired.ts",
    find: ".update(JSON.stringify([port, runConfig, variables]))",
    replace: ".update(JSON.stringify([port, runConfig]))",
    breaks: "an edit of .env does not reach the agents that use it",
  },
  {
    file: "cli/up/desired.ts",
    find: "severalPods: false",
    replace: "severalPods: live.severalPods",
    breaks: "an agent for two pods forgets sessions on a laptop",
  },
  {
    file: "cli/up/remembered-ports.ts",
    find: "if (found.registryPort !== registryPort) return nothing;",
    replace: "",
    breaks: "agents stay beside the old port when --port names another",
  },
  {
    file: "cli/up/run-files.ts",
    find: "!entry.isDirectory() && !wanted.has(path)",
    replace: "false",
    breaks: "a key that was taken out of the manifests stays on the disk",
  },
  {
    file: "cli/up/run-files.ts",
    find: "found?.equals(contents) !== true",
    replace: "contents.length >= 0",
    breaks: "each edit makes agents read all of their files again",
  },
  {
    file: "cli/up/signals.ts",
    find: "if (canHurry && !hurried.signal.aborted)",
    replace: "if (canHurry)",
    breaks: "a third Ctrl-C does nothing",
  },
  {
    file: "cli/up/agent-status.ts",
    find: 'state?.phase === "failing" || state?.health === "unreachable"',
    replace: 'state?.phase === "failing"',
    breaks: "an agent that does not answer has the health that it had",
  },
  {
    file: "cli/up/agent-status.ts",
    find: 'finding("Ready", false, "NotReady", invalid.message)',
    replace: 'finding("Ready", false, "NotReady", "")',
    breaks: "the chat says that an agent is not ready, and not why",
  },
];

const chatMutants: readonly Mutant[] = [
  {
    file: "cli/plain-text.ts",
    find: '.replaceAll(sequence, "")',
    replace: "",
    breaks: "a model's answer leaves halves of control sequences in the terminal",
  },
  {
    file: "cli/plain-text.ts",
    find: "[\\p{Cc}\\p{Bidi_Control}]",
    replace: "[\\p{Cc}]",
    breaks: "an answer turns the direction of writing round",
  },
  {
    file: "cli/fit-width.ts",
    find: "if (width > columns - 1) break;",
    replace: "if (width > columns) break;",
    breaks: "a line that is cut is one column too wide and breaks the table",
  },
  {
    file: "cli/chat/token-scope.ts",
    find: "if (agent.hostname !== registry.hostname)",
    replace: "if (!agent.hostname.startsWith(registry.hostname))",
    breaks: "the token goes to a host whose name begins like the registry's",
  },
  {
    file: "cli/chat/token-scope.ts",
    find: 'registry.protocol === "https:" && agent.protocol !== "https:"',
    replace: "false",
    breaks: "the token goes over the wire in the open",
  },
  {
    file: "cli/chat/conversation.ts",
    find: 'if (error.kind === "unreachable") throw error;',
    replace: "",
    breaks: "a message that an agent may have taken is sent a second time",
  },
  {
    file: "cli/chat/conversation.ts",
    find: 'if (typeof named === "string") sessionId = named;',
    replace: "",
    breaks: "each message of a chat begins a new conversation",
  },
  {
    file: "cli/chat/conversation.ts",
    find: "sessionId = undefined;\n      await link.drop();",
    replace: "await link.drop();",
    breaks: "/new goes on with the old conversation",
  },
  {
    file: "cli/chat/live-answer.ts",
    find: "answer.isError || !isFaithful || !answer.text.startsWith(soFar)",
    replace: "answer.isError",
    breaks: "an answer with a gap is left with it",
  },
  {
    file: "cli/chat/markdown-blocks.ts",
    find: 'if (!afterBlank || inFence || beginning === "" ||',
    replace: 'if (!afterBlank || beginning === "" ||',
    breaks: "code with an empty line is shown in two halves",
  },
  {
    file: "cli/chat/catalogue.ts",
    find: "runtime === undefined || runtime.readyReplicas > 0",
    replace: "runtime !== undefined && runtime.readyReplicas > 0",
    breaks: "agents of another registry cannot be talked to",
  },
  {
    file: "cli/read-bounded.ts",
    find: "if (found.size > maxBytes)",
    replace: "if (found.size > maxBytes + 1)",
    breaks: "an image that agents refuse is read and sent",
  },
  {
    file: "cli/read-bounded.ts",
    find: "if (size > maxBytes)",
    replace: "if (size > maxBytes + 1)",
    breaks: "more than an agent takes is read from a pipe",
  },
  {
    file: "cli/chat/slash-commands.ts",
    find: "argument: argument.trim() };",
    replace: "argument };",
    breaks: "an image whose path is followed by a space is not found",
  },
];

const trustMutants: readonly Mutant[] = [
  {
    file: "cli/up/trust.ts",
    find: 'return before === digest ? "allowed" : "changed";',
    replace: 'return "allowed";',
    breaks: "whatever an edit puts in the place of an allowed program is started",
  },
  {
    file: "cli/up/trust.ts",
    find: "placeOf(program), program.env]",
    replace: "placeOf(program)]",
    breaks: "an allowed program is started with other variables",
  },
];

export const commandLineMutants: readonly Mutant[] = [...upMutants, ...trustMutants, ...chatMutants];
