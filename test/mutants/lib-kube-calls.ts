// Mistakes in what the kernel sends to the API server: how an object is written and compared, who may write, and how calls
// and Events fail. The rest of the kernel's are in lib-kube.ts.
import type { Mutant } from "./mutant.ts";

const writing: readonly Mutant[] = [
  {
    file: "lib/kube/apply.ts",
    find: "await this.#write(request, { resourceVersion: versionOfNone })",
    replace: "await this.#write(request, {})",
    breaks: "an object that somebody else made a moment before is taken over instead of being a conflict",
  },
  {
    file: "lib/kube/apply.ts",
    find: "await this.#write(request, { uid: live.metadata.uid }, live)",
    replace: "await this.#write(request, {}, live)",
    breaks: "an object that was deleted and made anew by somebody else since the cache saw it is overwritten",
  },
  {
    file: "lib/kube/apply.ts",
    find: "if (!ours(live)) {",
    replace: "if (!ours(live) && live.metadata.deletionTimestamp !== undefined) {",
    breaks: "a Service or Deployment of somebody else with the name of an agent is overwritten",
  },
  {
    file: "lib/kube/apply.ts",
    find: "await request.beforeWrite?.(",
    replace: "void request.beforeWrite?.(",
    breaks: "children of an owner that was deleted a moment ago are made again",
  },
  {
    file: "lib/kube/apply.ts",
    find: "        preconditions: { uid: object.metadata.uid },\n",
    replace: "",
    breaks: "a deletion also hits an object that has taken the name since",
  },
  {
    file: "lib/kube/apply.ts",
    find: "this.#settled.get(live.metadata.uid) !== hashOf([stamped, found])",
    replace: "!this.#settled.has(live.metadata.uid)",
    breaks: "edits by hand of an object that a webhook once changed are never undone",
  },
  {
    file: "lib/kube/apply.ts",
    find: "    this.#settled.set(uid, hashOf([stamped, found]));\n",
    replace: "",
    breaks: "an object that a webhook changes is written again without end",
  },
  {
    file: "lib/kube/apply.ts",
    find: "if (tracker?.isBehind(type, keyOf(desired)) === true) {",
    replace: "if (tracker?.isBehind(type, keyOf(desired)) === false) {",
    breaks: "what was just written is judged by a cache from before it, and written again",
  },
  {
    file: "lib/kube/apply.ts",
    find: "const patch = live && isInvalid(refusal) ? renderKeyPatch(desired, live) : undefined;",
    replace: "const patch = live && isConflict(refusal) ? renderKeyPatch(desired, live) : undefined;",
    breaks: "a port of a Service that was edited by hand stays as it is, and the agent is faulty for good",
  },
  {
    file: "lib/kube/edited-keys.ts",
    find: '    { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },\n',
    replace: "",
    breaks: "a patch made for one version of an object hits the wrong port of a later one",
  },
  {
    file: "lib/kube/edited-keys.ts",
    find: 'const keys = ["port", "containerPort", "protocol"];',
    replace: 'const keys = ["port", "containerPort"];',
    breaks: "a port that was edited to UDP stays so",
  },
  {
    file: "lib/kube/compare.ts",
    find: "if (desired.length !== live.length) found.push",
    replace: "if (desired.length > live.length) found.push",
    breaks: "an argument that somebody appended to a container stays",
  },
  {
    file: "lib/kube/compare.ts",
    find: "else from = match + 1;",
    replace: "else from = 0;",
    breaks: "environment variables in another order, which changes what they expand to, go unnoticed",
  },
  {
    file: "lib/kube/compare.ts",
    find: "at.whole ? new Set([...Object.keys(desired), ...Object.keys(live)]) : Object.keys(desired)",
    replace: "Object.keys(desired)",
    breaks: "a label that somebody added to a Service's selector stays, and the Service has no pods",
  },
  {
    file: "lib/kube/merge-rules.ts",
    find: '  "podSelector",\n',
    replace: "",
    breaks: "a NetworkPolicy whose podSelector was edited by hand no longer protects the agent, and stays so",
  },
  {
    file: "lib/kube/merge-rules.ts",
    find: '["protocol", "TCP"]',
    replace: '["protocol", "UDP"]',
    breaks: "a NetworkPolicy is written again although the server only filled in a default",
  },
  {
    file: "lib/kube/status.ts",
    find: "const metadata = { name, uid, ...defined(",
    replace: "const metadata = { name, ...defined(",
    breaks: "the status of a deleted agent is written onto a new one of its name, or makes one",
  },
  {
    file: "lib/kube/status.ts",
    find: "await request.beforeWrite?.();",
    replace: "void request.beforeWrite?.();",
    breaks: "the status of an agent that was edited a moment ago tells of its former spec",
  },
  {
    file: "lib/kube/status.ts",
    find: "    tracker?.wrote(type, written);\n",
    replace: "",
    breaks: "a reconcile runs on a cache from before its own last status, and reports a change twice",
  },
  {
    file: "lib/kube/status.ts",
    find: 'if (isNotFound(error)) return "gone";',
    replace: 'if (isNotFound(error)) return "written";',
    breaks: "an agent that was deleted meanwhile counts as one whose status was written",
  },
];

