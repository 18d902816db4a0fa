// The one place where defaults are applied: agent, then the instance's agentDefaults, then what is built in.
import type { AgentSpec, PallasAgent } from "../crds/agent.ts";
import type { InstanceSpec, PallasInstance } from "../crds/instance.ts";
import { compareQuantities, parseDurationMs, parseQuantity } from "../crds/units.ts";

/** Without the policy, which has no built-in. */
type Defaults = Omit<NonNullable<InstanceSpec["agentDefaults"]>, "policyRef">;
type Settings = { [Key in keyof Defaults]-?: NonNullable<Defaults[Key]> };

const builtIn = {
  resources: { requests: { cpu: "50m", memory: "128Mi" }, limits: { memory: "512Mi" } },
  limits: {
    wallClock: "30m",
    toolCalls: 200,
    totalTokens: 2_000_000,
    toolResultBytes: 33_000,
    queuedCalls: 64,
    concurrentCalls: 64,
  },
  scope: "connection",
  request: { stop: [], parallelToolCalls: true, maxSteps: 60 },
  history: { compactAt: 0.85, keepTurns: 2, idleTtl: "720h", maxBytes: "1Gi", maxBytesPerConversation: "16Mi" },
  pod: {},
  drainTimeout: "10m",
  networkPolicy: { enabled: true, from: [], to: [] },
} as const satisfies Defaults;

/** Later layers win field by field; maps are merged by key, lists are replaced whole. */
const layered = <T extends object>(...layers: (T | undefined)[]): T => Object.assign({}, ...layers);

function layeredMap<T extends object>(key: keyof T, ...layers: (T | undefined)[]): object {
  return Object.assign({}, ...layers.map((layer) => layer?.[key]));
}

type Amounts = NonNullable<Settings["resources"]["requests"]>;

/** The built-in amounts, each moved to what was written on the other side where that leaves no room for it. */
const givingWay = (defaults: Amounts, written: Amounts, leavesNoRoom: (order: number) => boolean): Amounts =>
  Object.fromEntries(
    Object.entries(defaults).map(([name, amount]) => {
      const bound = written[name];
      return [name, bound !== undefined && leavesNoRoom(compareQuantities(bound, amount)) ? bound : amount];
    }),
  );

/** Of one process in Node and a server beside it, or of several such in one container. */
export const serverResources = {
  requests: builtIn.resources.requests,
  limits: { memory: "1Gi" },
} as const;

/** A built-in request follows a lower limit down, a built-in limit a higher request up: the API refuses the reverse. */
export function effectiveResources(
  shared: Defaults["resources"],
  own: Defaults["resources"],
  defaults: Required<Settings["resources"]> = builtIn.resources,
): Required<Settings["resources"]> {
  const requests: Amounts = { ...shared?.requests, ...own?.requests };
  const limits: Amounts = { ...shared?.limits, ...own?.limits };
  return {
    requests: { ...givingWay(defaults.requests, limits, (order) => order < 0), ...requests },
    limits: { ...givingWay(defaults.limits, requests, (order) => order > 0), ...limits },
  };
}

/** Of a claim, what its histories may fill; the rest is for whole blocks of small files and the file system's own. */
const claimShare = 0.8;

/** What is built in gives way to a smaller claim. */
function maxEffectiveBytes(written: Settings["history"]["maxBytes"], storage: AgentSpec["storage"]): number {
  if (written !== undefined) return parseQuantity(written);
  const whole = parseQuantity(builtIn.history.maxBytes);
  return storage ? Math.min(whole, Math.ceil(parseQuantity(storage.size) * claimShare)) : whole;
}

/** What a body or a history takes of an agent's memory while it is read, parsed and sent on to a model, at its own size. */
export const readMemoryFactor = 16;
export const builtInBodyLimit = "32Mi";

