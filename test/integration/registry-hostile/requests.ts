// Hostile requests to a registry from a seed: odd paths, queries, methods and headers, damaged cursors; as requests that a client
// library would send, and as bytes that none would.
import { renderCursor } from "../../../registry/servers/query.ts";
import { below, pick, type Random } from "../seeded-random.ts";

export interface HostileRegistryRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

const names = [
  "ca.helu.ouranos%2Fagent-1",
  "ca.helu.ouranos/agent-1",
  "%2F",
  "%",
  "%zz",
  "%00",
  "%ff%fe",
  "%E2%80%A8",
  "..%2f..%2fetc%2fpasswd",
  "__proto__",
  "constructor",
  "😀",
  "a".repeat(4_000),
  "%2525252F",
  "*",
  ":name",
  "{name}",
] as const;
const words = [
  "",
  "latest",
  "1.0.0",
  "-1",
  "0",
  "101",
  "1e400",
  "NaN",
  "null",
  "true",
  "2026-11-21T10:00:00Z",
  "9999-99-99T99:99:99Z",
  "'; drop table servers; --",
  "<script>",
  "%",
  "%00",
  "+++",
  "é",
  "💥",
  "(a+)+$",
  "[",
  "a".repeat(300),
  "A".repeat(6_001),
] as const;
const keys = [
  "cursor",
  "limit",
  "search",
  "updated_since",
  "version",
  "include_deleted",
  "__proto__",
  "constructor",
  "toString",
  "a[]",
  "",
] as const;
const bases = [
  "/",
  "/.well-known/mcp/server.json",
  "/.well-known/ai-catalog.json",
  "/openapi.json",
  "/healthz",
  "/livez",
  "/readyz",
  "/v0.1/servers",
  "/v0/servers",
  "/v0.1/publish",
  "/v0.1",
  "//",
  "/v0.1//servers",
  "/V0.1/SERVERS",
  "/nowhere",
] as const;
const methods = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"] as const;
const oddHeaders: Readonly<Record<string, readonly string[]>> = {
  host: ["localhost", "evil.example", "localhost:99999", "[::1", "", "localhost,evil.example"],
  origin: ["null", "https://evil.example", "http://localhost", "x", "https://" + "a".repeat(3_000)],
  "accept-encoding": ["gzip;q=", "*;q=0", "br;q=1e9", ",".repeat(2_000), "identity;q=0", "gzip;q=-1;q=2"],
  "if-none-match": ["*", '"', 'W/"x"', ",".repeat(3_000), '"a","b"'],
  "x-request-id": ["a b", "x".repeat(1_000), "é", '"}'],
  "access-control-request-method": ["GET", "POST", "x", ""],
  "access-control-request-headers": ["authorization", ",".repeat(2_000), "*"],
  "content-type": ["application/json", "x", ""],
  range: ["bytes=0-", "bytes=-1", "x"],
};

function renderPath(random: Random): string {
  const server = `${pick(random, ["/v0.1/servers", "/v0/servers"])}/${pick(random, names)}`;
  const base = pick(random, [
    pick(random, bases),
    pick(random, bases),
    `${server}/versions`,
    `${server}/versions/${encodeURIComponent(pick(random, words))}`,
    `${server}/versions/${pick(random, names)}/status`,
    `${server}/status`,
  ]);
  const query = Array.from({ length: below(random, 4) }, () => `${pick(random, keys)}=${renderValue(random)}`);
  return query.length === 0 ? base : `${base}?${query.join("&")}`;
}

function renderValue(random: Random): string {
  if (random() < 0.8) return pick(random, [encodeURIComponent, String])(pick(random, words));
  const made = {
    limit: below(random, 200),
    search: pick(random, words),
    after: pick(random, names),
    includeDeleted: true,
  };
  const cursor = renderCursor(made);
  if (random() < 0.3) return cursor;
  const at = below(random, cursor.length);
  return `${cursor.slice(0, at)}${pick(random, ["", "A", "_", "%", "="])}${cursor.slice(at + 1)}`;
}

export function renderHostileToRegistry(random: Random): HostileRegistryRequest {
  const method = random() < 0.7 ? "GET" : pick(random, methods);
  const headers: Record<string, string> = { host: "localhost" };
  for (let more = below(random, 3); more > 0; more -= 1) {
    const name = pick(random, Object.keys(oddHeaders));
    headers[name] = pick(random, oddHeaders[name] ?? [""]);
  }
  const hasBody = method.startsWith("P") && random() < 0.7;
  const body = hasBody ? Buffer.alloc(below(random, 20_000), pick(random, ["{", "\0", '{"a":', "é"])) : undefined;
  return { method, path: renderPath(random), headers, body };
}

/** What no library sends; the server may answer and must close, or drop it. */
export function renderHostileBytes(random: Random): Buffer {
  const { method, path } = renderHostileToRegistry(random);
  const noise = () => Buffer.from(Array.from({ length: below(random, 400) }, () => below(random, 256)));
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n`;
  return pick(random, [
    noise,
    () => Buffer.from(`${method} ${path}\r\n\r\n`),
    () => Buffer.from(`${method} ${path} HTTP/9.9\r\nHost: localhost\r\n\r\n`),
    () => Buffer.from(`${head}\r\n`, "latin1"),
    () => Buffer.from(`GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`),
    () => Buffer.from(`${head}X-Big: ${"a".repeat(20_000)}\r\n\r\n`),
    () => Buffer.from(`${head}${"X-Many: a\r\n".repeat(3_000)}\r\n`),
    () => Buffer.from(`${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
    () => Buffer.from(`${head}Expect: x\r\n\r\n`),
    () => Buffer.from(`${head}Content-Length: -1\r\n\r\n`),
    () => Buffer.from(`${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`),
    () => Buffer.from(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`),
    () => Buffer.from(`GET http://evil.example${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`),
    () => Buffer.from(`CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n`),
    () => Buffer.from(`${head}Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n`),
    () => Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    () => Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
    () => Buffer.concat([Buffer.from(head), noise(), Buffer.from("\r\n\r\n")]),
    () => Buffer.from(`OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n`),
    () => Buffer.from(`GET \\ HTTP/1.1\r\nHost: localhost\r\n\r\n`),
  ])();
}
