// Settings of an agent that an instance can also give as agentDefaults. None has a schema default: the order is
// agent, then agentDefaults, then built-in, applied once, in plan/.
import type * as z from "zod";
import { choice, flag, integer, json, list, map, number, object, setOf, text, withRules } from "./fields.ts";
import { keyedByLabel, labelValuePattern, maxLabelValueChars } from "./object-meta.ts";
import { nameRef } from "./references.ts";
import { duration, quantity } from "./units.ts";

const resourceName = /^[a-z0-9]([-a-z0-9./]*[a-z0-9])?$/;

const namedByResource = "must be named by resources such as cpu, memory or ephemeral-storage";

const amounts = (description: string) =>
  withRules(map(quantity("An amount."), 16, description), {
    cel: `self.all(name, name.matches('${resourceName.source}'))`,
    message: namedByResource,
    holds: (entries) => Object.keys(entries).every((name) => resourceName.test(name)),
  });

/** @param memory the limit that is built in */
export const resourcesWithin = (memory: string, description = "Compute resources of its container.") =>
  object(description, {
    requests: amounts(
      "What is reserved. Default 50m CPU, 128Mi memory, or the limit where that is less.",
    ).exactOptional(),
    limits: amounts(
      `What it cannot exceed. Default ${memory} memory, or the request where that is more.`,
    ).exactOptional(),
  });
export const resources = resourcesWithin("512Mi");

export const limits = object(
  "Bounds of one call (CFG-8). Past toolCalls and totalTokens, and near wallClock, it is answered with what is known.",
  {
    wallClock: duration(
      "24h",
      "Time for one call; it stands still while people are asked. Default 30m.",
    ).exactOptional(),
    toolCalls: integer(0, 10_000, "Tool calls in one call. Default 200.").exactOptional(),
    totalTokens: integer(
      1,
      1_000_000_000,
      "Tokens read and written in one call; those read from a cache count a tenth. Default 2000000.",
    ).exactOptional(),
    toolResultBytes: integer(
      1_000,
      10_000_000,
      "Size of a tool result shown to the model. Default 33000.",
    ).exactOptional(),
    queuedCalls: integer(0, 10_000, "Calls waiting for one history. Default 64.").exactOptional(),
    concurrentCalls: integer(1, 10_000, "Calls running at the same time in one pod. Default 64.").exactOptional(),
  },
);

export const scopes = ["shared", "connection", "request"] as const;
export const scope = choice(
  scopes,
  "Who shares a history: shared (all callers), connection (one per MCP session), request (nobody). Default connection.",
);

/** Fields of a request to a model that are the agent's own, in any of the vendors' words; request.extra cannot have them. */
export const reservedExtraFields = [
  ...["model", "messages", "input", "contents", "system", "systemInstruction", "instructions", "tools", "toolConfig"],
  ...["tool_choice", "stream", "stream_options", "store"],
] as const;

export const efforts = ["minimal", "low", "medium", "high", "xhigh", "max"] as const;

export const request = object("Sampling and loop.", {
  temperature: number(0, 2, "Sampling temperature.").exactOptional(),
  topP: number(0, 1, "Nucleus sampling.").exactOptional(),
  topK: integer(1, 1_000_000, "Sampling among the K likeliest.").exactOptional(),
  maxTokens: integer(1, 10_000_000, "Tokens the model may write in one turn.").exactOptional(),
  stop: list(text(256, "A stop sequence.", { min: 1 }), 16, "Texts that end a turn.").exactOptional(),
  effort: choice(efforts, "How much the model thinks.").exactOptional(),
  extra: json(
    "Fields added to the body of each request to a model, as its provider has them; for Bedrock additionalModelRequestFields. Not model, messages, tools, stream and other fields that the agent sets. At most 16 KiB of JSON.",
    32,
  ).exactOptional(),
  parallelToolCalls: flag("Whether tools called in one turn run side by side. Default true.").exactOptional(),
  maxSteps: integer(
    1,
    1_000,
    "Model turns per call; past them one more answers with what is known. Default 60.",
  ).exactOptional(),
});

export const history = object("Stored conversations.", {
  compactAt: number(
    0.1,
    1,
    "Share of the context window at which older turns are condensed. Default 0.85.",
  ).exactOptional(),
  keepTurns: integer(1, 100, "Latest turns that stay whole. Default 2.").exactOptional(),
  idleTtl: duration("87600h", "How long an unused history is kept. Default 720h.").exactOptional(),
  maxBytes: quantity("Size of all histories together. Default 1Gi, or 80% of a smaller storage.size.").exactOptional(),
  maxBytesPerConversation: quantity(
    "Size of one history without its images; at it, messages are refused until it is cleared. Default 16Mi, or a smaller maxBytes, or a sixteenth of a smaller memory limit; a limit takes no more.",
  ).exactOptional(),
});

