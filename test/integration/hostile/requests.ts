// Hostile requests to an MCP endpoint, from a seed: bodies that are broken, deep, huge, of wrong types, in batches, with keys
// of prototypes and headers that contradict them. The same seed gives the same requests.
import { defined } from "../../../lib/process/defined.ts";
import { below, pick, type Random } from "../seeded-random.ts";

export interface HostileRequest {
  kind: string;
  method: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

const methods = [
  ...["initialize", "tools/call", "tools/list", "prompts/get", "prompts/list", "ping", "server/discover"],
  ...["notifications/cancelled", "notifications/initialized", "subscriptions/listen", "resources/read"],
  ...["logging/setLevel", "completion/complete", "toString", "__proto__", "constructor", "", "tools/call/../x"],
];
const revisions = ["2024-11-05", "2025-03-26", "2025-11-25", "2026-07-28", "1.0", "", "9999-99-99"];
const names = ["send_message", "get_health", "tech_research", "nope", "__proto__", "constructor", "toString", ""];
const odd = [
  ...[null, true, false, 0, -1, 1.5, 1e308, -0, 2 ** 53, "", "x", "\u0000", "\ud800", "💥".repeat(50), [], {}, [[]]],
  ...[{ a: 1 }, { __proto__x: 1 }, { length: -1 }, { toJSON: "x" }, { thenable: true }, [null], "9".repeat(400)],
];
const meta = (revision: string) => ({
  "io.modelcontextprotocol/protocolVersion": revision,
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "h", version: "1" },
});

/** Which era a request pretends to be of. */
type Era = "2025" | "2026";

/** A request that is nearly right: each part is sometimes of a wrong type. */
function renderNearlyRight(random: Random, era: Era): Record<string, unknown> {
  const mangle = (value: unknown): unknown => (random() < 0.1 ? pick(random, odd) : value);
  const revision = era === "2026" && random() < 0.8 ? "2026-07-28" : pick(random, revisions);
  const args = mangle({ message: mangle("hello"), session_id: mangle("0".repeat(32)), extra: mangle(1) });
  return {
    jsonrpc: mangle("2.0"),
    id: mangle(below(random, 4)),
    method: mangle(pick(random, methods)),
    params: mangle({
      name: mangle(pick(random, names)),
      arguments: args,
      _meta: mangle({ ...(era === "2026" ? meta(revision) : {}), progressToken: mangle(1) }),
      protocolVersion: mangle(revision),
      capabilities: mangle({}),
      clientInfo: mangle({ name: "h", version: "1" }),
      requestId: mangle(1),
    }),
    ...(random() < 0.1 && { [pick(random, ["result", "error", "extra", "params "])]: pick(random, odd) }),
  };
}

/** A call that would be served, but for its arguments. */
function call(args: string, era: Era): string {
  const envelope = era === "2026" ? `,"_meta":${JSON.stringify(meta("2026-07-28"))}` : "";
  const params = `{"name":"send_message","arguments":${args}${envelope}}`;
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
}

