// What of the programs meets text of others. One line each: who reads, and after which
// beginnings a hostile run may stand. To add a parser, add a line.
import { canonicalJson } from "../../lib/policy/canonical-json.ts";
import { compilePolicy } from "../../lib/policy/compile.ts";
import { decide } from "../../lib/policy/decide.ts";
import { readQuery } from "../../lib/search/query.ts";
import { toTrigrams } from "../../lib/search/trigrams.ts";
import { Hono } from "hono";
import { renderGuidance } from "../../agent-runtime/tools/guidance.ts";
import { baseUrlOf } from "../../agent-runtime/model/access.ts";
import { createAnswerSchema } from "../../agent-runtime/loop/answer-schema.ts";
import { renderTitle } from "../../agent-runtime/session/conversation-title.ts";
import { cutDescription } from "../../agent-runtime/model/fit-tools.ts";
import { isOverflow, parseRefusal, parseWindow } from "../../agent-runtime/model/refusals.ts";
import { withoutThinking } from "../../agent-runtime/model/thinking-text.ts";
import { fitToolSchema } from "../../agent-runtime/model/tool-schemas/fit-schema.ts";
import { parseLocalObject } from "../../cli/manifests/local-objects.ts";
import { visibleJson, visibleLine } from "../../cli/approvals/visible-text.ts";
import { jsonLine, plainLine, plainText } from "../../cli/plain-text.ts";
import { describeLine, isTelling } from "../../cli/up/child-output.ts";
import { parseHealthReport } from "../../crds/health.ts";
import type { RunProvider } from "../../crds/run-config.ts";
import { compareQuantities, parseDurationMs, parseQuantity } from "../../crds/units.ts";
import { parseErrorResponse } from "../../lib/kube/api-error.ts";
import { isSameQuantity } from "../../lib/kube/quantity.ts";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { readNamedIssuer } from "../../lib/auth/cluster-tokens.ts";
import { readCredentials, readRequestFacts } from "../../lib/auth/request-credentials.ts";
import { parseTokenLines } from "../../lib/auth/token-table.ts";
import { judgeStatus, parseRetryAfter } from "../../gateway/discovery/embeddings/problem.ts";
import { renderToolText } from "../../gateway/discovery/embeddings/tool-text.ts";
import { createEventDataReader } from "../../lib/mcp/event-data.ts";
import { judgeRedirect, parseLocation } from "../../lib/mcp/redirect.ts";
import { findSchemaProblem } from "../../lib/mcp/schema-check.ts";
import { readTraceContext } from "../../lib/mcp/trace-context.ts";
import { isRefusedAddress } from "../../lib/outgoing/refused-addresses.ts";
import { withoutEndSlashes } from "../../lib/process/end-slashes.ts";
import { matchesEtag } from "../../lib/process/entity-tag.ts";
import { scrub } from "../../lib/process/error-fields.ts";
import { createHostCheck } from "../../lib/process/http-guard.ts";
import { createJsonMeter } from "../../lib/process/json-structure.ts";
import { runSynchronously } from "../../lib/process/steps.ts";
import { isSameVerdict, judgeReport } from "../../operator/health/verdict.ts";
import { selectorProblems } from "../../plan/accept-peers.ts";
import { parseAddress, parseRange } from "../../plan/addresses.ts";
import { shorten } from "../../plan/catalogue.ts";
import { parseMountedUri } from "../../agent-runtime/compositor/mounted-uris.ts";
import { findForwardedAuthorization } from "../../gateway/forwarded-token.ts";
import { listPresets } from "../../gateway/management/presets.ts";
import { parseKey } from "../../gateway/management/resources/family.ts";
import { parseConversationReport } from "../../crds/conversations.ts";
import { parseRunReport } from "../../crds/runs.ts";
import { parseToolReport } from "../../crds/tool-report.ts";
import { createApp } from "../../registry/app.ts";
import { chooseEncoding } from "../../lib/process/content-encoding.ts";
import { parseExposition } from "../../registry/metrics/exposition.ts";
import { mergeFamilies } from "../../registry/metrics/merge.ts";
import { renderPodSeries } from "../../registry/metrics/pod-series.ts";
import { requestIdOf } from "../../registry/request-id.ts";
import { parseServerQuery } from "../../registry/servers/query.ts";
import { makeEndpoint } from "../../registry/testing/resources.ts";
import { createServerRecords } from "../../registry/servers/records.ts";
import { serversSurface } from "../../registry/servers/routes.ts";
import type { Reader } from "./reader.ts";
import { toolServerReaders } from "./tool-server-readers.ts";