const leading: readonly Mutant[] = [
  {
    file: "lib/kube/election.ts",
    find: "return this.#clock.now() >= since + this.#beliefMs(record);",
    replace: 'return this.#clock.wallNow() >= Date.parse(record.renewedAt ?? "") + this.#beliefMs(record);',
    breaks: "two operators lead at once where the clocks of two nodes differ",
  },
  {
    file: "lib/kube/election.ts",
    find: "this.#validUntil = startedAt + this.#timing.renewDeadlineMs;",
    replace: "this.#validUntil = this.#clock.now() + this.#timing.renewDeadlineMs;",
    breaks: "an operator whose renewal was answered late writes while another may lead",
  },
  {
    file: "lib/kube/election.ts",
    find: "      this.#discount();\n",
    replace: "",
    breaks: "an outage of the API server counts as a standstill of the leader, who is deposed",
  },
  {
    file: "lib/kube/election.ts",
    find: "if (this.#mayWriteLand) {",
    replace: "if (this.#writesUnderWay > 0) {",
    breaks: "a write that was given up without an answer lands after the next leader has begun",
  },
  {
    file: "lib/kube/election.ts",
    find: "lease?.record.holder === this.#options.identity && lease.record.transitions === mine?.transitions;",
    replace: "lease?.record.holder === this.#options.identity;",
    breaks: "an operator goes on with old decisions although another one has led in between",
  },
  {
    file: "lib/kube/election.ts",
    find: "since: same && this.#observed ? this.#observed.since : now,",
    replace: "since: this.#observed ? this.#observed.since : now,",
    breaks: "a leader that renews its lease is deposed all the same",
  },
  {
    file: "lib/kube/election.ts",
    find: "      leadership.abort(lost);\n",
    replace: "",
    breaks: "an operator that was replaced keeps working until it is killed",
  },
  {
    file: "lib/kube/fence.ts",
    find: "remainingMs() > 0 ? undefined",
    replace: "remainingMs() >= 0 ? undefined",
    breaks: "a write starts at the very moment at which the lease is no longer ours",
  },
  {
    file: "lib/kube/fence.ts",
    find: "mayStart: () => mayStart() ?? call.mayStart?.()",
    replace: "mayStart: () => call.mayStart?.()",
    breaks: "a write that waited for a connection is sent after the lease was lost",
  },
  {
    file: "lib/kube/fence.ts",
    find: "Math.min(call.timeoutMs ?? Number.POSITIVE_INFINITY, remainingMs())",
    replace: "call.timeoutMs ?? remainingMs()",
    breaks: "a slow write goes on after the lease was lost",
  },
];

const talking: readonly Mutant[] = [
  {
    file: "lib/kube/events.ts",
    find: "cutToBytes(mask(message), maxNoteBytes)",
    replace: "cutToBytes(message, maxNoteBytes)",
    breaks: "a token in an error's message can be read in an Event",
  },
  {
    file: "lib/kube/events.ts",
    find: "this.#waiting.size >= maxWaitingEvents",
    replace: "this.#waiting.size > maxWaitingEvents",
    breaks: "more Events wait than the limit says",
  },
  {
    file: "lib/kube/events.ts",
    find: "    this.#sending = undefined;\n",
    replace: "",
    breaks: "after the first Events no more are sent",
  },
  {
    file: "lib/kube/events.ts",
    find: "        series.name = undefined; // The server keeps Events for an hour or so.\n",
    replace: '        return "updated";\n',
    breaks: "what goes on for longer than the server keeps Events is not seen any more",
  },
  {
    file: "lib/kube/events.ts",
    find: "lastAt - known.lastAt <= sameWithinMs",
    replace: "lastAt - known.lastAt >= 0",
    breaks: "what happens again on another day is counted in the old Event instead of being a new one",
  },
  {
    file: "lib/kube/transport.ts",
    find: "if (pauseMs === undefined || pauseMs >= deadline.remainingMs) throw error;",
    replace: "if (pauseMs === undefined) throw error;",
    breaks: "a call waits in vain until its deadline, and the server's own reason is lost",
  },
  {
    file: "lib/kube/transport.ts",
    find: "error.status !== 429 && (error.status !== 503 || asked === undefined)",
    replace: "error.status !== 429 && error.status !== 503",
    breaks: "a server that is down is tried by each call five times",
  },
  {
    file: "lib/kube/transport.ts",
    find: "if (error.status === 401 && attempt === 1) return 0;",
    replace: "if (error.status === 401) return undefined;",
    breaks: "each renewal of a service account's token makes calls fail",
  },
  {
    file: "lib/kube/transport.ts",
    find: "      deadline.restart(call.inactivityMs);\n",
    replace: "",
    breaks: "every watch without news ends after seconds",
  },
  {
    file: "lib/kube/transport.ts",
    find: "      await lines.return(undefined);\n",
    replace: "",
    breaks: "watches that nobody reads keep their connections",
  },
  {
    file: "lib/kube/transport.ts",
    find: "attempt >= (this.#options.maxTries ?? defaultMaxTries)",
    replace: "attempt > (this.#options.maxTries ?? defaultMaxTries)",
    breaks: "an overloaded server is asked more often than the limit says",
  },
  {
    file: "lib/kube/transport.ts",
    find: "return (asked ?? defaultRetryAfterMs) * (1 + 0.2 * Math.random());",
    replace: "return defaultRetryAfterMs * (1 + 0.2 * Math.random());",
    breaks: "a Retry-After of the server is not obeyed",
  },
];

export const callMutants: readonly Mutant[] = [...writing, ...leading, ...talking];
