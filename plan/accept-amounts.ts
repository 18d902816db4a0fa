// Amounts that contradict each other: requests above limits, which the API server refuses in every pod, histories that
// may outgrow their claim, and bodies that memory has no room for. What is built in gives way (settings.ts); only what was written is refused.
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import { compareQuantities } from "../crds/units.ts";
import type { Fault } from "./fault.ts";
import { bodyMemoryFactor, effectiveSettings } from "./settings.ts";

type Resources = PallasAgent["spec"]["resources"];

interface Layer {
  readonly resources: Resources;
  /** As a message names it. */
  readonly path: string;
}

/** The layer that says this amount: the first one wins, as in effectiveSettings. */
const findAmount = (layers: readonly Layer[], side: "requests" | "limits", name: string) =>
  layers
    .map((layer) => ({ layer, path: `${layer.path}.${side}.${name}`, amount: layer.resources?.[side]?.[name] }))
    .find(({ amount }) => amount !== undefined);

/** Faults of the first layer, be it by itself or with those below it. */
function resourceFaults(own: Layer, ...below: Layer[]): Fault[] {
  const layers = [own, ...below];
  const names = new Set([...Object.keys(own.resources?.requests ?? {}), ...Object.keys(own.resources?.limits ?? {})]);
  return [...names].flatMap((name): Fault[] => {
    const [request, limit] = [findAmount(layers, "requests", name), findAmount(layers, "limits", name)];
    if (request?.amount === undefined || limit?.amount === undefined) return [];
    if (compareQuantities(request.amount, limit.amount) <= 0) return [];
    return [
      request.layer === own
        ? {
            reason: "InvalidField",
            path: request.path,
            message: `found ${request.amount}, above the limit ${limit.amount} of ${limit.path}; lower the request, or raise the limit`,
          }
        : {
            reason: "InvalidField",
            path: limit.path,
            message: `found ${limit.amount}, below the request ${request.amount} of ${request.path}; raise the limit, or set ${own.path}.requests.${name} to no more than it`,
          },
    ];
  });
}

const defaultsPath = "spec.agentDefaults";

export const instanceAmountFaults = ({ spec }: PallasInstance): Fault[] =>
  resourceFaults({ resources: spec.agentDefaults?.resources, path: `${defaultsPath}.resources` });

function storageFaults({ spec }: PallasAgent, instance: PallasInstance): Fault[] {
  const shared = instance.spec.agentDefaults?.history?.maxBytes;
  const maxBytes = spec.history?.maxBytes ?? shared;
  if (!spec.storage || maxBytes === undefined || compareQuantities(maxBytes, spec.storage.size) <= 0) return [];
  const place =
    spec.history?.maxBytes === undefined
      ? `${defaultsPath}.history.maxBytes of instance "${instance.metadata.name}"`
      : "spec.history.maxBytes";
  const message = `found ${spec.storage.size}, less than the ${maxBytes} of ${place}; make the claim larger, or set spec.history.maxBytes to no more than it`;
  return [{ reason: "InvalidField", path: "spec.storage.size", message }];
}

/** One body of the allowed size must always be possible, or a single request would end the pod (SEC-6). */
function bodyFaults(agent: PallasAgent, instance: PallasInstance): Fault[] {
  const { resources, bodyLimitBytes } = effectiveSettings(agent, instance);
  const memory = resources.limits["memory"];
  const bodyLimit = instance.spec.http?.bodyLimit;
  if (memory === undefined || bodyLimit === undefined) return [];
  const neededBytes = bodyLimitBytes * bodyMemoryFactor;
  if (compareQuantities(neededBytes, memory) <= 0) return [];
  const message = `is ${memory}, less than ${bodyMemoryFactor} times the ${bodyLimit} of http.bodyLimit of instance "${instance.metadata.name}", which one request may take; raise the limit to ${Math.ceil(neededBytes / 2 ** 20)}Mi, or lower http.bodyLimit`;
  return [{ reason: "InvalidField", path: "spec.resources.limits.memory", message }];
}

export const agentAmountFaults = (agent: PallasAgent, instance: PallasInstance): Fault[] => [
  ...resourceFaults(
    { resources: agent.spec.resources, path: "spec.resources" },
    {
      resources: instance.spec.agentDefaults?.resources,
      path: `instance "${instance.metadata.name}" ${defaultsPath}.resources`,
    },
  ),
  ...storageFaults(agent, instance),
  ...bodyFaults(agent, instance),
];