const bodies: Record<string, (random: Random, era: Era) => string | Buffer> = {
  "nearly right": (random, era) => JSON.stringify(renderNearlyRight(random, era)),
  "nearly right, again": (random, era) => JSON.stringify(renderNearlyRight(random, era)),
  cut(random, era) {
    const text = JSON.stringify(renderNearlyRight(random, era));
    return text.slice(0, below(random, text.length));
  },
  "one byte changed"(random, era) {
    const bytes = Buffer.from(JSON.stringify(renderNearlyRight(random, era)));
    bytes[below(random, bytes.length)] = below(random, 256);
    return bytes;
  },
  noise: (random) => Buffer.from(Array.from({ length: below(random, 300) }, () => below(random, 256))),
  deep(random, era) {
    const depth = pick(random, [10, 50, 100, 500, 1_000, 8_000]);
    const isList = random() < 0.5;
    return call(`{"a":${(isList ? "[" : '{"a":').repeat(depth)}1${(isList ? "]" : "}").repeat(depth)}}`, era);
  },
  "huge numbers": (random, era) =>
    call(`{"n":${pick(random, ["1e400", "-1e400", "9".repeat(900), `0.${"1".repeat(900)}`, "1e-400"])}}`, era).replace(
      '"id":1',
      `"id":${pick(random, ["1e400", "1e15", "0.5", "-0", "12345678901234567890", '"a"', "null"])}`,
    ),
  batch: (random, era) =>
    JSON.stringify(Array.from({ length: below(random, 10) }, () => renderNearlyRight(random, era))),
  "prototype keys": (random, era) =>
    call(
      pick(random, [
        '{"__proto__":{"polluted":true}}',
        '{"message":"x","__proto__":{"polluted":true}}',
        '{"constructor":{"prototype":{"polluted":true}}}',
        '{"__proto__":null}',
        '{"hasOwnProperty":1,"toString":null,"valueOf":[]}',
      ]),
      era,
    ),
  "doubled keys": (random) => {
    const other = JSON.stringify(pick(random, methods));
    return `{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"id":2,"method":"tools/list","method":${other},"params":{},"params":null}`;
  },
  "many keys": (random, era) => {
    const keys = Array.from({ length: below(random, 300) }, (_, at) => [`k${at}`, at]);
    return call(JSON.stringify(Object.fromEntries(keys)), era);
  },
  "long text": (random, era) =>
    call(JSON.stringify({ message: pick(random, ["a", "\u0000", "é", "💥"]).repeat(below(random, 4_000)) }), era),
  "odd encodings": (random) =>
    pick(random, [
      Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]),
      Buffer.from('{"jsonrpc":"2.0"}', "utf16le"),
      Buffer.from([0x22, 0xc0, 0xaf, 0x22]),
      Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
      "\u2028{}",
      '"\\ud800"',
      "",
      " ",
      "NaN",
      "undefined",
      "{}{}",
    ]),
};
const kinds = Object.keys(bodies);

const oddHeaders: Record<string, readonly string[]> = {
  accept: ["*/*", "text/html", "", "application/json", "text/event-stream", "application/json;q=0"],
  "content-type": [
    "text/plain",
    "application/json; charset=utf-16",
    "application/JSON",
    "",
    "multipart/form-data; boundary=",
  ],
  "content-encoding": ["gzip", "br", "identity", "x"],
  "mcp-session-id": ["0".repeat(32), "", "x".repeat(4_000), "../../etc/passwd", "constructor", "__proto__"],
  "mcp-protocol-version": revisions,
  "mcp-method": methods.filter((name) => name !== ""),
  "mcp-name": ["send_message", "=?base64?!!!?=", "=?base64?c2VuZA==?=", "x".repeat(2_000)],
  "last-event-id": ["1", "-1", "999999999", "x", "__proto__", "1e9"],
  authorization: ["Bearer x", "Bearer", `Bearer ${"x".repeat(5_000)}`, "Basic eA=="],
};

/** The next hostile request; of the 2025 era in one of `sessions`, where there are some. */
export function renderHostile(random: Random, sessions: readonly string[] = []): HostileRequest {
  const kind = pick(random, kinds);
  const era = random() < 0.5 ? "2025" : "2026";
  const method = random() < 0.97 ? "POST" : pick(random, ["GET", "DELETE", "PUT", "PATCH", "OPTIONS"]);
  const body = method.startsWith("P") ? Buffer.from(bodies[kind]?.(random, era) ?? "") : undefined;
  const headers: Record<string, string> = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    ...(era === "2026"
      ? { "mcp-protocol-version": "2026-07-28", ...renderMatching(body) }
      : sessions.length > 0 && random() < 0.8 && { "mcp-session-id": pick(random, sessions) }),
  };
  if (random() < 0.2) {
    const name = pick(random, Object.keys(oddHeaders));
    headers[name] = pick(random, oddHeaders[name] ?? [""]);
  }
  return { kind, method, headers, body };
}

/** The headers that say what the body says, so that it is looked at further. */
function renderMatching(body: Buffer | undefined): Record<string, string> {
  const text = body?.toString().slice(0, 2_000) ?? "";
  const method = /"method":"([a-z]+\/[a-z]+)"/i.exec(text)?.[1];
  const name = /"name":"([a-z_]+)"/.exec(text)?.[1];
  return {
    ...defined({ "mcp-method": method, "mcp-name": name }),
  };
}