const isAllowedHost = createHostCheck(["localhost"]);
const app = createApp({
  surfaces: [serversSurface(createServerRecords()), { app: new Hono() }],
  allowedHosts: ["localhost"],
  allowedOrigins: ["https://app.example.com"],
  log: silentLog(),
});
/** Headers are Latin-1 without line ends; what else is in a text cannot come. */
const askApp = (header: string, value: string) =>
  app.request("/v0.1/servers", { headers: { host: "localhost", [header]: value.replaceAll(/[^\t\x20-\xff]/g, "?") } });
const askPath = (path: string) => app.request(`/${encodeURI(path)}`, { headers: { host: "localhost" } });

const report = { status: "ok", timestamp: "", agent: "a", providers: {}, downstreams: {} };
const judge = (detail: string) => {
  const providers = { p: { ok: false, detail, checkedAt: "" } };
  const verdict = judgeReport(parseHealthReport(JSON.stringify({ ...report, providers }), "a"));
  return isSameVerdict(verdict, { ...verdict });
};
const readToken = (headersDistinct: NodeJS.Dict<string[]>) =>
  readCredentials(readRequestFacts({ url: `/mcp?${Object.values(headersDistinct).join()}`, headersDistinct }));
const secret = (data: object) =>
  parseLocalObject("a.yaml", {
    value: { apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, ...data },
    root: { offset: 0, items: [], entries: [], size: 1 },
    start: { line: 1, column: 1 },
    positionAt: () => ({ line: 1, column: 1 }),
    locate: () => ({ line: 1, column: 1 }),
  });

const policyRule = (text: string) => ({ name: text, action: text, match: { args: [{ path: text, equals: text }] } });
const globs = ["*a*a*a*b", "*aab*", "prod-*-*-y", "*  *x*  *", "*11*2", '*"*"*:', "*//*..*", `*${"a".repeat(200)}b*`];
const { policy, problems } = compilePolicy({
  rules: globs.map((glob, at) => ({ name: `r${at}`, action: "denyAbort", match: { args: [{ path: "/text", glob }] } })),
});
if (problems.length > 0) throw new Error(problems[0]?.message);
const judgeArguments = (text: string) =>
  decide(policy, { server: "s", tool: "t", caller: "c", role: "caller", agent: "a", arguments: { text } });

const redirect = (location: string) => {
  const from = new URL("https://a.example/mcp");
  judgeRedirect({ from, to: parseLocation(location, from), status: 307, method: "POST" });
};
const providerAt = (baseUrl: string): RunProvider => ({
  ...{
    name: "a",
    kind: "openai-compatible",
    baseUrl,
    headers: [],
    requireListedModel: false,
    forwardInboundAuth: false,
  },
});

const answerSchema = createAnswerSchema({
  type: "object",
  properties: {
    a: {
      anyOf: [
        { type: "string", minLength: 2 },
        { type: "array", items: { $ref: "#/$defs/b" } },
      ],
    },
  },
  $defs: { b: { enum: ["x", 1] } },
});

/** What is read stands in one place, since memory that is new to a process takes its own time. */
const scratch = new Uint8Array(4 * 1024 * 1024);
const measureJson = (text: string) => {
  const { written } = new TextEncoder().encodeInto(text, scratch);
  return createJsonMeter({ maxDepth: Infinity, maxStructure: Infinity })(scratch.subarray(0, written));
};
/** A text in arguments, and in the schema of somebody else that they are checked against. */
const checkSchema = (text: string) => {
  const a = { pattern: "^(a+)+$", format: "email", minLength: 1e9, not: { enum: ["x", text] } };
  const schemas = [
    { properties: { a, b: { $ref: `#/${text}` }, [text]: { pattern: text } }, propertyNames: { maxLength: 1e9 } },
    { patternProperties: { "^(.+)+$": a, [text]: a }, additionalProperties: a, required: [text] },
  ];
  const values = [{ a: text }, { b: text }, { [text]: text }, { [text]: { a: text } }];
  return schemas.map((schema) => values.map((value) => findSchemaProblem(schema, value, "the arguments")));
};

