// An MCP server card as somebody submits it (DIR-4, DIR-5): what the directory reads of it, and the card that it makes for a server which was
// registered without one. The text itself is kept elsewhere and never rendered anew; what is not read here is not judged.
import * as z from "zod";
import { maxCardBytes, type RegistrationSpec } from "../../crds/registration.ts";
import { defined } from "../../lib/process/defined.ts";
import { describeIssues } from "./issues.ts";
import { DirectoryRefused } from "./refused.ts";

export type Capability = NonNullable<RegistrationSpec["capabilities"]>[number];

/** Tools, resources and prompts together. */
export const maxCardDescriptors = 10_000;

const line = (maxChars: number) =>
  z
    .string()
    .min(1)
    .max(maxChars)
    .regex(/^[^\p{Cc}]+$/u, "must be one line of text");
const description = z.string().max(65_536).nullish();
const capabilityFlags = z.record(z.string(), z.unknown()).nullish();

const cardSchema = z.object({
  mcpVersion: z.string().max(64).nullish(),
  serverInfo: z.object({
    name: line(256),
    title: z.string().max(256).nullish(),
    version: z.string().max(256).nullish(),
    description,
  }),
  description,
  endpoints: z.object({
    streamableHttp: z
      .string()
      .max(2048)
      .regex(/^https?:\/\/[^\s\p{Cc}]+$/u, "must be an http or https URL"),
  }),
  capabilities: z.object({ tools: capabilityFlags, resources: capabilityFlags, prompts: capabilityFlags }).nullish(),
  tools: z.array(z.object({ name: line(256), description })).nullish(),
  resources: z.array(z.object({ uri: line(4096), name: line(256).nullish(), description })).nullish(),
  prompts: z.array(z.object({ name: line(256), description })).nullish(),
});

export interface ReadCard {
  readonly name: string;
  readonly description?: string;
  readonly address: string;
  readonly capabilities: readonly Capability[];
}

const only = "only servers of Streamable HTTP are registered";
/** What a card may name in its place. */
const otherTransports: readonly [string, string][] = [
  [
    "stdio",
    `${only}, and a stdio server runs on the machine of its client, where no directory leads to: serve it over Streamable HTTP`,
  ],
  ["sse", `${only}, and HTTP+SSE was replaced by it in revision 2025-03-26: serve it over Streamable HTTP`],
];

/**
 * Reads a card's text, which is an object of JSON.
 * @throws DirectoryRefused naming each faulty field.
 */
export function readCard(text: string): ReadCard {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxCardBytes) {
    throw new DirectoryRefused(
      413,
      `serverCard has ${bytes} bytes, more than the ${maxCardBytes} of a card: leave descriptors out, or shorten them`,
    );
  }
  const card: unknown = JSON.parse(text);
  refuseOtherTransports(card);
  countDescriptors(card);
  const result = cardSchema.safeParse(card);
  if (!result.success) throw new DirectoryRefused(422, describeIssues(result.error, "serverCard"));
  const { serverInfo, endpoints } = result.data;
  const about = serverInfo.description ?? result.data.description ?? undefined;
  return {
    name: serverInfo.name,
    address: endpoints.streamableHttp,
    capabilities: renderCapabilities(result.data),
    ...defined({ description: about }),
  };
}

function refuseOtherTransports(card: unknown): void {
  const endpoints: unknown = Reflect.get(Object(card), "endpoints");
  if (Object.hasOwn(Object(endpoints), "streamableHttp")) return;
  const found = otherTransports.find(([name]) =>
    Object.keys(Object(endpoints)).some((key) => key.toLowerCase().endsWith(name)),
  );
  const why = found?.[1] ?? `${only}: give its URL`;
  throw new DirectoryRefused(422, `serverCard.endpoints.streamableHttp is missing: ${why}`);
}

/** Before each of them is looked at. */
function countDescriptors(card: unknown): void {
  const lists = ["tools", "resources", "prompts"].map((key): unknown => Reflect.get(Object(card), key));
  const count = lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
  if (count <= maxCardDescriptors) return;
  throw new DirectoryRefused(
    413,
    `serverCard has ${count} tools, resources and prompts, more than the ${maxCardDescriptors} of a card: leave some out`,
  );
}

const kinds = [
  { kind: "tool", list: "tools", synthetic: "Exposes callable tools" },
  { kind: "resource", list: "resources", synthetic: "Exposes readable resources" },
  { kind: "prompt", list: "prompts", synthetic: "Exposes prompt templates" },
] as const;

/** One for each descriptor; where a capability is declared and nothing described, one for all. */
function renderCapabilities(card: z.output<typeof cardSchema>): Capability[] {
  return kinds.flatMap(({ kind, list, synthetic }): Capability[] => {
    const tags = [kind, "mcp"];
    const described = (card[list] ?? []).map((each) => {
      const name = each.name ?? ("uri" in each ? each.uri : "");
      return { name, tags, ...defined({ description: each.description ?? undefined }) };
    });
    if (described.length > 0) return described;
    return (card.capabilities?.[list] ?? undefined) === undefined ? [] : [{ name: list, description: synthetic, tags }];
  });
}

const mcpVersion = "2025-11-25";

export interface CardSource {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly version?: string;
  readonly address: string;
  readonly capabilities: readonly Capability[];
}

/** The card of a server that brought none: no descriptors, since none were registered. */
export function renderCard({ name, title, description: about, version, address, capabilities }: CardSource): string {
  const has = (kind: string) => capabilities.some(({ tags }) => tags?.includes(kind));
  return JSON.stringify({
    mcpVersion,
    serverInfo: { name, version: version ?? "unknown", ...defined({ title, description: about }) },
    endpoints: { streamableHttp: address },
    capabilities: Object.fromEntries(kinds.flatMap(({ kind, list }) => (has(kind) ? [[list, {}]] : []))),
  });
}