const labelValue = text(maxLabelValueChars, "A label's value.", {
  pattern: labelValuePattern,
  expected: "a label value: letters, digits, hyphens, underscores and dots",
});

const matchLabels = keyedByLabel(labelValue, 16, "Labels that must be there with these values.");
const labelSelector = object("A selection by labels.", {
  matchLabels: matchLabels.exactOptional(),
  matchExpressions: list(
    object("A condition on one label.", {
      key: text(316, "The label.", { min: 1 }),
      operator: choice(["In", "NotIn", "Exists", "DoesNotExist"], "How it is compared."),
      values: setOf(labelValue, 32, "Values for In and NotIn.").exactOptional(),
    }),
    16,
    "Further conditions.",
  ).exactOptional(),
});

const toleration = object("A taint that its pods tolerate.", {
  key: text(316, "The taint's key.").exactOptional(),
  operator: choice(["Exists", "Equal"], "How it is compared.").exactOptional(),
  value: text(63, "The taint's value.").exactOptional(),
  effect: choice(["NoSchedule", "PreferNoSchedule", "NoExecute"], "The taint's effect.").exactOptional(),
  tolerationSeconds: integer(0, 31_536_000, "Seconds before eviction, for NoExecute.").exactOptional(),
});

const topologySpreadConstraint = object("How its pods are spread.", {
  maxSkew: integer(1, 1_000, "Largest difference between two domains."),
  topologyKey: text(316, "The node label that makes a domain.", { min: 1 }),
  whenUnsatisfiable: choice(["DoNotSchedule", "ScheduleAnyway"], "What to do when it cannot be met."),
  labelSelector: labelSelector.exactOptional(),
  minDomains: integer(1, 1_000, "Smallest number of domains.").exactOptional(),
});

/** The only parts of a pod that authors may set (SEC-2); the restricted context is forced after them. */
export const pod = object("Settings of its pods, an allow-list.", {
  labels: keyedByLabel(labelValue, 32, "Labels added to its pods; those of Pallas win.").exactOptional(),
  annotations: keyedByLabel(text(4096, "An annotation's value."), 32, "Annotations added to its pods.").exactOptional(),
  nodeSelector: keyedByLabel(labelValue, 16, "Labels a node must have.").exactOptional(),
  tolerations: list(toleration, 16, "Taints its pods tolerate.").exactOptional(),
  priorityClassName: text(253, "Its pods' priority class.", {
    pattern: /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$/,
    expected: "the name of a priority class, or empty",
  }).exactOptional(),
  topologySpreadConstraints: list(topologySpreadConstraint, 8, "How its pods are spread.").exactOptional(),
});

const peer = object("Pods, or addresses, that may be reached or may call.", {
  podSelector: labelSelector.exactOptional(),
  namespaceSelector: labelSelector.exactOptional(),
  ipBlock: object("A range of addresses.", {
    cidr: text(64, "The range.", {
      min: 1,
      pattern: /^[0-9a-fA-F.:]+\/[0-9]{1,3}$/,
      expected: "a range such as 10.0.0.0/8",
    }),
    except: list(
      text(64, "A range.", { min: 1, pattern: /^[0-9a-fA-F.:]+\/[0-9]{1,3}$/, expected: "a range such as 10.0.0.0/8" }),
      32,
      "Ranges taken out.",
    ).exactOptional(),
  }).exactOptional(),
  ports: list(
    object("A port.", {
      protocol: choice(["TCP", "UDP"], "Protocol. Default TCP.").exactOptional(),
      port: integer(1, 65_535, "First port."),
      endPort: integer(1, 65_535, "Last port, for a range.").exactOptional(),
    }),
    16,
    "Ports; absent means all.",
  ).exactOptional(),
});

/** As a peer of Kubernetes. */
export const networkPolicyPeer = peer.omit({ ports: true });
export type NetworkPolicyPeer = z.output<typeof networkPolicyPeer>;

export const networkPolicy = object("Its NetworkPolicy: what is derived from what it uses, and more.", {
  enabled: flag("Whether there is one. Default true.").exactOptional(),
  from: list(peer, 16, "Further callers.").exactOptional(),
  to: list(peer, 16, "Further places it may reach.").exactOptional(),
});

export const drainTimeout = duration("24h", "How long a call in flight may go on after SIGTERM. Default 10m.");

export const policyRef = nameRef(
  "The PallasPolicy that its calls of tools are judged by. Default none: all are allowed.",
);

export const agentDefaults = object("Settings for agents that do not say otherwise.", {
  resources: resources.exactOptional(),
  limits: limits.exactOptional(),
  scope: scope.exactOptional(),
  request: request.exactOptional(),
  history: history.exactOptional(),
  pod: pod.exactOptional(),
  policyRef: policyRef.exactOptional(),
  drainTimeout: drainTimeout.exactOptional(),
  networkPolicy: networkPolicy.exactOptional(),
});
