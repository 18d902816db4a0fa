// A pair for every CEL rule: values that hold it and values that violate it. A rule without a pair is an error: a new
// rule in crds/ needs one here. Rules over an old value have no verdict on a file; they have a test of their own.
import { parseDurationMs } from "../../../crds/units.ts";
import { isTransitionRule, type CelRule } from "./schema-node.ts";

export interface RulePair {
  /** Each is set at the place of the rule; for rules of the whole object, at metadata.name. */
  holds: unknown[];
  violated: unknown[];
}

const provider = (fields: object) => ({ name: "p", ...fields });
const secret = { valueFrom: { secretKeyRef: { name: "keys", key: "k" } } };
const spec = { instanceRef: { name: "one" } };
const instructionFrom = { configMapKeyRef: { name: "prompts", key: "k" } };
const longName = "a".repeat(51);
const domain = `${"a".repeat(125)}.${"b".repeat(127)}`;

const auth = {
  oauth: { tokenUrl: "https://id.example.com/token", clientId: "c", clientSecret: secret.valueFrom },
};
const role = "viewer";
const serviceAccount = { name: "on-call" };
const claim = { name: "groups", value: "engineering" };
const tokenFrom = secret.valueFrom;
const embeddings = { kind: "openai", baseUrl: "http://m/v1", model: "m" };
const server = (fields: object) => ({ name: "s", url: "http://s/mcp", ...fields });
const ownProvider = (fields: object) => provider({ kind: "openai", ...fields });

const remote = { url: "http://s/mcp" };
const container = { image: "a", command: ["/server"] };
const npm = { kind: "npm", name: "@acme/server" };
const local = { command: "node" };

const kinds =
  "kind is needed, because the name is not one of anthropic, openai, openai-compatible, google, bedrock, huggingface";
const resourceNames = "must be named by resources such as cpu, memory or ephemeral-storage";

const hash = `sha256:${"0".repeat(64)}`;
const decision = { argumentsHash: hash, by: "ann", at: "2026-11-21T10:00:00Z" };
const question = {
  ...spec,
  ...{ sessionHash: "0".repeat(64), caller: "ann", chain: [], server: "bank", tool: "pay", toolHash: hash },
  ...{ argumentsHash: hash, arguments: "{}", redacted: [], policy: { name: "p", generation: 1 } },
  ...{ callHash: "0".repeat(64), expiresAt: "2026-11-21T10:00:00Z" },
};

