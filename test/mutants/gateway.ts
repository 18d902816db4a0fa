// Mistakes in the gateway: whom it lets in and what they see, what goes on to agents, what is written, and which sessions
// outlive the process.
import type { Mutant } from "./mutant.ts";

const verifiedTokens: readonly Mutant[] = [
  {
    file: "lib/process/request-origin.ts",
    find: 'scheme === "https" ? "https" : "http"',
    replace: 'scheme ?? "http"',
    breaks: "a header decides by what a client is sent to sign in",
  },
  {
    file: "lib/auth/verified-tokens.ts",
    find: "known.keySet === keySet && ",
    replace: "",
    breaks: "a token is good after its issuer has taken the key away",
  },
  {
    file: "lib/auth/verified-tokens.ts",
    find: "&& nowMs < endsAtMs",
    replace: "&& nowMs <= endsAtMs",
    breaks: "a token is good for longer than it says",
  },
  {
    file: "lib/auth/verified-tokens.ts",
    find: 'createHash("sha256").update(token)',
    replace: 'createHash("sha256").update(token.slice(token.lastIndexOf(".")))',
    breaks: "a signature that was good once vouches for any claims",
  },
  {
    file: "lib/auth/verified-tokens.ts",
    find: "verified.size > maxVerifiedTokens",
    replace: "verified.size < 0",
    breaks: "memory grows with each token that was ever good",
  },
];

const sessions: readonly Mutant[] = [
  {
    file: "gateway/kept-sessions.ts",
    find: "texts.length === maxKeptSessions ||",
    replace: "texts.length > maxKeptSessions ||",
    breaks: "one session more than promised is kept, and the next process drops them all",
  },
  {
    file: "gateway/kept-sessions.ts",
    find: "bytes > leftBytes",
    replace: "bytes > maxFileBytes",
    breaks: "the file of sessions grows until the pod's volume is full",
  },
  {
    file: "gateway/kept-sessions.ts",
    find: "Buffer.byteLength(kept.text)",
    replace: "kept.text.length",
    breaks: "names that are not ASCII make the file larger than is read again",
  },
  {
    file: "gateway/replaced-file.ts",
    find: "if (size > maxBytes)",
    replace: "if (size < 0)",
    breaks: "a file of any size is read into memory at the start",
  },
  {
    file: "gateway/kept-sessions.ts",
    find: "    sessions.delete(sessionId);\n    sessions.set",
    replace: "    sessions.set",
    breaks: "a session that is in use is forgotten before one that nobody uses",
  },
  {
    file: "gateway/kept-sessions.ts",
    find: "if (isDirty) note();",
    replace: "",
    breaks: "what changes while the file is written is not in it",
  },
  {
    file: "gateway/kept-sessions.ts",
    find: "if (isDirty) await write();",
    replace: "",
    breaks: "the last changes before a shutdown are lost",
  },
  {
    file: "gateway/replaced-file.ts",
    find: "{ mode: 0o600, flush: durable }",
    replace: "{ flush: durable }",
    breaks: "other users of the machine read which sessions there are",
  },
  {
    file: "gateway/kept-sessions.ts",
    find: "if (sessions.delete(sessionId)) note();",
    replace: "sessions.delete(sessionId);",
    breaks: "a session that its client ended is there again after a restart",
  },
  {
    file: "gateway/gateway.ts",
    find: "async (id) => keptSessions.isKnown(id)",
    replace: "async () => true",
    breaks: "a client makes up session ids and fills the gateway with them",
  },
  {
    file: "gateway/gateway.ts",
    find: "    keptSubscriptions: keptSessions,\n",
    replace: "",
    breaks: "a session that goes on over a restart hears nothing",
  },
  {
    file: "lib/mcp/serve-2025.ts",
    find: "if (response.ok) onSessionOpen?.(own.id);",
    replace: "",
    breaks: "clients that subscribe to nothing lose their sessions with a restart",
  },
];

