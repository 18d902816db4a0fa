// The two files that the operator (or `pallas up`) writes and an agent reads: everything resolved, nothing secret. What an
// agent runs on is one that never changes while its process lives; what it may learn meanwhile is the other.
// Secrets and long texts are named, and read from mounted files, so that a rotated one needs no restart.
// Unknown keys are ignored on reading: a runtime one minor version older must be able to run it (OPR-11).
import * as z from "zod";
import { efforts, scopes } from "./agent-settings.ts";
import { providerKinds } from "./instance.ts";
import { policyActions } from "./policy.ts";
import { builtInProviders, reasoningContents } from "./references.ts";

const fileKey = z.object({ name: z.string(), key: z.string() });
/** Name of a Secret and a key in it: a file {name}/{key} below the secrets folder. */
export type SecretKey = z.output<typeof fileKey>;

const header = z.union([
  z.object({ name: z.string(), value: z.string() }),
  z.object({ name: z.string(), secret: fileKey }),
]);
export type RunHeader = z.output<typeof header>;

const oauth = z.object({
  tokenUrl: z.string(),
  clientId: z.string(),
  clientSecret: fileKey,
  clientAuth: z.enum(["basic", "post"]),
  scopes: z.array(z.string()),
  audience: z.string().exactOptional(),
  resource: z.string().exactOptional(),
});
/** How the agent gets a token of its own. */
export type RunOauth = z.output<typeof oauth>;

const provider = z.object({
  name: z.string(),
  kind: z.enum([...providerKinds, ...builtInProviders]),
  baseUrl: z.string().exactOptional(),
  region: z.string().exactOptional(),
  apiKey: fileKey.exactOptional(),
  headers: z.array(header),
  oauth: oauth.exactOptional(),
  requireListedModel: z.boolean(),
  forwardInboundAuth: z.boolean(),
});
export type RunProvider = z.output<typeof provider>;

const toolRules = { allow: z.array(z.string()), deny: z.array(z.string()) };

const server = z.object({
  name: z.string(),
  url: z.string(),
  /** Its tools are `{prefix}__{tool}` to the model. */
  prefix: z.string(),
  headers: z.array(header),
  oauth: oauth.exactOptional(),
  forwardInboundAuth: z.boolean(),
  /** Whether what it says of its use reaches the system prompt. */
  instructions: z.boolean().default(true),
  /** Deadline of one tool call, restarted by its progress. */
  timeoutMs: z.number(),
  ...toolRules,
  /** Tools that the server offers to anybody, where nobody before it sees to that; the agent's own rules hold as well. Absent: all. */
  offered: z.object(toolRules).exactOptional(),
  /** Its gateway is told what tools it lists: it needs secrets, which only agents hold. Absent: it is not. */
  reported: z.literal(true).exactOptional(),
  /** It is the registry of the agent's gateway, which knows by the agent's own token which tools it may have. Absent: a server. */
  registry: z.literal(true).exactOptional(),
});
export type RunServer = z.output<typeof server>;

const subAgent = z.object({
  name: z.string(),
  url: z.string(),
  /** What the model reads of it. */
  description: z.string(),
  forwardInboundAuth: z.boolean(),
});
export type RunSubAgent = z.output<typeof subAgent>;

const auth = z.object({
  issuer: z.string(),
  audiences: z.array(z.string()).min(1),
  /** Absent: from the issuer's metadata. */
  jwksUrl: z.string().exactOptional(),
  /** The agent's published URL, by which tokens may name it. */
  resource: z.string(),
});

const card = z.object({
  /** As in the registry's catalogue, as the next two. */
  name: z.string(),
  title: z.string(),
  description: z.string(),
  /** Where the instance declares an outside URL. */
  url: z.string().exactOptional(),
});
export type RunCard = z.output<typeof card>;

const capabilities = z.object({
  vision: z.boolean(),
  pdf: z.boolean().exactOptional(),
  contextWindow: z.number(),
  maxOutputTokens: z.number(),
  /** Absent: auto. */
  reasoningContent: z.enum(reasoningContents).exactOptional(),
});
export type ModelCapabilities = z.output<typeof capabilities>;

const model = z.object({
  /** As written: provider.model-name. */
  ref: z.string(),
  provider: z.string(),
  /** The name without the provider. */
  name: z.string(),
  capabilities,
  /** False: the values are defaults, and a provider that publishes them may fill them in (CFG-4). */
  capabilitiesDeclared: z.boolean(),
});
export type RunModel = z.output<typeof model>;

const extraFields = z.record(z.string(), z.json());
/** Takes what plan/ has accepted; throws for what is no JSON. */
export const parseExtra = (value: unknown) => extraFields.parse(value);

const request = z.object({
  temperature: z.number().exactOptional(),
  topP: z.number().exactOptional(),
  topK: z.number().exactOptional(),
  maxTokens: z.number().exactOptional(),
  stop: z.array(z.string()),
  effort: z.enum(efforts).exactOptional(),
  /** Added to the body of each request to a model. */
  extra: extraFields.exactOptional(),
  parallelToolCalls: z.boolean(),
  maxSteps: z.number(),
});