/** By message: what people read is what the pair is about. */
const pairs: Record<string, RulePair> = {
  "arguments are needed with verdict approveEdited, and are for it only": {
    holds: [
      { ...decision, verdict: "approve" },
      { ...decision, verdict: "approveEdited", arguments: "{}" },
    ],
    violated: [
      { ...decision, verdict: "approveEdited" },
      { ...decision, verdict: "approve", arguments: "{}" },
    ],
  },
  "answer is needed with verdict answer, and is for it only": {
    holds: [
      { ...decision, verdict: "denyAbort" },
      { ...decision, verdict: "answer", answer: "" },
    ],
    violated: [
      { ...decision, verdict: "answer" },
      { ...decision, verdict: "denyContinue", answer: "no" },
    ],
  },
  "scope session is for verdict approve only": {
    holds: [
      { ...decision, verdict: "approve", scope: "session" },
      { ...decision, verdict: "denyContinue", scope: "once" },
    ],
    violated: [
      { ...decision, verdict: "denyContinue", scope: "session" },
      { ...decision, verdict: "approveEdited", arguments: "{}", scope: "session" },
    ],
  },
  "decision.argumentsHash must be spec.argumentsHash: another call was looked at": {
    holds: [question, { ...question, decision: { ...decision, verdict: "approve" } }],
    violated: [
      { ...question, decision: { ...decision, verdict: "approve", argumentsHash: `sha256:${"1".repeat(64)}` } },
    ],
  },
  "metadata.name must be at most 50 lower-case letters, digits and hyphens, starting with a letter": {
    holds: ["a", "a-9", longName.slice(1)],
    violated: [longName, "9a", "a.b", "a_b", "A", "a-", "-a", ""],
  },
  "metadata.name cannot be send-message, get-health, clear-history, history: these name what every agent offers": {
    holds: ["send", "send-messages", "my-history"],
    violated: ["send-message", "get-health", "clear-history", "history"],
  },
  "metadata.name cannot end in -registry: that is the name of an instance's registry": {
    holds: ["registry", "my-registry-2", "myregistry"],
    violated: ["my-registry", "a-registry-registry"],
  },
  "at most one of instruction and instructionFrom is allowed": {
    holds: [spec, { ...spec, instruction: "" }, { ...spec, instructionFrom }],
    violated: [
      { ...spec, instruction: "x", instructionFrom },
      { ...spec, instruction: "", instructionFrom },
    ],
  },
  'must not contain "__", which separates server and tool in the names that models see': {
    holds: ["a_b", "a_-_b", "a_"],
    violated: ["a__b", "a__", "a___b"],
  },
  "must be more than 0": { holds: ["1", 1, "1m", "0.000000001m"], violated: ["0", 0, "0Gi", "0.000000000Ei"] },
  [resourceNames]: {
    holds: [{}, { cpu: "1", "nvidia.com/gpu": 1 }],
    violated: [{ CPU: "1" }, { "cpu ": 1 }, { cpu: "1", "": 1 }, { "-a": 1 }],
  },
  "every key must be a label's key, such as team or example.com/team": {
    holds: [{}, { a: "1", "a.b_C-d": "1" }, { "example.com/A": "1" }, { [`${domain}/${"a".repeat(63)}`]: "1" }],
    violated: ["", "-a", "a-", "a b", "/a", "a/", "a/b/c", "A.com/x", "a..b/c", "a".repeat(64), `${domain}a/b`].map(
      (key) => ({ [key]: "1" }),
    ),
  },
  "exactly one of serviceAccount, claim and tokenFrom is needed": {
    holds: [
      { role, serviceAccount },
      { role, claim },
      { role, tokenFrom },
    ],
    violated: [
      { role },
      { role, serviceAccount, claim },
      { role, claim, tokenFrom },
      { role, serviceAccount, tokenFrom },
      { role, serviceAccount, claim, tokenFrom },
    ],
  },
  "exactly one of role and agent is needed": {
    holds: [
      { role, tokenFrom },
      { agent: "clerk", tokenFrom },
    ],
    violated: [{ tokenFrom }, { role, agent: "clerk", tokenFrom }],
  },
  "agent goes with tokenFrom only, and without agents and servers: what an agent may do is said by the agent": {
    holds: [
      { agent: "clerk", tokenFrom },
      { role, serviceAccount, agents: ["*"], servers: ["*"] },
    ],
    violated: [
      { agent: "clerk", serviceAccount },
      { agent: "clerk", claim },
      { agent: "clerk", tokenFrom, agents: ["*"] },
      { agent: "clerk", tokenFrom, servers: [] },
    ],
  },
  "baseUrl and model are needed with kind openai; they and apiKey are for it only": {
    holds: [{ kind: "static" }, { kind: "none" }, embeddings, { ...embeddings, apiKey: tokenFrom }],
    violated: [
      { kind: "openai" },
      { kind: "openai", baseUrl: embeddings.baseUrl },
      { kind: "openai", model: "m" },
      { ...embeddings, kind: "static" },
      { kind: "none", baseUrl: embeddings.baseUrl },
      { kind: "static", model: "m" },
      { kind: "none", apiKey: tokenFrom },
    ],
  },
  "exactly one of host and template is needed": {
    holds: [{ host: "a" }, { template: "https://a/mcp" }],
    violated: [{}, { host: "a", template: "https://a/mcp" }],
  },
  [kinds]: {
    holds: [provider({ name: "openai" }), provider({ kind: "google" }), provider({ name: "bedrock" })],
    violated: [provider({}), provider({ name: "my-openai" })],
  },
  "auth and forwardInboundAuth exclude each other: a server gets the agent's token or the caller's": {
    holds: [
      server({}),
      server({ auth }),
      server({ auth, forwardInboundAuth: false }),
      server({ forwardInboundAuth: true }),
    ],
    violated: [server({ auth, forwardInboundAuth: true })],
  },
  "auth and forwardInboundAuth exclude each other: a provider gets the agent's token or the caller's": {
    holds: [
      ownProvider({}),
      ownProvider({ auth, forwardInboundAuth: false }),
      ownProvider({ forwardInboundAuth: true }),
    ],
    violated: [ownProvider({ auth, forwardInboundAuth: true })],
  },
  "at most one of auth and apiKey is allowed": {
    holds: [ownProvider({ auth }), ownProvider({ apiKey: secret.valueFrom })],
    violated: [ownProvider({ auth, apiKey: secret.valueFrom })],
  },
  "baseUrl is needed for openai-compatible": {
    holds: [
      provider({ kind: "openai-compatible", baseUrl: "http://a" }),
      provider({ name: "openai-compatible", kind: "openai" }),
    ],
    violated: [provider({ kind: "openai-compatible" }), provider({ name: "openai-compatible" })],
  },
  "region is for bedrock only": {
    holds: [provider({ kind: "bedrock", region: "eu" }), provider({ name: "bedrock", region: "eu" })],
    violated: [
      provider({ kind: "openai", region: "eu" }),
      provider({ name: "bedrock", kind: "google", region: "eu" }),
      provider({ name: "openai", region: "eu" }),
    ],
  },
  "passthrough, playback, slow are built in and cannot be redefined": {
    holds: [provider({ name: "slower", kind: "openai" })],
    violated: ["passthrough", "playback", "slow"].map((name) => provider({ name, kind: "openai" })),
  },
  // Headers, and variables of a process.
  "exactly one of value and valueFrom is needed": {
    holds: [
      { name: "XA", value: "" },
      { name: "XA", ...secret },
    ],
    violated: [{ name: "XA" }, { name: "XA", value: "", ...secret }],
  },
  "name cannot start with PALLAS_, which is for variables of Pallas": {
    holds: ["PALLAS", "X_PALLAS_A", "pallas_a"].map((name) => ({ name, value: "" })),
    violated: ["PALLAS_", "PALLAS_A"].map((name) => ({ name, value: "" })),
  },
  "exactly one of remote, container, package and local is needed": {
    holds: [{ remote }, { container }, { package: npm }, { local }].map((source) => ({ ...spec, ...source })),
    violated: [
      {},
      { remote, container },
      { container, package: npm },
      { package: npm, local },
      { remote, container, package: npm, local },
    ].map((sources) => ({ ...spec, ...sources })),
  },
  "env, sessions and egress are for servers that run here; remove them from a remote one": {
    holds: [
      { ...spec, remote },
      { ...spec, package: npm, env: [], sessions: {}, egress: [] },
    ],
    violated: [{ env: [] }, { sessions: {} }, { egress: [] }].map((field) => ({ ...spec, remote, ...field })),
  },
  "container.command must name the program, since nobody reads the image for it": {
    holds: [{ ...spec, container }],
    violated: [{ ...spec, container: { ...container, command: [] } }],
  },
  "a package of pypi has no scope; remove it from the name, or set kind to npm": {
    holds: [npm, { kind: "pypi", name: "a" }],
    violated: [{ ...npm, kind: "pypi" }],
  },
  "with is for packages of pypi; pin another version of this one": {
    holds: [npm, { kind: "pypi", name: "a" }, { kind: "pypi", name: "a", with: ["mcp<2"] }],
    violated: [
      { ...npm, with: ["mcp<2"] },
      { ...npm, with: [] },
    ],
  },
  "audiences must name at least one": {
    holds: [{ issuer: "https://id.example.com", audiences: ["pallas"] }],
    violated: [{ issuer: "https://id.example.com", audiences: [] }],
  },
  "more than one replica needs metrics.mode podMonitor, otherwise every series is counted twice": {
    holds: [
      {},
      { replicas: 1 },
      { replicas: 0, metrics: { mode: "aggregate" } },
      { replicas: 2, metrics: { mode: "podMonitor" } },
    ],
    violated: [{ replicas: 2 }, { replicas: 16, metrics: {} }, { replicas: 2, metrics: { mode: "aggregate" } }],
  },
};