const visible: readonly Mutant[] = [
  {
    file: "gateway/management/access.ts",
    find: 'if (identity.kind === "agent") return identity.agent === name;',
    replace: 'if (identity.kind === "agent") return true;',
    breaks: "an agent sees the others",
  },
  {
    file: "gateway/management/access.ts",
    find: "isViewer(identity) && isVisible(identity.agents, name, matchesToolPattern)",
    replace: "isViewer(identity)",
    breaks: "a role that is narrowed to some agents sees all of them",
  },
  {
    file: "gateway/management/access.ts",
    find: "isViewer(identity) && isVisible(identity.servers, name, matchesToolPattern)",
    replace: "isViewer(identity)",
    breaks: "a role that is narrowed to some servers sees all of them",
  },
  {
    file: "gateway/management/agents/asked-conversations.ts",
    find: "`${agent} ${subject}`",
    replace: "`${agent} ${typeof subject}`",
    breaks: "a person is shown somebody else's conversations",
  },
  {
    file: "gateway/management/resources/own-changes.ts",
    find: "identityOf(other).subject === identity.subject",
    replace: "identityOf(other).kind === identity.kind",
    breaks: "everybody hears when somebody talks to an agent",
  },
  {
    file: "gateway/management/resources/conversations.ts",
    find: 'scope !== "shared" || ',
    replace: 'scope === "shared" || ',
    breaks: "who may only look on reads what callers said",
  },
  {
    file: "gateway/forwarded-token.ts",
    find: "claims?.iss !== jwt.issuer ||",
    replace: "",
    breaks: "an agent gets the token of a ServiceAccount and acts as its owner",
  },
  {
    file: "gateway/forwarded-token.ts",
    find: " || [claims.aud ?? []].flat().includes(audience)",
    replace: "",
    breaks: "an agent gets a token that is good at the gateway",
  },
  {
    file: "gateway/name-caller.ts",
    find: 'if (forwarded === undefined) c.req.raw.headers.delete("authorization");',
    replace: "",
    breaks: "what is behind the guard finds a token that it may not have",
  },
  {
    file: "gateway/name-caller.ts",
    find: "const isReady = observeUnready() === undefined;",
    replace: "const isReady = true;",
    breaks: "right after a start everybody is told that their token is invalid",
  },
  {
    file: "gateway/mcp-deadline.ts",
    find: "endsWithToken ?",
    replace: "!endsWithToken && expiresAtMs !== undefined ?",
    breaks: "a stream of changes goes on after its token has ended",
  },
  {
    file: "lib/mcp/in-flight.ts",
    find: "if (!isStreamOfChanges(c.req.raw)) {",
    replace: "if (c.req.raw.method !== undefined) {",
    breaks: "a shutdown waits for streams that have no end",
  },
  {
    file: "gateway/hosts.ts",
    find: "...(podIp === undefined ? [] : [podIp]), ",
    replace: "",
    breaks: "probes that use the pod's address are refused",
  },
  {
    file: "gateway/app.ts",
    find: "  app.use(managementPath, requireViewer(metrics.countRefused));\n",
    replace: "",
    breaks: "whoever has a token but no role reaches the management server",
  },
];

const proxy: readonly Mutant[] = [
  {
    file: "gateway/proxy/find-agent.ts",
    find: "agent === undefined || !isVisible(globs, name, matchesToolPattern)",
    replace: "agent === undefined",
    breaks: "a role that is narrowed to some agents reaches all of them",
  },
  {
    file: "gateway/proxy/find-agent.ts",
    find: "endpoint === undefined || isDown === true",
    replace: "endpoint === undefined",
    breaks: "a call to an agent that is down waits for a connection instead of a 503",
  },
  {
    file: "gateway/proxy/forwarded-headers.ts",
    find: "[callerHeader]: renderCaller(subject),\n    ...(authorization",
    replace: "...(authorization",
    breaks: "everybody who comes through the gateway shares one agent's conversations",
  },
  {
    file: "gateway/proxy/forwarded-headers.ts",
    find: "|| ofConnection.has(name)",
    replace: "",
    breaks: "what a client says to the gateway alone goes on to the agent",
  },
  {
    file: "gateway/proxy/forwarded-headers.ts",
    find: "wanted.has(name) || isOfProtocol(name)",
    replace: 'name !== "authorization"',
    breaks: "cookies and forwarding headers go on to agents",
  },
  {
    file: "gateway/proxy/places.ts",
    find: "own >= maxPerCaller",
    replace: "own > maxPerCaller",
    breaks: "one caller has one request more than promised",
  },
  {
    file: "gateway/proxy/places.ts",
    find: "total >= maxExchanges",
    replace: "total > maxExchanges",
    breaks: "one request more than promised runs",
  },
  {
    file: "gateway/proxy/places.ts",
    find: "if (released) return;",
    replace: "",
    breaks: "a place that is given back twice lets more in than promised",
  },
  {
    file: "gateway/proxy/exchange.ts",
    find: "if (bytes > maxBytes) throw new BodyTooLarge();",
    replace: "",
    breaks: "a body without a declared length has no limit",
  },
  {
    file: "gateway/proxy/exchange.ts",
    find: "if (aborted && reason instanceof LateAnswer) {",
    replace: "if (aborted && reason === undefined) {",
    breaks: "an agent that begins no answer looks like a client that has left",
  },
  {
    file: "gateway/proxy/exchange.ts",
    find: "          destroyAnswer();\n",
    replace: "",
    breaks: "a client takes the part of an answer for the whole",
  },
  {
    file: "gateway/proxy/exchange.ts",
    find: "    { highWaterMark: 0 },\n",
    replace: "    { highWaterMark: 1_000_000 },\n",
    breaks: "an answer that nobody reads is gathered in the gateway's memory",
  },
  {
    file: "gateway/proxy/proxy.ts",
    find: 'if (identity.kind !== "agent") return await next();',
    replace: "",
    breaks: "a person who asks for the management server is sent to a compositor",
  },
  {
    file: "gateway/proxy/proxy.ts",
    find: 'requireRole(identity, "caller")',
    replace: 'requireRole(identity, "viewer")',
    breaks: "who may only look talks to agents",
  },
  {
    file: "gateway/proxy/proxy.ts",
    find: "return await readAgentsToken();",
    replace: "return undefined;",
    breaks: "a compositor turns its own gateway away",
  },
  {
    file: "gateway/proxy/proxy.ts",
    find: "prepared.isStream ? identity.expiresAtMs : undefined",
    replace: "undefined",
    breaks: "a stream to an agent goes on after its token has ended",
  },
];

