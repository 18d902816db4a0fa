// PallasAgent: one agent, which becomes one Deployment and one Service (OPR-1).
import * as z from "zod";
import {
  drainTimeout,
  history,
  limits,
  networkPolicy,
  pod,
  policyRef,
  request,
  resources,
  scope,
} from "./agent-settings.ts";
import { conditionList, manifestSchema, observedGeneration, timestamp, type ResourceDefinition } from "./definition.ts";
import {
  choice,
  flag,
  integer,
  json,
  list,
  namedList,
  object,
  setOf,
  text,
  withRules,
  withTransitionRule,
} from "./fields.ts";
import { healthStatusSchema } from "./health.ts";
import { rfc1035 } from "./instance.ts";
import { maxNameChars, reservedAgentNames } from "./names.ts";
import { configMapSource, icon, label, model, modelCapabilities, nameRef, serverName } from "./references.ts";
import { positiveQuantity } from "./units.ts";

const toolPattern = text(128, "A tool's name, of the registry {server}__{tool}; * stands for any characters.", {
  min: 1,
});

const usedServer = object("A downstream server that it uses.", {
  name: serverName(
    "One of the instance's servers; `registry`, where none has that name, is its gateway's registry of tools.",
  ),
  tools: object("Which of its tools. Default all.", {
    allow: setOf(toolPattern, 128, "Only these.").exactOptional(),
    deny: setOf(toolPattern, 128, "Not these; it wins over allow.").exactOptional(),
  }).exactOptional(),
});

const subAgent = object("An agent offered as a tool.", {
  name: label("One of this instance's agents.", maxNameChars),
  forwardInboundAuth: flag("Whether it receives the caller's bearer token (BRR-2). Default false.").exactOptional(),
});

const output = object("How it answers. Absent: in text.", {
  schema: json(
    "JSON Schema of its answer, an object, of at most 16384 bytes. The model is asked for it and, where its answer does " +
      "not fit, once more; what fits is `output` in structuredContent.",
  ),
});

const storage = withTransitionRule(
  object("A volume claim for its histories. Absent: they live as long as the pod.", {
    size: withTransitionRule(positiveQuantity("Size of the claim; it can only grow."), {
      cel: "quantity(string(self)).compareTo(quantity(string(oldSelf))) >= 0",
      message: "can only grow",
    }),
    storageClassName: text(253, "Storage class; it cannot change.", {
      min: 1,
      pattern: /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/,
      expected: "the name of a storage class",
    }).exactOptional(),
    onDelete: choice(["Retain", "Delete"], "What becomes of the claim when the agent is deleted.").default("Retain"),
  }),
  {
    cel: "has(self.storageClassName) == has(oldSelf.storageClassName) && (!has(self.storageClassName) || self.storageClassName == oldSelf.storageClassName)",
    message: "storageClassName cannot change",
  },
);

export const agentSpec = withRules(
  object("What the agent is and what it uses.", {
    instanceRef: withTransitionRule(nameRef("The instance it belongs to, in the same namespace; it cannot change."), {
      cel: "self == oldSelf",
      message: "instanceRef cannot change; create another agent instead",
    }),
    title: text(100, "Title for people. Default: the name in title case.").exactOptional(),
    description: text(4096, "What it is for; cut to 100 characters in the catalogue.").exactOptional(),
    icons: list(icon, 8, "Pictures that clients show.").exactOptional(),
    instruction: text(131_072, "The system prompt.").exactOptional(),
    instructionFrom: configMapSource.meta({ description: "The system prompt, from a ConfigMap." }).exactOptional(),
    model: model("Its model as provider.model-name. Default: the instance's.").exactOptional(),
    modelCapabilities: modelCapabilities
      .meta({ description: "What its model can do; merged over the instance's when the model is the instance's." })
      .exactOptional(),
    fallbackModels: setOf(
      model("A model."),
      4,
      "Models tried in this order when its own is unavailable.",
    ).exactOptional(),
    request: request.exactOptional(),
    output: output.exactOptional(),
    servers: namedList(usedServer, 128, "The instance's servers that it uses.").exactOptional(),
    agents: namedList(subAgent, 64, "Agents of this instance offered to it as tools.").exactOptional(),
    dependsOn: setOf(
      label("An agent of this instance.", maxNameChars),
      64,
      "Agents that must be Ready first, beside `agents`.",
    ).exactOptional(),
    scope: scope.exactOptional(),
    emitLoopProgress: flag("Whether each step of the loop is a progress message (PRG-2).").default(true),
    policyRef: policyRef.exactOptional(),
    askUser: flag(
      "Whether its model may ask its caller a question, by the tool ask_user. Default false.",
    ).exactOptional(),
    limits: limits.exactOptional(),
    history: history.exactOptional(),
    storage: storage.exactOptional(),
    drainTimeout: drainTimeout.exactOptional(),
    port: integer(1, 65_535, "Port with externalUrl.host and in local mode.").exactOptional(),
    replicas: integer(0, 1_000, "Pods of the agent; kubectl scale and autoscalers set it.").default(1),
    resources: resources.exactOptional(),
    pod: pod.exactOptional(),
    networkPolicy: networkPolicy.exactOptional(),
  }),
  {
    cel: "!(has(self.instruction) && has(self.instructionFrom))",
    message: "at most one of instruction and instructionFrom is allowed",
    holds: (spec) => spec.instruction === undefined || spec.instructionFrom === undefined,
  },
);

