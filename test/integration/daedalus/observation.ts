// What a client saw that did with a Pallas instance what Daedalus does: the same shape from every SDK, so that one test
// judges them all. Messages are as they came over the wire, before any SDK could mend them.
import * as z from "zod";

const progressMessageSchema = z.strictObject({
  jsonrpc: z.literal("2.0"),
  method: z.literal("notifications/progress"),
  params: z.strictObject({
    progressToken: z.union([z.string(), z.number()]),
    progress: z.number(),
    /** Null would be refused here: it may never be on the wire (PRG-3). */
    total: z.number().optional(),
    message: z.string(),
    _meta: z.record(z.string(), z.unknown()).optional(),
  }),
});
export type ProgressMessage = z.infer<typeof progressMessageSchema>;

const responseSchema = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]),
  result: z.unknown(),
});

const callSchema = z.object({
  tool: z.string(),
  /** All that arrived from the call's start until it returned. */
  received: z.array(z.union([progressMessageSchema, responseSchema])),
  /** [progress, total, message] as the SDK gave it to the application, where it does. */
  seen: z.array(z.tuple([z.number(), z.number().nullable(), z.string()])).optional(),
  /** Where the client chose the progress token. */
  token: z.string().optional(),
  result: z.object({ content: z.unknown(), isError: z.boolean().optional() }),
});
export type ObservedCall = z.infer<typeof callSchema>;

const toolSchema = z.looseObject({ name: z.string(), description: z.string().optional(), inputSchema: z.unknown() });

/** The one text block of get_health, read as JSON. */
const healthSchema = z
  .object({ content: z.tuple([z.object({ type: z.literal("text"), text: z.string() })]) })
  .transform(({ content: [block] }): unknown => JSON.parse(block.text));

const observationSchema = z.object({
  entry: z.object({
    server: z.looseObject({ name: z.string(), remotes: z.array(z.object({ type: z.string(), url: z.string() })) }),
    _meta: z.record(z.string(), z.unknown()),
  }),
  protocol: z.string(),
  tools: z.array(toolSchema),
  health: healthSchema,
  /** send_message, with the SDK's progress callback. */
  sent: callSchema,
  /** The same under the agent's own name, in the same conversation, with a progress token of the client's choice. */
  alias: callSchema,
  /** send_message without a progress token. */
  withoutToken: callSchema,
  /** The messages of the history prompt after these calls. */
  history: z.array(z.object({ role: z.string(), content: z.unknown() })),
  unknownTool: z.object({ code: z.number(), message: z.string() }),
  cancellation: z.object({ cancelledAtMs: z.number(), healthAfter: z.looseObject({ status: z.string() }) }),
});
export type Observation = z.infer<typeof observationSchema>;

/** Throws ZodError when something is not as it must be on the wire. */
export const parseObservation = (value: unknown): Observation => observationSchema.parse(value);

/** What a client is to do. */
export interface Visit {
  registryUrl: string;
  /** The part of the agent's catalogue name after the last slash. */
  agent: string;
  message: string;
  /** A call that lasts until it is cancelled, and the progress line at which it is. */
  cancelMessage: string;
  cancelAt: string;
  /** The client stays connected until then, so that it is the cancellation that ends the call, and not the end of all. */
  stayUntil: Promise<unknown>;
}

export const isProgress = (message: ObservedCall["received"][number]): message is ProgressMessage =>
  "method" in message;

const catalogueSchema = z.object({
  servers: z.array(
    z.looseObject({
      server: z.looseObject({ name: z.string(), remotes: z.array(z.object({ type: z.string(), url: z.string() })) }),
    }),
  ),
});

/** The agent's catalogue entry and the URL in it, found as Daedalus finds them. */
export async function findEntry({ registryUrl, agent }: Visit): Promise<{ entry: unknown; url: string }> {
  const response = await fetch(`${registryUrl}/.well-known/mcp/server.json`, { signal: AbortSignal.timeout(5_000) });
  const { servers } = catalogueSchema.parse(await response.json());
  const entry = servers.find(({ server }) => server.name.endsWith(`/${agent}`));
  const url = entry?.server.remotes.find(({ type }) => type === "streamable-http")?.url;
  if (url === undefined) throw new Error(`expected ${agent} in the catalogue, found ${JSON.stringify(servers)}`);
  return { entry, url };
}