const writes: readonly Mutant[] = [
  {
    file: "gateway/writes/spec-patch.ts",
    find: 'path: "/metadata/generation", value: generation',
    replace: 'path: "/metadata/uid", value: uid',
    breaks: "of two who change an agent at once, one loses their change",
  },
  {
    file: "gateway/writes/cluster-writes.ts",
    find: 'if (isManaged && management !== "readWrite") {',
    replace: "if (isManaged && management === undefined) {",
    breaks: "a gateway writes where its instance does not let it",
  },
  {
    file: "gateway/writes/spec-patch.ts",
    find: '  { op: "test", path: "/metadata/uid", value: uid },\n',
    replace: "",
    breaks: "an agent that was made anew under the name is changed in place of the one that was seen",
  },
  {
    file: "gateway/writes/cluster-writes.ts",
    find: "        preconditions: { uid: this.#known(name).metadata.uid },\n",
    replace: "",
    breaks: "an agent that was made anew under the name is deleted in place of the one that was seen",
  },
  {
    file: "gateway/management/judge-change.ts",
    find: "problem.source === changed.source || !before.has(lineOf(problem))",
    replace: "problem.source === changed.source",
    breaks: "an agent that others use is deleted",
  },
  {
    file: "gateway/management/judge-change.ts",
    find: " || !before.has(lineOf(problem))",
    replace: " || before.size >= 0",
    breaks: "nobody can change an agent while another has a fault",
  },
  {
    file: "gateway/merge-patch.ts",
    find: "if (value === null) merged.delete(key);",
    replace: "if (value === undefined) merged.delete(key);",
    breaks: "a change is judged with fields that it takes away",
  },
  {
    file: "gateway/management/presets.ts",
    find: "text.length > maxPresetChars",
    replace: "text.length > maxPresetChars + 1",
    breaks: "a preset of one character too many is read",
  },
  {
    file: "gateway/management/presets.ts",
    find: "if (left < 0) throw",
    replace: "if (left < -maxValues * maxValues) throw",
    breaks: "a small preset of aliases takes the gateway's memory",
  },
  {
    file: "gateway/state/agent-account.ts",
    find: "account?.metadata.uid !== uid",
    replace: "account === undefined",
    breaks: "a token of an account that was deleted is good for the one made anew",
  },
  {
    file: "gateway/state/agent-account.ts",
    find: "agent?.uid !== owner.uid",
    replace: "agent === undefined",
    breaks: "a token of an agent that was deleted is good for the one made anew",
  },
  {
    file: "gateway/state/agent-account.ts",
    find: "pod !== undefined && !around.podsOf(owner.name).includes(pod.uid)",
    replace: "pod !== undefined && around.podsOf(owner.name).length === 0",
    breaks: "the token of a pod that was deleted is good as long as the agent has another",
  },
];

export const gatewayMutants: readonly Mutant[] = [...verifiedTokens, ...sessions, ...visible, ...proxy, ...writes];