const agentStatus = z
  .strictObject({
    observedGeneration: observedGeneration.exactOptional(),
    specChangedAt: timestamp
      .meta({ description: "When the spec last changed, apart from its replicas." })
      .exactOptional(),
    specDigest: text(64, "Digest of the spec as it was then.").exactOptional(),
    conditions: conditionList.exactOptional(),
    health: healthStatusSchema.meta({ description: "What its get_health says." }).exactOptional(),
    url: text(2048, "Where its MCP endpoint is reached in the cluster.").exactOptional(),
    replicas: integer(0, 1_000_000, "Pods that exist.").exactOptional(),
    readyReplicas: integer(0, 1_000_000, "Pods that are ready.").exactOptional(),
    selector: text(1024, "Label selector of its pods, for autoscalers.").exactOptional(),
  })
  .meta({ description: "What the operator observed." });

const readyCondition = (field: string) => `.status.conditions[?(@.type=="Ready")].${field}`;

export const pallasAgent = {
  kind: "PallasAgent",
  plural: "pallasagents",
  singular: "pallasagent",
  shortNames: ["pa"],
  description: "An AI agent that is served over MCP.",
  spec: agentSpec,
  status: agentStatus,
  nameRules: [
    {
      cel: `self.metadata.name.size() <= ${maxNameChars} && self.metadata.name.matches('${rfc1035.source}')`,
      message: `metadata.name must be at most ${maxNameChars} lower-case letters, digits and hyphens, starting with a letter`,
      holds: (name) => name.length <= maxNameChars && rfc1035.test(name),
    },
    {
      cel: `!(self.metadata.name in [${reservedAgentNames.map((name) => `'${name}'`).join(", ")}])`,
      message: `metadata.name cannot be ${reservedAgentNames.join(", ")}: these name what every agent offers`,
      holds: (name) => !reservedAgentNames.some((reserved) => reserved === name),
    },
    {
      cel: "!self.metadata.name.endsWith('-registry')",
      message: "metadata.name cannot end in -registry: that is the name of an instance's registry",
      holds: (name) => !name.endsWith("-registry"),
    },
  ],
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  },
  columns: [
    { name: "Instance", type: "string", jsonPath: ".spec.instanceRef.name", description: "Its instance." },
    { name: "Model", type: "string", jsonPath: ".spec.model", description: "Its own model; empty: the instance's." },
    { name: "Ready", type: "string", jsonPath: readyCondition("status"), description: "Whether it serves calls." },
    { name: "Health", type: "string", jsonPath: ".status.health", description: "What its get_health says." },
    {
      name: "Message",
      type: "string",
      jsonPath: readyCondition("message"),
      description: "Why it is or is not Ready.",
      priority: 1,
    },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp", description: "Time since its creation." },
  ],
} satisfies ResourceDefinition;

export const agentManifest = manifestSchema(pallasAgent);
export type PallasAgent = z.output<typeof agentManifest>;
export type AgentSpec = PallasAgent["spec"];
export type AgentStatus = NonNullable<PallasAgent["status"]>;
