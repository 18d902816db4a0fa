// What callers send to register (DIR-1, DIR-5), read into what is kept: null counts as absent, words are taken in any case or as the
// numbers that other directories' clients send. How long each text may be is the schema's of the resource to say.
import * as z from "zod";
import { livenessModels, protocols, transports, type RegistrationSpec } from "../../crds/registration.ts";
import { defined } from "../../lib/process/defined.ts";
import { findWord } from "./discover.ts";
import { describeIssues } from "./issues.ts";
import type { RegisteredEndpoint } from "./liveness.ts";
import { DirectoryRefused } from "./refused.ts";

/** Half of a character would be another one to the API server. */
const text = z
  .string()
  .refine((value) => value.isWellFormed(), "must be whole characters: a surrogate stands alone in it");

/** Reached on one machine alone, or by what Streamable HTTP replaced. */
const refusedTransports = new Map([
  [
    "stdio",
    "a stdio server runs on the machine of its client, where no directory leads to: serve it over Streamable HTTP and register that with transport Http",
  ],
  [
    "sse",
    "HTTP+SSE was replaced by Streamable HTTP in MCP 2025-03-26: serve that, and register it with transport Http",
  ],
  [
    "http+sse",
    "HTTP+SSE was replaced by Streamable HTTP in MCP 2025-03-26: serve that, and register it with transport Http",
  ],
]);

const word = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.union([z.string(), z.int()]).transform((given, context): Words[number] => {
    const found = typeof given === "number" ? words[given] : findWord<Words[number]>(given, words);
    if (found !== undefined) return found;
    const why = refusedTransports.get(String(given).toLowerCase());
    context.addIssue({ code: "custom", message: why ?? `must be one of ${words.join(", ")}` });
    return z.NEVER;
  });

const capability = z.strictObject({ name: text, description: text.nullish(), tags: z.array(text).nullish() });

const endpoint = z
  .strictObject({
    name: text,
    transport: word(transports),
    protocol: word(protocols),
    address: text,
    livenessModel: word(livenessModels),
    ttlSeconds: z.number().nullish(),
    heartbeatIntervalSeconds: z.number().nullish(),
    protocolMetadata: text.nullish(),
  })
  .superRefine(({ transport, protocol, address, livenessModel, ttlSeconds, heartbeatIntervalSeconds }, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: "custom", path: [field], message });
    if (protocol === "MCP" && transport !== "Http") {
      refuse("transport", "an MCP server is registered with transport Http, which is Streamable HTTP");
    }
    if (transport === "Http" && !(/^https?:/i.test(address) && URL.canParse(address))) {
      refuse("address", "must be an http or https URL");
    }
    if (livenessModel === "Persistent" && (ttlSeconds ?? undefined) !== undefined) {
      refuse("ttlSeconds", "is of Ephemeral endpoints: a Persistent one has heartbeatIntervalSeconds");
    }
    if (livenessModel === "Ephemeral" && (heartbeatIntervalSeconds ?? undefined) !== undefined) {
      refuse("heartbeatIntervalSeconds", "is of Persistent endpoints: an Ephemeral one has ttlSeconds");
    }
  });

const agent = z.strictObject({
  name: text,
  description: text.nullish(),
  labels: z.record(text, text).nullish(),
  capabilities: z.array(capability).nullish(),
  endpoints: z.array(endpoint).nullish(),
});

export type SubmittedEndpoint = Omit<RegisteredEndpoint, "id">;

export interface SubmittedAgent extends Pick<RegistrationSpec, "name" | "description" | "labels" | "capabilities"> {
  endpoints?: SubmittedEndpoint[];
}

function read<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (!result.success) throw new DirectoryRefused(422, describeIssues(result.error, ""));
  return result.data;
}

type Given<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], null> };

/** Without the fields that are null. */
function given<Fields extends object>(fields: Fields): Given<Fields>;
function given(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** Throws a DirectoryRefused that names each faulty field. */
export function parseSubmittedEndpoint(body: unknown): SubmittedEndpoint {
  return renderEndpoint(read(endpoint, body));
}

/** Throws a DirectoryRefused that names each faulty field. */
export function parseSubmittedAgent(body: unknown): SubmittedAgent {
  const { name, description, labels, capabilities, endpoints } = given(read(agent, body));
  const names = endpoints?.map((each) => each.name) ?? [];
  const seen = new Set<string>();
  const repeated = names.find((each) => seen.size === seen.add(each).size);
  if (repeated !== undefined) {
    throw new DirectoryRefused(422, `endpoints: two are named "${repeated}": give each a name of its own`);
  }
  return {
    name,
    ...defined({
      description,
      labels,
      capabilities: capabilities?.map((each) => {
        const { name: own, description: about, tags } = given(each);
        return { name: own, ...defined({ description: about, tags: tags && [...new Set(tags)] }) };
      }),
      endpoints: endpoints?.map(renderEndpoint),
    }),
  };
}

function renderEndpoint(read: z.output<typeof endpoint>): SubmittedEndpoint {
  const { name, transport, protocol, address, livenessModel, ...others } = given(read);
  const { ttlSeconds, heartbeatIntervalSeconds, protocolMetadata } = others;
  return {
    ...{ name, transport, protocol, address, livenessModel },
    ...defined({ ttlSeconds, heartbeatIntervalSeconds, protocolMetadata }),
  };
}