/** The size of what one call reads at once. What is built in gives way to a smaller memory limit. */
export function effectiveReadBytes(
  written: string | number | undefined,
  whole: string,
  { limits }: Required<Settings["resources"]>,
): number {
  if (written !== undefined) return parseQuantity(written);
  const memory = limits["memory"];
  const wholeBytes = parseQuantity(whole);
  return memory === undefined ? wholeBytes : Math.min(wholeBytes, Math.floor(parseQuantity(memory) / readMemoryFactor));
}

export const effectiveScope = ({ spec }: PallasAgent, instance: PallasInstance): Settings["scope"] =>
  spec.scope ?? instance.spec.agentDefaults?.scope ?? builtIn.scope;

/** Of an instance's agents that say nothing else. */
export const sharedDrainTimeoutMs = ({ spec }: PallasInstance): number =>
  parseDurationMs(spec.agentDefaults?.drainTimeout ?? builtIn.drainTimeout);

/** How long somebody may take to decide of a call, and how long what was decided is kept. */
export const approvalSettings = ({ spec: { gateway } }: PallasInstance): { timeoutMs: number; keepMs: number } => ({
  timeoutMs: parseDurationMs(gateway?.approvals?.timeout ?? "10m"),
  keepMs: parseDurationMs(gateway?.approvals?.keep ?? "168h"),
});

/** Name of the policy that an agent's calls are judged by; undefined: all are allowed. */
export const effectivePolicy = ({ spec }: PallasAgent, instance: PallasInstance): string | undefined =>
  (spec.policyRef ?? instance.spec.agentDefaults?.policyRef)?.name;

/** Maps of several layers are merged, the later ones win. */
export function effectivePod(...written: Defaults["pod"][]): Settings["pod"] {
  const pods = [builtIn.pod, ...written];
  return {
    ...layered(...pods),
    labels: { ...layeredMap<Settings["pod"]>("labels", ...pods) },
    annotations: { ...layeredMap<Settings["pod"]>("annotations", ...pods) },
    nodeSelector: { ...layeredMap<Settings["pod"]>("nodeSelector", ...pods) },
  };
}

/** Every setting of an agent, with nothing left to default. */
export function effectiveSettings(agent: PallasAgent, instance: PallasInstance) {
  const own: AgentSpec = agent.spec;
  const shared: Defaults = instance.spec.agentDefaults ?? {};
  const pod = effectivePod(shared.pod, own.pod);
  const limits = { ...builtIn.limits, ...shared.limits, ...own.limits };
  const history = { ...builtIn.history, ...shared.history, ...own.history };
  const resources = effectiveResources(shared.resources, own.resources);
  const ofOneHistory = own.history?.maxBytesPerConversation ?? shared.history?.maxBytesPerConversation;
  const maxBytes = maxEffectiveBytes(own.history?.maxBytes ?? shared.history?.maxBytes, own.storage);
  return {
    resources,
    bodyLimitBytes: effectiveReadBytes(instance.spec.http?.bodyLimit, builtInBodyLimit, resources),
    pod,
    policy: effectivePolicy(agent, instance),
    scope: effectiveScope(agent, instance),
    request: { ...builtIn.request, ...shared.request, ...own.request },
    networkPolicy: { ...builtIn.networkPolicy, ...shared.networkPolicy, ...own.networkPolicy },
    drainTimeoutMs: parseDurationMs(own.drainTimeout ?? shared.drainTimeout ?? builtIn.drainTimeout),
    limits: {
      wallClockMs: parseDurationMs(limits.wallClock),
      toolCalls: limits.toolCalls,
      totalTokens: limits.totalTokens,
      toolResultBytes: limits.toolResultBytes,
      queuedCalls: limits.queuedCalls,
      concurrentCalls: limits.concurrentCalls,
    },
    history: {
      compactAt: history.compactAt,
      keepTurns: history.keepTurns,
      idleTtlMs: parseDurationMs(history.idleTtl),
      maxBytes,
      maxBytesPerConversation: Math.min(
        effectiveReadBytes(ofOneHistory, builtIn.history.maxBytesPerConversation, resources),
        maxBytes,
      ),
    },
  };
}

export type EffectiveSettings = ReturnType<typeof effectiveSettings>;
