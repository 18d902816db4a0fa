import { describe, expect, it } from "vitest";
import { agentDefaults } from "../crds/agent-settings.ts";
import { effectiveSettings } from "./settings.ts";
import { sampleAgent, sampleInstance } from "./testing/resources.ts";

const settle = (own: object, shared: object = {}) =>
  effectiveSettings(sampleAgent("research", own), sampleInstance({ agentDefaults: shared }));

const builtIn = {
  resources: { requests: { cpu: "50m", memory: "128Mi" }, limits: { memory: "512Mi" } },
  pod: { labels: {}, annotations: {}, nodeSelector: {} },
  scope: "connection",
  request: { stop: [], parallelToolCalls: true, maxSteps: 60 },
  networkPolicy: { enabled: true, from: [], to: [] },
  drainTimeoutMs: 600_000,
  limits: {
    wallClockMs: 1_800_000,
    toolCalls: 200,
    totalTokens: 2_000_000,
    toolResultBytes: 33_000,
    queuedCalls: 64,
    concurrentCalls: 64,
  },
  bodyLimitBytes: 32 * 2 ** 20,
  history: {
    compactAt: 0.85,
    keepTurns: 2,
    idleTtlMs: 2_592_000_000,
    maxBytes: 2 ** 30,
    maxBytesPerConversation: 2 ** 24,
  },
};

/** Every field that both can set: a value, what it becomes, and another value. */
const cases: [
  string,
  (value: unknown) => object,
  unknown,
  unknown,
  (settings: object) => unknown,
  unknown?,
  unknown?,
][] = [
  ["scope", (scope) => ({ scope }), "request", "shared", at("scope")],
  ["drainTimeout", (drainTimeout) => ({ drainTimeout }), "1m", "2m", at("drainTimeoutMs"), 60_000, 120_000],
  ["requests.cpu", (cpu) => ({ resources: { requests: { cpu } } }), "1", "2", at("resources", "requests", "cpu")],
  [
    "limits.memory",
    (memory) => ({ resources: { limits: { memory } } }),
    "1Gi",
    "2Gi",
    at("resources", "limits", "memory"),
  ],
  ["a new limit", (cpu) => ({ resources: { limits: { cpu } } }), "1", "2", at("resources", "limits", "cpu")],
  ["wallClock", (wallClock) => ({ limits: { wallClock } }), "1s", "2s", at("limits", "wallClockMs"), 1000, 2000],
  ["toolCalls", (toolCalls) => ({ limits: { toolCalls } }), 0, 2, at("limits", "toolCalls")],
  ["totalTokens", (totalTokens) => ({ limits: { totalTokens } }), 1, 2, at("limits", "totalTokens")],
  [
    "toolResultBytes",
    (toolResultBytes) => ({ limits: { toolResultBytes } }),
    1000,
    2000,
    at("limits", "toolResultBytes"),
  ],
  ["concurrentCalls", (concurrentCalls) => ({ limits: { concurrentCalls } }), 1, 2, at("limits", "concurrentCalls")],
  ["queuedCalls", (queuedCalls) => ({ limits: { queuedCalls } }), 0, 2, at("limits", "queuedCalls")],
  ["temperature", (temperature) => ({ request: { temperature } }), 0, 1, at("request", "temperature")],
  ["topP", (topP) => ({ request: { topP } }), 0, 1, at("request", "topP")],
  ["topK", (topK) => ({ request: { topK } }), 1, 2, at("request", "topK")],
  ["maxTokens", (maxTokens) => ({ request: { maxTokens } }), 1, 2, at("request", "maxTokens")],
  ["stop", (stop) => ({ request: { stop } }), [], ["x"], at("request", "stop")],
  ["effort", (effort) => ({ request: { effort } }), "low", "max", at("request", "effort")],
  [
    "parallelToolCalls",
    (parallelToolCalls) => ({ request: { parallelToolCalls } }),
    false,
    true,
    at("request", "parallelToolCalls"),
  ],
  ["maxSteps", (maxSteps) => ({ request: { maxSteps } }), 1, 2, at("request", "maxSteps")],
  ["compactAt", (compactAt) => ({ history: { compactAt } }), 0.1, 0.2, at("history", "compactAt")],
  ["keepTurns", (keepTurns) => ({ history: { keepTurns } }), 1, 3, at("history", "keepTurns")],
  ["idleTtl", (idleTtl) => ({ history: { idleTtl } }), "1h", "2h", at("history", "idleTtlMs"), 3_600_000, 7_200_000],
  [
    "maxBytesPerConversation",
    (maxBytesPerConversation) => ({ history: { maxBytesPerConversation } }),
    "1Mi",
    "2Mi",
    at("history", "maxBytesPerConversation"),
    2 ** 20,
    2 ** 21,
  ],
  ["maxBytes", (maxBytes) => ({ history: { maxBytes } }), 5, "1Ki", at("history", "maxBytes"), 5, 1024],
  ["a pod's label", (team) => ({ pod: { labels: { team } } }), "a", "b", at("pod", "labels", "team")],
  ["a pod's annotation", (note) => ({ pod: { annotations: { note } } }), "a", "b", at("pod", "annotations", "note")],
  ["a node's label", (zone) => ({ pod: { nodeSelector: { zone } } }), "a", "b", at("pod", "nodeSelector", "zone")],
  [
    "priorityClassName",
    (priorityClassName) => ({ pod: { priorityClassName } }),
    "low",
    "high",
    at("pod", "priorityClassName"),
  ],
  ["tolerations", (tolerations) => ({ pod: { tolerations } }), [], [{ key: "a" }], at("pod", "tolerations")],
  ["policyRef", (name) => ({ policyRef: { name } }), "careful", "cautious", at("policy")],
  ["networkPolicy.enabled", (enabled) => ({ networkPolicy: { enabled } }), false, true, at("networkPolicy", "enabled")],
  ["networkPolicy.from", (from) => ({ networkPolicy: { from } }), [], [{ ports: [] }], at("networkPolicy", "from")],
];