export const readers: readonly Reader[] = [
  ...toolServerReaders,
  { name: "the structure of JSON", read: measureJson, after: ['"', '"\\'] },
  { name: "a foreign schema and arguments for it", read: checkSchema, after: ["$defs/", "%"] },
  {
    name: "a model's answer by a schema",
    read: (text) => answerSchema.read(text),
    after: ["{", '{"a":', '{"a":"', '{"a":["x",', "```json\n{"],
    before: ["}", '"}', "]}"],
  },
  {
    name: "instructions of a server",
    read: (text) => renderGuidance([{ server: "a", prefix: "a", text }]),
    after: ["a\n", "\r"],
  },
  {
    name: "events as they pass",
    read: (text) => createEventDataReader((data) => data.length, 1_000)(Buffer.from(text)),
    after: ["data:", "data: a\n", "\r"],
    before: ["\n\n"],
  },
  {
    name: "a pod's series: the lines",
    read: (text) => parseExposition(text),
    after: [
      "# HELP a",
      "# HELP a ",
      "# TYPE a ",
      "#",
      "a ",
      "a 1",
      "a 1 ",
      "a 0x",
      "a 1.",
      "a 1e",
      "a{",
      'a{b="',
      'a{b="c"',
      "a\n",
    ],
  },
  {
    name: "a pod's series: labels and merging",
    read: (text) => {
      const families = parseExposition(`a${text} 1\nb${text} 2`);
      const pod = runSynchronously(renderPodSeries(families, makeEndpoint("a", "http://a")));
      return [...mergeFamilies([], [pod, pod.map((family) => ({ ...family, type: "summary" }))]).chunks];
    },
    after: ['{b="', '{agent="'],
    before: ['"}'],
  },
  { name: "a health report", read: (text) => parseHealthReport(text, "a"), after: ['{"agent":"'] },
  { name: "a health verdict", read: judge, after: ["1.", "1 "] },
  { name: "Host", read: isAllowedHost, after: ["[", "localhost:"] },
  { name: "Host of the application", read: (text) => askApp("host", text), after: ["[", "localhost:"] },
  { name: "Origin", read: (text) => askApp("origin", text), after: ["https://"] },
  { name: "X-Request-Id", read: requestIdOf },
  { name: "Accept-Encoding", read: chooseEncoding, after: ["gzip;", "gzip;q=", "gzip, "] },
  { name: "If-None-Match", read: (text) => matchesEtag(text, '"x"'), after: ["W/", '"', '"y", '] },
  { name: "a path", read: askPath, after: ["v0.1/servers/"] },
  { name: "cursor", read: (text) => parseServerQuery({ cursor: text }) },
  { name: "updated_since", read: (text) => parseServerQuery({ updated_since: text }), after: ["2026-01-31T12:00:00."] },
  { name: "limit", read: (text) => parseServerQuery({ limit: text }) },
  { name: "the API server's refusal", read: (text) => parseErrorResponse("test", 500, text, text), after: ['{"a":"'] },
  { name: "quantities", read: (text) => isSameQuantity(text, "1"), after: ["1.", "1e"] },
  {
    name: "Authorization",
    read: (text) => readToken({ authorization: [text] }),
    after: ["Bearer", "Bearer ", "Bearer a"],
  },
  {
    name: "a token that may go on to agents",
    read: (text) => findForwardedAuthorization(text, { jwt: { issuer: "a", audiences: ["a"] }, audience: "b" }),
    after: ["Bearer ", "Bearer a", "Bearer e30."],
  },
  {
    name: "subprotocols of a WebSocket",
    read: (text) => readToken({ upgrade: ["websocket"], "sec-websocket-protocol": [text] }),
    after: ["pallas.v1, base64url.bearer.authorization.pallas."],
  },
  { name: "calls of an agent", read: (text) => parseRunReport(text, "a"), after: ['{"agent":"'] },
  {
    name: "conversations of an agent",
    read: (text) => parseConversationReport(text, "a"),
    after: ['{"agent":"', '{"conversations":[{"title":"'],
  },
  {
    name: "titles of conversations",
    read: renderTitle,
    after: ['{"role":"user","content":[{"type":"text","text":"', '"type":"text","text":"\\'],
  },
  {
    name: "tools of an agent",
    read: (text) => parseToolReport(text, "a", "s"),
    after: ['{"agent":"', '{"tools":[{"name":"'],
  },
  { name: "a URI of a compositor", read: parseMountedUri, after: ["mount:", "mount:argos/"] },
  {
    name: "a URI of the management server",
    read: (text) => parseKey("resource://agents/{agent_id}/mcp/state", text),
    after: ["resource://agents/"],
    before: ["/mcp/state"],
  },
  {
    name: "a preset",
    read: (text) => listPresets({ listPresets: () => [{ name: "a", data: { description: text, spec: text } }] }),
    after: ["a: ", "- &a "],
  },
  { name: "a token's issuer", read: readNamedIssuer, after: ["e30."], before: [".e30"] },
  {
    name: "a table of tokens",
    read: (text) => parseTokenLines(`sha256:${text}`.replaceAll("\n", " ")),
    after: ["0".repeat(64), `${"0".repeat(64)} 2026-01-31T12:00:00.`],
  },
  { name: "traceparent", read: (text) => readTraceContext({ traceparent: text, tracestate: text }), after: ["00-"] },
  { name: "texts in the log", read: scrub, after: ["bearer", "https://", "?token="] },
  { name: "an address", read: parseAddress, after: [":", "::", "1."], before: [":"] },
  { name: "a range", read: parseRange, after: ["1.2.3.4/", "::/"] },
  { name: "an address that a name led to", read: isRefusedAddress, after: ["fe80::1", "fe80::1%"] },
  { name: "Location", read: redirect, after: ["https://a.example/", "https://", "//"] },
  { name: "a provider's base URL", read: (text) => baseUrlOf(providerAt(text)), after: ["https://a.example/"] },
  { name: "slashes at the end of a URL", read: withoutEndSlashes, after: ["https://a.example/", "/x"] },
  { name: "a duration", read: parseDurationMs, after: ["1.", "1m"] },
  { name: "an amount", read: (text) => [compareQuantities(text, "1"), parseQuantity(text)], after: ["1.", "1K"] },
  { name: "a label's key", read: (key) => selectorProblems("a", { matchExpressions: [{ key, operator: "Exists" }] }) },
  {
    name: "a model's refusal",
    read: (text) => [isOverflow({ status: 400, text }), parseRefusal({ status: 400, text }), parseWindow(text)],
    after: [
      "tools[1",
      "limit 1 requested",
      "max_tokens ",
      "tool call id was ",
      "you requested 1 tokens (",
      "function ",
    ],
  },
  { name: "thinking in an answer", read: withoutThinking, after: ["<think>", "<think></think>", "\n</think>"] },
  {
    name: "what an endpoint of embeddings says",
    read: (said) => judgeStatus({ status: 500, said, retryAfterMs: undefined }, (text) => text),
    after: ['{"detail":"', '{"error":{"message":"'],
  },
  { name: "Retry-After", read: (text) => parseRetryAfter(text, 0), after: ["1", "Wed, 21 Oct 2015 "] },
  {
    name: "the text of a tool",
    read: (text) => renderToolText({ name: text }, { name: text, description: text, parameters: [{ name: text }] }),
  },
  { name: "a tool's description", read: (text) => cutDescription(text, 1_024), after: ["a"] },
  {
    name: "a tool's schema",
    read: (text) =>
      fitToolSchema("google", {
        description: text,
        properties: { [text]: { pattern: text, $ref: `#/$defs/${text}`, enum: [text], default: text } },
      }),
    after: ["^", "(", "/"],
  },
  { name: "a description", read: (text) => shorten(text), after: ["a"] },
  { name: "a request that is searched for", read: readQuery, after: ["a", "A", "天", "é", "y"] },
  { name: "a name that a tool is suggested for", read: toTrigrams, after: ["mcp__a__", "é"] },
  { name: "a policy", read: (text) => compilePolicy({ rules: [policyRule(text)] }), after: ["/", "/a~", "/~0"] },
  { name: "arguments that a policy reads", read: judgeArguments, after: ["a", "1", "prod-"], before: ["b", "-x"] },
  { name: "arguments that are hashed", read: (text) => canonicalJson({ [text]: text }), after: ["a", "\ud83d\ude00"] },
  { name: "text on a terminal", read: plainText, after: ["\u001b]", "\u001b[", "\u001bP", "\u009b"] },
  { name: "a line on a terminal", read: plainLine, after: ["a"] },
  { name: "JSON on a terminal", read: jsonLine },
  { name: "what somebody decides on", read: visibleLine, after: ["\\", "\u202e"] },
  { name: "arguments that somebody decides on", read: visibleJson, after: ['"', '"\\', "a"] },
  { name: "a process's output", read: (text) => [isTelling(text), describeLine(text)], after: ["Node.js v", "{"] },
  { name: "base64 of a Secret", read: (text) => secret({ data: { a: text } }), after: ["AAAA", "AA="] },
  { name: "keys of a Secret", read: (text) => secret({ stringData: { [text]: text } }), after: [".", "${A"] },
];
