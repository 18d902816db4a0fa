// PallasRegistration: an agent or MCP server that somebody registered in the directory (DIR-1). A gateway writes it for who
// asked; what it holds is what was submitted. Whether an endpoint is alive is in the gateway's memory, never here (DIR-2).
import type * as z from "zod";
import { conditionList, manifestSchema, observedGeneration, timestamp, type ResourceDefinition } from "./definition.ts";
import { choice, integer, list, map, object, setOf, text } from "./fields.ts";
import { nameRef } from "./references.ts";

/** No Stdio and no Sse: a directory leads to what is reached over a network, by MCP's Streamable HTTP where that is spoken (DIR-5). */
export const transports = ["Http", "Amqp", "AzureServiceBus", "Grpc", "WebSocket"] as const;
export const protocols = ["Unknown", "A2A", "MCP", "ACP"] as const;
export const livenessModels = ["Ephemeral", "Persistent"] as const;

/** As UTF-8. */
export const maxCardBytes = 512 * 1024;

const word = (maxChars: number, description: string) =>
  text(maxChars, description, { min: 1, pattern: /^[^\p{Cc}]+$/u, expected: "one line of text" });

const capability = object("Something that it can do.", {
  name: word(256, "Its name."),
  description: text(4096, "What it is for.").exactOptional(),
  tags: setOf(word(64, "A tag."), 32, "Words it is found by.").exactOptional(),
});

const endpoint = object("Where it is reached.", {
  id: text(64, "Given by the directory.", { min: 1 }),
  name: word(256, "Its name."),
  transport: choice(transports, "How it is reached."),
  protocol: choice(protocols, "What it speaks."),
  address: word(2048, "Where: a URL, or the name of a queue."),
  livenessModel: choice(
    livenessModels,
    "Persistent (heartbeats) or Ephemeral (renewed before a time to live is over).",
  ),
  ttlSeconds: integer(1, 86_400, "Time to live of an Ephemeral one. Absent: 300.").exactOptional(),
  heartbeatIntervalSeconds: integer(
    1,
    86_400,
    "Time between two heartbeats of a Persistent one, which is dead after two and a half. Absent: dead after 60 s without one.",
  ).exactOptional(),
  protocolMetadata: text(65_536, "What the protocol says of it, as text.").exactOptional(),
});

const registrationSpec = object("What was registered.", {
  instanceRef: nameRef("The instance in whose directory it is, in the same namespace."),
  owner: text(1024, "Subject of who registered it; only they and admins write it.", { min: 1 }),
  name: word(256, "Its name, unique in the directory."),
  description: text(4096, "What it is for.").exactOptional(),
  labels: map(text(1024, "Its value."), 64, "Labels by their names.").exactOptional(),
  capabilities: list(capability, 4096, "What it can do.").exactOptional(),
  endpoints: list(endpoint, 32, "Where it is reached.").exactOptional(),
  card: text(maxCardBytes, "The MCP server card as it was submitted, character for character (DIR-4).").exactOptional(),
  registeredAt: timestamp.meta({ description: "When it was first registered." }).exactOptional(),
  updatedAt: timestamp.meta({ description: "When what is registered last changed." }).exactOptional(),
});

const registrationStatus = object("Nothing is observed of it by the operator.", {
  observedGeneration: observedGeneration.exactOptional(),
  conditions: conditionList.exactOptional(),
});

export const pallasRegistration = {
  kind: "PallasRegistration",
  plural: "pallasregistrations",
  singular: "pallasregistration",
  shortNames: ["preg"],
  description: "An agent or MCP server that was registered in an instance's directory.",
  spec: registrationSpec,
  status: registrationStatus,
  nameRules: [],
  columns: [
    { name: "Instance", type: "string", jsonPath: ".spec.instanceRef.name", description: "Its instance." },
    { name: "Registered", type: "string", jsonPath: ".spec.name", description: "The name it was registered by." },
    { name: "Owner", type: "string", jsonPath: ".spec.owner", description: "Who registered it.", priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp", description: "Time since its creation." },
  ],
} satisfies ResourceDefinition;

export const registrationManifest = manifestSchema(pallasRegistration);
export type PallasRegistration = z.output<typeof registrationManifest>;
export type RegistrationSpec = PallasRegistration["spec"];
export type RegistrationStatus = NonNullable<PallasRegistration["status"]>;
