// The one place where defaults are applied: agent, then the instance's agentDefaults, then what is built in.
import type { AgentSpec, PallasAgent } from "../crds/agent.ts";
import type { InstanceSpec, PallasInstance } from "../crds/instance.ts";
import { parseDurationMs, parseQuantity } from "../crds/units.ts";

type Defaults = NonNullable<InstanceSpec["agentDefaults"]>;
type Settings = { [Key in keyof Defaults]-?: NonNullable<Defaults[Key]> };

const builtIn = {
  resources: { requests: { cpu: "50m", memory: "128Mi" }, limits: { memory: "512Mi" } },
  limits: {
    wallClock: "30m",
    toolCalls: 200,
    totalTokens: 2_000_000,
    toolResultBytes: 33_000,
    queuedCalls: 64,
  },
  scope: "connection",
  request: { stop: [], parallelToolCalls: true, maxSteps: 60 },
  history: { compactAt: 0.85, keepTurns: 2, idleTtl: "720h", maxBytes: "1Gi" },
  pod: {},
  drainTimeout: "10m",
  networkPolicy: { enabled: true, from: [], to: [] },
} as const satisfies Defaults;

/** Later layers win field by field; maps are merged by key, lists are replaced whole. */
const layered = <T extends object>(...layers: (T | undefined)[]): T => Object.assign({}, ...layers);

function layeredMap<T extends object>(key: keyof T, ...layers: (T | undefined)[]): object {
  return Object.assign({}, ...layers.map((layer) => layer?.[key]));
}

/** Every setting of an agent, with nothing left to default. */
export function effectiveSettings(agent: PallasAgent, instance: PallasInstance) {
  const own: AgentSpec = agent.spec;
  const shared: Defaults = instance.spec.agentDefaults ?? {};
  const pods = [builtIn.pod, shared.pod, own.pod];
  const resources: Settings["resources"] = {
    requests: { ...builtIn.resources.requests, ...shared.resources?.requests, ...own.resources?.requests },
    limits: { ...builtIn.resources.limits, ...shared.resources?.limits, ...own.resources?.limits },
  };
  const pod: Settings["pod"] = {
    ...layered(...pods),
    labels: { ...layeredMap<Settings["pod"]>("labels", ...pods) },
    annotations: { ...layeredMap<Settings["pod"]>("annotations", ...pods) },
    nodeSelector: { ...layeredMap<Settings["pod"]>("nodeSelector", ...pods) },
  };
  const limits = { ...builtIn.limits, ...shared.limits, ...own.limits };
  const history = { ...builtIn.history, ...shared.history, ...own.history };
  return {
    resources,
    pod,
    scope: own.scope ?? shared.scope ?? builtIn.scope,
    request: { ...builtIn.request, ...shared.request, ...own.request },
    networkPolicy: { ...builtIn.networkPolicy, ...shared.networkPolicy, ...own.networkPolicy },
    drainTimeoutMs: parseDurationMs(own.drainTimeout ?? shared.drainTimeout ?? builtIn.drainTimeout),
    limits: {
      wallClockMs: parseDurationMs(limits.wallClock),
      toolCalls: limits.toolCalls,
      totalTokens: limits.totalTokens,
      toolResultBytes: limits.toolResultBytes,
      queuedCalls: limits.queuedCalls,
    },
    history: {
      compactAt: history.compactAt,
      keepTurns: history.keepTurns,
      idleTtlMs: parseDurationMs(history.idleTtl),
      maxBytes: parseQuantity(history.maxBytes),
    },
  };
}

export type EffectiveSettings = ReturnType<typeof effectiveSettings>;