const durationBounds = /^must be longer than 0s and at most (?<maximum>.+)$/;

/** At the maximum, also in parts, and one step past it. */
function durationPair(maximum: string): RulePair {
  const ms = parseDurationMs(maximum);
  return {
    holds: [maximum, `${ms}ms`, `${ms - 1}ms1ms`, `${ms / 1000 - 1}.999s1ms`, "0.001ms", "1ms"],
    violated: [`${ms + 1}ms`, `${maximum}0.001ms`, "0s", "0h0m0.000s", "9999999999999999999h"],
  };
}

const durationRange = /^must be at least (?<minimum>.+) and at most (?<maximum>.+)$/;

/** At both ends, and one step past each. */
function durationRangePair(minimum: string, maximum: string): RulePair {
  const [least, most] = [parseDurationMs(minimum), parseDurationMs(maximum)];
  return {
    holds: [minimum, maximum, `${least}ms`, `${most}ms`, `${most - 1}ms1ms`],
    violated: [`${most + 1}ms`, `${maximum}0.001ms`, ...(least > 0 ? [`${least - 1}ms`, `${least - 1}.999ms`] : [])],
  };
}

/** The pair of a rule, or undefined for a rule over an old value. */
export function rulePair(rule: CelRule): RulePair | undefined {
  if (isTransitionRule(rule)) return undefined;
  const { maximum } = durationBounds.exec(rule.message)?.groups ?? {};
  const range = durationRange.exec(rule.message)?.groups;
  const ofRange = range && durationRangePair(range["minimum"] ?? "", range["maximum"] ?? "");
  const pair = ofRange ?? (maximum === undefined ? pairs[rule.message] : durationPair(maximum));
  if (!pair) {
    throw new Error(
      `expected values that hold and violate the rule "${rule.message}", found none; add them in rule-cases.ts`,
    );
  }
  return pair;
}

/** Messages that have a pair, for finding those of rules that are gone. */
export const pairedMessages = (): string[] => Object.keys(pairs);