function at(...path: string[]) {
  return (settings: object): unknown =>
    path.reduce<unknown>(
      (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
      settings,
    );
}

describe("CFG-1 settings: the agent's own, then agentDefaults, then built-in", () => {
  it("with nothing said everything is built-in", () => {
    expect(settle({})).toEqual(builtIn);
  });

  it.each(cases)("%s", (_, make, one, two, read, oneRead = one, twoRead = two) => {
    expect(read(settle({}, make(one)))).toEqual(oneRead);
    expect(read(settle(make(two), make(one)))).toEqual(twoRead);
    expect(read(settle(make(one), make(two)))).toEqual(oneRead);
  });

  it("a field set in one place hides no other field beside it", () => {
    const settings = settle({ request: { topK: 3 } }, { request: { maxSteps: 5 }, limits: { toolCalls: 1 } });
    expect(settings.request).toEqual({ ...builtIn.request, topK: 3, maxSteps: 5 });
    expect(settings.limits).toEqual({ ...builtIn.limits, toolCalls: 1 });
  });

  it("maps are merged by key, lists replaced whole", () => {
    const shared = { pod: { labels: { a: "1", b: "1" }, tolerations: [{ key: "shared" }] } };
    const settings = settle({ pod: { labels: { b: "2", c: "2" }, tolerations: [{ key: "own" }] } }, shared);
    expect(settings.pod.labels).toEqual({ a: "1", b: "2", c: "2" });
    expect(settings.pod.tolerations).toEqual([{ key: "own" }]);
  });

  it("every field of agentDefaults is tried above", () => {
    const tried = new Set(cases.flatMap(([, make, one]) => Object.keys(make(one))));
    expect([...tried].toSorted()).toEqual(Object.keys(agentDefaults.shape).toSorted());
  });
});
