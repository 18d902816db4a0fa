// Amounts that contradict each other: requests above limits, which the API server refuses in every pod, histories that
// may outgrow their claim, and bodies and histories that memory has no room for. What is built in gives way (settings.ts); only what was written is refused.
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import type { PallasServer } from "../crds/server.ts";
import { compareQuantities } from "../crds/units.ts";
import type { ValidationError } from "./validation-error.ts";
import { effectiveSettings, readMemoryFactor } from "./settings.ts";

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

/** Problems of the first layer, be it by itself or with those below it. */
function resourceProblems(own: Layer, ...below: Layer[]): ValidationError[] {
  const layers = [own, ...below];
  const names = new Set([...Object.keys(own.resources?.requests ?? {}), ...Object.keys(own.resources?.limits ?? {})]);
  return [...names].flatMap((name): ValidationError[] => {
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

export const instanceAmountProblems = ({ spec }: PallasInstance): ValidationError[] => [
  ...resourceProblems({ resources: spec.agentDefaults?.resources, path: `${defaultsPath}.resources` }),
  ...resourceProblems({ resources: spec.gateway?.resources, path: "spec.gateway.resources" }),
];

export const serverAmountProblems = ({ spec }: PallasServer): ValidationError[] =>
  resourceProblems({ resources: spec.resources, path: "spec.resources" });

/** As a message names the place that says this field of `history`. */
const historyPlace = ({ spec }: PallasAgent, instance: PallasInstance, field: "maxBytes" | "maxBytesPerConversation") =>
  spec.history?.[field] === undefined
    ? `${defaultsPath}.history.${field} of instance "${instance.metadata.name}"`
    : `spec.history.${field}`;

function storageProblems(agent: PallasAgent, instance: PallasInstance): ValidationError[] {
  const { spec } = agent;
  const shared = instance.spec.agentDefaults?.history?.maxBytes;
  const maxBytes = spec.history?.maxBytes ?? shared;
  if (!spec.storage || maxBytes === undefined || compareQuantities(maxBytes, spec.storage.size) <= 0) return [];
  const place = historyPlace(agent, instance, "maxBytes");
  const message = `found ${spec.storage.size}, less than the ${maxBytes} of ${place}; make the claim larger, or set spec.history.maxBytes to no more than it`;
  return [{ reason: "InvalidField", path: "spec.storage.size", message }];
}

interface Read {
  /** As it was written; nothing is refused where it was not. */
  amount: string | number | undefined;
  /** In effect. */
  bytes: number;
  /** As messages name it, and what takes the memory. */
  place: string;
  by: string;
}

/** What one call may read at once must always be possible, or a single one would end the pod (SEC-6). */
function memoryProblems(agent: PallasAgent, instance: PallasInstance): ValidationError[] {
  const { resources, bodyLimitBytes, history } = effectiveSettings(agent, instance);
  const memory = resources.limits["memory"];
  if (memory === undefined) return [];
  const [own, shared] = [agent.spec.history, instance.spec.agentDefaults?.history];
  const reads: Read[] = [
    {
      amount: instance.spec.http?.bodyLimit,
      bytes: bodyLimitBytes,
      place: `http.bodyLimit of instance "${instance.metadata.name}"`,
      by: "one request",
    },
    {
      amount: own?.maxBytesPerConversation ?? shared?.maxBytesPerConversation,
      bytes: history.maxBytesPerConversation,
      place: historyPlace(agent, instance, "maxBytesPerConversation"),
      by: "one call of a long conversation",
    },
  ];
  return reads.flatMap(({ amount, bytes, place, by }): ValidationError[] => {
    const neededBytes = bytes * readMemoryFactor;
    if (amount === undefined || compareQuantities(neededBytes, memory) <= 0) return [];
    const message = `is ${memory}, less than ${readMemoryFactor} times the ${amount} of ${place}, which ${by} may take; raise the limit to ${Math.ceil(neededBytes / 2 ** 20)}Mi, or lower ${place.split(" ", 1)[0]}`;
    return [{ reason: "InvalidField", path: "spec.resources.limits.memory", message }];
  });
}

export const agentAmountProblems = (agent: PallasAgent, instance: PallasInstance): ValidationError[] => [
  ...resourceProblems(
    { resources: agent.spec.resources, path: "spec.resources" },
    {
      resources: instance.spec.agentDefaults?.resources,
      path: `instance "${instance.metadata.name}" ${defaultsPath}.resources`,
    },
  ),
  ...storageProblems(agent, instance),
  ...memoryProblems(agent, instance),
];
