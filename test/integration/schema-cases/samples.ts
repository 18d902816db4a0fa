// Sound values for every schema node, and texts that do and do not match each pattern. A pattern without an entry
// here is an error: it would go untested.
import type { SchemaNode } from "./schema-node.ts";

interface PatternSamples {
  /** The n-th of many different texts that match. */
  nth: (n: number) => string;
  /** A text that matches and has this many characters, or undefined where the pattern has no text so long. */
  ofLength: (length: number) => string | undefined;
  matching?: string[];
  refused: string[];
}

const letters = (length: number) => "a".repeat(length);
const wide = (length: number) => "😀".repeat(length);
const padded = (head: string, length: number, tail = "") =>
  length < head.length + tail.length ? undefined : head + wide(length - head.length - tail.length) + tail;

const name: PatternSamples = {
  nth: (n) => `a${n}`,
  ofLength: letters,
  matching: ["0", "a-b", "9-9"],
  refused: ["-a", "a-", "A", "a_b", "ä", "a b", "a\n", " a"],
};
const dotted = { ...name, matching: ["a.b", "a-b.c", "0..0"], refused: [...name.refused, ".a", "a."] };

const uriCharacter = "([-a-zA-Z0-9._~:@!$&'()*,;=/?+]|%[0-9a-fA-F]{2})";
const uri = `^https?:\\/\\/[a-zA-Z0-9.-]+(:[0-9]{1,5})?([/?]${uriCharacter}*)?(#${uriCharacter}*)?$`;