export const runConfigSchema = z.object({
  schema: z.literal(1),
  agent: z.object({
    name: z.string(),
    namespace: z.string(),
    instance: z.string(),
    title: z.string(),
    description: z.string(),
    version: z.string(),
  }),
  instruction: z.union([z.object({ text: z.string() }), z.object({ configMap: fileKey })]),
  /** The agent's model first, then its fallbacks, all of different names. */
  models: z.array(model).min(1),
  providers: z.array(provider),
  request,
  servers: z.array(server),
  agents: z.array(subAgent),
  /** Absent: it answers in text. */
  output: z.object({ schema: z.record(z.string(), z.unknown()) }).exactOptional(),
  scope: z.enum(scopes),
  /** Whether sessions of the 2025 era are opened where no live configuration says it (AGT-6). */
  sessions: z.boolean(),
  emitLoopProgress: z.boolean(),
  limits: z.object({
    wallClockMs: z.number(),
    toolCalls: z.number(),
    totalTokens: z.number(),
    toolResultBytes: z.number(),
    queuedCalls: z.number(),
    /** Absent in what an earlier operator wrote. */
    concurrentCalls: z.number().default(64),
  }),
  history: z.object({
    /** Share of the context window at which older turns are condensed. */
    compactAt: z.number(),
    /** Latest turns that stay whole. */
    keepTurns: z.number(),
    idleTtlMs: z.number(),
    maxBytes: z.number(),
    /** Of the text of one history. */
    maxBytesPerConversation: z.number(),
  }),
  drainTimeoutMs: z.number(),
  http: z.object({
    allowedHosts: z.array(z.string()),
    allowedOrigins: z.array(z.string()),
    bodyLimitBytes: z.number(),
  }),
  /** Written by operators that wrote no live configuration, and read where there is none. */
  card: card.exactOptional(),
  /** Absent: whoever reaches the agent may call it. */
  auth: auth.exactOptional(),
  /** Whether the instance has a gateway, which says by a header for whom it calls, and reaches the compositor. Absent: none. */
  gateway: z.literal(true).exactOptional(),
  /** Its model may ask its caller by the tool ask_user. Absent: not. */
  askUser: z.literal(true).exactOptional(),
  /** Its calls are judged by a policy, which its live configuration holds: where that has none or cannot be read, calls are denied. */
  policy: z.literal(true).exactOptional(),
  /** Absent: nothing is sent. */
  telemetry: z.object({ otlpEndpoint: z.string() }).exactOptional(),
  logLevel: z.enum(["TRACE", "DEBUG", "INFO", "WARNING", "ERROR"]),
});
export type RunConfig = z.output<typeof runConfigSchema>;
export type RequestSettings = RunConfig["request"];
/** Of one call; how many run at a time is not its own affair. */
export type LoopLimits = Omit<RunConfig["limits"], "concurrentCalls">;
export type HistorySettings = RunConfig["history"];

/** The policy that holds for an agent. */
const livePolicy = z.union([
  z.object({
    name: z.string(),
    /** Of the policy when it had these rules. */
    generation: z.number(),
    /** For compilePolicy of lib/policy, which judges them again. */
    rules: z.array(z.unknown()),
    default: z.enum(policyActions).exactOptional(),
    /** What is wrong with the policy's spec: these are its last rules without a fault. */
    faulty: z.string().exactOptional(),
  }),
  /** Nothing holds, and every call is denied: why. */
  z.object({ name: z.string(), fault: z.string() }),
]);
export type LivePolicy = z.output<typeof livePolicy>;

/** Read as it is asked for: a change of it rolls no pods. */
const liveConfigSchema = z.object({
  schema: z.literal(1),
  /** With the scope `request`, the 2025 era opens no sessions then: of several pods only one would know each (AGT-6). */
  severalPods: z.boolean(),
  /** What the agent's server card says (CAT-11). */
  card: card.exactOptional(),
  /** The one account that may see and abort calls on the admin port, and the public keys of who signs its tokens. Absent: nobody. */
  gateway: z
    .object({
      issuer: z.string(),
      audience: z.string(),
      subject: z.string(),
      keys: z.array(z.looseObject({ kty: z.string() })),
    })
    .exactOptional(),
  /** Absent: the agent has no policy, and every call is allowed. */
  policy: livePolicy.exactOptional(),
  /** Absent: the instance has no gateway, and what is to be asked about is denied, unless the caller itself can be asked. */
  approvals: z
    .object({
      /** Base URL of the gateway, as agents reach it. */
      url: z.string(),
      timeoutMs: z.number(),
    })
    .exactOptional(),
});
export type LiveConfig = z.output<typeof liveConfigSchema>;
/** Who signs the tokens of an instance's gateway, and the public keys by which its agents check them. */
export type TokenSigner = Pick<NonNullable<LiveConfig["gateway"]>, "issuer" | "keys">;

/**
 * Reads a live configuration.
 * @throws Error naming each faulty field.
 */
export function parseLiveConfig(text: string): LiveConfig {
  const result = liveConfigSchema.safeParse(JSON.parse(text));
  if (!result.success) throw new Error(`the live configuration is not valid: ${z.prettifyError(result.error)}`);
  return result.data;
}

/**
 * Reads a run configuration.
 * @throws Error naming each faulty field.
 */
export function parseRunConfig(text: string): RunConfig {
  const result = runConfigSchema.safeParse(JSON.parse(text));
  if (!result.success) throw new Error(`the run configuration is not valid: ${z.prettifyError(result.error)}`);
  return result.data;
}