const samples: Record<string, PatternSamples> = {
  "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$": { ...name, refused: [...name.refused, "a.b"] },
  "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$": dotted,
  "^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$": { ...dotted, matching: ["", "a.b"] },
  "^[a-z0-9-]+$": { nth: (n) => `eu-${n}`, ofLength: letters, matching: ["-"], refused: ["EU", "a.b", "a b", "a\n"] },
  "^[ -~]+$": { nth: (n) => `client ${n}`, ofLength: letters, matching: ["~", " "], refused: ["ä", "a\n", "\u007f"] },
  "^[!-~]+$": {
    nth: (n) => `https://id.example.com/claim-${n}`,
    ofLength: letters,
    matching: ["!", "~", "groups"],
    refused: ["a b", "ä", "a\n", "\u007f"],
  },
  "^[-a-z0-9*]+$": {
    nth: (n) => `research-${n}*`,
    ofLength: letters,
    matching: ["*", "-"],
    refused: ["A", "a.b", "a b", "a\n"],
  },
  "^[-a-zA-Z0-9_.*]+$": {
    nth: (n) => `Argos_${n}.*`,
    ofLength: letters,
    matching: ["*", "."],
    refused: ["a/b", "ä", "a b", "a\n"],
  },
  "^[!#-[\\]-~]+$": {
    nth: (n) => `scope:${n}`,
    ofLength: letters,
    matching: ["!", "#", "[", "]", "~"],
    refused: ['a"b', "a\\b", "a b", "ä", "a\n"],
  },
  "^[-._a-zA-Z0-9]+$": {
    nth: (n) => `Key-${n}_.x`,
    ofLength: letters,
    matching: ["."],
    refused: ["a/b", "ä", "a b", "a\n"],
  },
  "^[-A-Za-z0-9_]+$": { nth: (n) => `X-H_${n}`, ofLength: letters, refused: ["X:", "X Y", "ä", "x.y", "X\n"] },
  "^[a-zA-Z0-9][-a-zA-Z0-9_.]*$": {
    nth: (n) => `Ab_${n}.c-`,
    ofLength: letters,
    refused: ["-a", "_a", "a b", "a/b", "a\n"],
  },
  "^[a-zA-Z0-9][-a-zA-Z0-9_]*$": { nth: (n) => `Ab_${n}-`, ofLength: letters, refused: ["_a", "a.b", "a b", "a\n"] },
  "^[a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?$": {
    nth: (n) => `ca.Helu-${n}`,
    ofLength: letters,
    matching: ["a"],
    refused: ["-a", "a.", "a_b", "a/b", "ä", "a\n"],
  },
  "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$": {
    nth: (n) => `Value_${n}`,
    ofLength: letters,
    matching: ["", "a.b"],
    refused: ["-a", "a.", "a b", "ä", "a\n"],
  },
  "^((passthrough|playback|slow)(\\.[^ \\t\\r\\n]+)?|[a-z0-9]([-a-z0-9]*[a-z0-9])?\\.[^ \\t\\r\\n]+)$": {
    nth: (n) => `openai.qwen3-${n}.5`,
    ofLength: (length) => padded("a.", length),
    matching: ["slow", "playback.x", "passthrough", "a-b.c/d:e"],
    refused: ["gpt", "openai.", ".x", "Open.x", "a.b c", "slower", "a.b\n"],
  },
  "^([0-9]+(\\.[0-9]{1,3})?(ms|s|m|h))+$": {
    nth: (n) => `${n + 1}s`,
    ofLength: (length) => "1s".padStart(length, "0"),
    matching: ["1500ms", "0.5s", "10s1ms", "1s1s", "0.001ms"],
    refused: ["", "10", "s", "1 s", "-1s", "1d", "1.s", ".5s", "1s ", "1us", "0.0001s"],
  },
  "^[0-9]{1,15}(\\.[0-9]{1,9})?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$": {
    nth: (n) => `${n + 1}Mi`,
    ofLength: () => undefined,
    matching: ["1", "1.5Gi", "500m", "999999999999999Ei"],
    refused: ["", "1 Gi", "-1", "1gi", "+1", "1e3", "Gi", "1Gi\n", ".5", "1234567890123456"],
  },
  "^[0-9]+\\.[0-9]+\\.[0-9]+(-[-0-9A-Za-z.]+)?(\\+[-0-9A-Za-z.]+)?$": {
    nth: (n) => `1.${n}.0`,
    ofLength: (length) => `1.0.0-${letters(length - 6)}`,
    matching: ["1.2.3-rc.1+build.5"],
    refused: ["1.0", "v1.0.0", "1.0.0-", "1.0.0+", "1.0.0 ", "1.0.0\n"],
  },
  [uri]: {
    nth: (n) => `https://example.com/${n}.svg`,
    ofLength: (length) => `http://a/${letters(length - 9)}`,
    matching: ["http://a", "https://A.b:8443/c%20d;e?f=g#h", "http://a?b/c", "http://a#b", "http://a/"],
    refused: [
      "http://",
      "ftp://a",
      "//a",
      "http://a b",
      "http://a\n",
      "http://a/%zz",
      "http://ä",
      "http://a/{b}",
      "http://a#b#c",
    ],
  },
  "^(https?:\\/\\/[^ \\t\\r\\n]+)?$": {
    nth: (n) => `https://example.com/${n}`,
    ofLength: (length) => padded("http://", length),
    matching: [""],
    refused: ["http://", "a", "http://a b", "\n"],
  },
  "^https?:\\/\\/[^ \\t\\r\\n${}]+$": {
    nth: (n) => `https://packages${n}.example.com`,
    ofLength: (length) => padded("http://", length),
    matching: ["http://127.0.0.1:4873/npm", "https://a?b#c"],
    refused: ["", "http://", "a", "ftp://a", "http://a b", "http://a\n", "http://${HOST}/", "http://a}"],
  },
  "^[a-zA-Z0-9][-a-zA-Z0-9_.]*__[^\\p{Cc} ]+$": {
    nth: (n) => `memory.${n}__read_graph`,
    ofLength: (length) => padded("a__", length),
    matching: ["a__b__c", "A-9__ä/:", "a____"],
    refused: ["a_b", "__a", "a__", "-a__b", "a b__c", "a__b c", "a__b\n", "a__\u0085"],
  },
  "^(https?:\\/\\/|\\$\\{[A-Za-z_][A-Za-z0-9_]*\\})[^ \\t\\r\\n]*$": {
    nth: (n) => `http://tools${n}.svc:8000/mcp`,
    ofLength: (length) => padded("http://", length),
    matching: ["${BASE}", "${_a1}/mcp", "http://${HOST}/mcp"],
    refused: ["argos/mcp", "${1A}", "${}", "$BASE", "http://a b", "http://a\n"],
  },
  "^https?:\\/\\/([!-z|~]|\\{(instance|agent|namespace|port)\\})+\\/mcp$": {
    nth: (n) => `https://example.com/{agent}/${n}/mcp`,
    ofLength: (length) => `https://${letters(length - 12)}/mcp`,
    matching: ["http://{instance}.{namespace}.example:{port}/{agent}/mcp", "http://~|/mcp"],
    refused: [
      "https:///mc",
      "https://mcp",
      "https://a/mcp/",
      "https://a b/mcp",
      "https://a/mcp\n",
      "https://{agnet}/mcp",
      "https://a}/mcp",
      "https://a\u00a0/mcp",
    ],
  },
  "^https?:\\/\\/[^ \\t\\r\\n/]+$": {
    nth: (n) => `https://chat${n}.example.com`,
    ofLength: (length) => padded("http://", length),
    refused: ["https://a/", "https://", "a", "*", "http://a\n"],
  },
  "^[^\\r\\n]*$": {
    nth: (n) => `value ${n}`,
    ofLength: wide,
    matching: ["", "\u2028", "\u0085"],
    refused: ["a\nb", "\r", "a\n"],
  },
  "^(\\[[0-9a-fA-F:]+\\]|[a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?)$": {
    nth: (n) => `host${n}.example.com`,
    ofLength: letters,
    matching: ["[::1]", "10.0.0.1"],
    refused: ["::1", "[]", "[::1", "a:80", "a_b", "a.", "a\n"],
  },
  "^[0-9a-fA-F.:]+\\/[0-9]{1,3}$": {
    nth: (n) => `10.0.${n}.0/24`,
    ofLength: (length) => `${letters(length - 3)}/24`,
    matching: ["fd00::/8"],
    refused: ["10.0.0.0", "10.0.0.0/", "a.example/8", "10.0.0.0/1234", "1/1\n"],
  },
  "^([a-zA-Z0-9][-a-zA-Z0-9._/:]*(@sha256:[0-9a-f]{64})?)?$": {
    nth: (n) => `registry.example:5000/pallas/agent:1.${n}`,
    ofLength: letters,
    matching: ["", `a@sha256:${"0".repeat(64)}`],
    refused: ["/a", "a b", `a@sha256:${"0".repeat(63)}`, `a@sha256:${"A".repeat(64)}`, "a@b", "a\n"],
  },
  "^[a-zA-Z0-9][-a-zA-Z0-9._/:]*(@sha256:[0-9a-f]{64})?$": {
    nth: (n) => `registry.example:5000/tools/server:1.${n}`,
    ofLength: letters,
    matching: [`a@sha256:${"0".repeat(64)}`],
    refused: ["/a", "a b", `a@sha256:${"0".repeat(63)}`, "a@b", "a\n"],
  },
  "^[!-~]([ -~]*[!-~])?$": {
    nth: (n) => `tag ${n}`,
    ofLength: letters,
    matching: ["!", "a b", "~"],
    refused: [" a", "a ", "ä", "a\n"],
  },
  "^(@[a-zA-Z0-9._~-]+\\/)?[a-zA-Z0-9][a-zA-Z0-9._~-]*$": {
    nth: (n) => `@acme/server-${n}`,
    ofLength: letters,
    matching: ["a", "@-/x", "a.b~c_d"],
    refused: ["@a", "a/b", "@/a", "-a", "a b", "ä", "a\n"],
  },
  "^[0-9A-Za-z][0-9A-Za-z.+!_-]*$": {
    nth: (n) => `1.0.${n}`,
    ofLength: letters,
    matching: ["1.0.0-rc.1+b", "2!1.0"],
    refused: ["^1", "-1", "1 0", ">=1", "1\n"],
  },
  "^[A-Za-z0-9][A-Za-z0-9._-]*(\\[[A-Za-z0-9,._-]+\\])?((==|!=|<=|>=|~=|<|>)[0-9A-Za-z.*+!-]+(,(==|!=|<=|>=|~=|<|>)[0-9A-Za-z.*+!-]+)*)?$":
    {
      nth: (n) => `requirement-${n}<2`,
      ofLength: letters,
      matching: ["a", "mcp[cli,ws]>=1.2,!=1.3.*", "A.b_c==2!1.0+x", "x~=1.0"],
      refused: ["-a", "a b", "a ==1", "a=1", "a>", "a[]", "a==1,", "a @ https://b", "a;b", "a\n"],
    },
  "^[a-zA-Z0-9][a-zA-Z0-9._-]*$": {
    nth: (n) => `mcp-${n}`,
    ofLength: letters,
    matching: ["A.b_c"],
    refused: ["-a", ".a", "a/b", "a b", "a\n"],
  },
  "^[A-Za-z_][A-Za-z0-9_]*$": {
    nth: (n) => `VAR_${n}`,
    ofLength: letters,
    matching: ["_", "a1"],
    refused: ["1A", "A-B", "A.B", "A B", "A\n"],
  },
  "^([0-9a-fA-F]*:[0-9a-fA-F:.]*|[a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?)$": {
    nth: (n) => `host${n}.example.com`,
    ofLength: letters,
    matching: ["::1", "fd00::1", "10.0.0.1", "::ffff:1.2.3.4"],
    refused: ["[::1]", "a_b", "a.", "-a", "http://a", "a/b", "host:80", "a\n"],
  },
  "^[0-9a-f]{64}$": {
    nth: (n) => String(n).padStart(64, "0"),
    ofLength: (length) => (length === 64 ? "a".repeat(64) : undefined),
    refused: ["a".repeat(63), "A".repeat(64), `${"a".repeat(64)}\n`],
  },
  // The same for each n: what is hashed twice in one manifest must be equal there.
  "^sha256:[0-9a-f]{64}$": {
    nth: () => `sha256:${"0".repeat(64)}`,
    ofLength: (length) => (length === 71 ? `sha256:${"a".repeat(64)}` : undefined),
    refused: ["a".repeat(64), `sha256:${"A".repeat(64)}`, `sha256:${"a".repeat(63)}`, `sha1:${"a".repeat(66)}`],
  },
  "^[A-Za-z0-9_.-]+$": {
    nth: (n) => `Rule_${n}.x-`,
    ofLength: letters,
    matching: ["-", ".", "_"],
    refused: ["a b", "a/b", "ä", "a\n"],
  },
  "^[a-z0-9]+$": { nth: (n) => `proposal${n}`, ofLength: letters, refused: ["A", "a-b", "ä", "a\n"] },
  "^[0-9a-f]*$": { nth: (n) => `${n}abc`, ofLength: letters, matching: [""], refused: ["g", "A", "a b", "a\n"] },
  "^[^\\p{Cc}]+$": {
    nth: (n) => `some word ${n}`,
    ofLength: wide,
    matching: ["ä", " ", "\u2028"],
    refused: ["a\n", "\u0085", "\u007f", "\u0000"],
  },
};

export function patternSamples(pattern: string): PatternSamples {
  const found = samples[pattern];
  if (!found) throw new Error(`expected samples of the pattern ${pattern}, found none; add them in samples.ts`);
  return found;
}

/** The n-th of many different sound texts for a string node. */
export function nthText(node: SchemaNode, n: number): string {
  const { pattern } = node;
  if (node.enum) return node.enum[n % node.enum.length] ?? "";
  if (node.format === "date-time") return `2026-11-21T10:00:${String(n % 60).padStart(2, "0")}Z`;
  return pattern === undefined ? `text ${n}` : patternSamples(pattern).nth(n);
}

/** A sound text of exactly so many characters (code points), or undefined where there is none. */
export function textOfLength({ pattern }: SchemaNode, length: number): string | undefined {
  return pattern === undefined ? wide(length) : patternSamples(pattern).ofLength(length);
}
