// What the gateway's tester says of one server that is tried: its tools, resources and prompts as it lists them now, what it asks, and
// what came of a request. Lists come in pages and are read whole, to an end; answers keep the text that they came as.
import * as z from "zod";
import type { GatewayFetch } from "../connect/fetch.ts";
import { toProblem } from "../connect/problem.ts";
import type { Rest } from "../connect/rest.ts";

const hints = z.looseObject({
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
});

const toolSchema = z.looseObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.unknown().optional(),
  outputSchema: z.unknown().optional(),
  annotations: hints.optional(),
});
export type TriedTool = z.output<typeof toolSchema>;

const resourceSchema = z.looseObject({
  name: z.string(),
  title: z.string().optional(),
  uri: z.string(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
});
export type TriedResource = z.output<typeof resourceSchema>;

const templateSchema = z.looseObject({
  name: z.string(),
  title: z.string().optional(),
  uriTemplate: z.string(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
});
export type TriedTemplate = z.output<typeof templateSchema>;

const promptSchema = z.looseObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  arguments: z
    .array(z.looseObject({ name: z.string(), description: z.string().optional(), required: z.boolean().optional() }))
    .default([]),
});
export type TriedPrompt = z.output<typeof promptSchema>;

const cursor = z.string().optional();
const pages = {
  tools: z.looseObject({ tools: z.array(toolSchema), nextCursor: cursor }),
  resources: z.looseObject({ resources: z.array(resourceSchema), nextCursor: cursor }),
  templates: z.looseObject({ resourceTemplates: z.array(templateSchema), nextCursor: cursor }),
  prompts: z.looseObject({ prompts: z.array(promptSchema), nextCursor: cursor }),
} as const;

export const infoSchema = z.looseObject({
  name: z.string(),
  title: z.string().optional(),
  version: z.string().default(""),
  instructions: z.string().optional(),
  protocolVersion: z.string().optional(),
  era: z.string().optional(),
  capabilities: z.record(z.string(), z.unknown()).default({}),
});
export type ServerInfo = z.output<typeof infoSchema>;

const questionSchema = z.looseObject({
  id: z.string(),
  serverName: z.string(),
  kind: z.enum(["elicitation", "sampling"]),
  createdAt: z.number(),
  expiresAt: z.number(),
  message: z.string().optional(),
  mode: z.string().optional(),
  url: z.string().optional(),
  requestedSchema: z.unknown().optional(),
  params: z.unknown().optional(),
});
export type ServerQuestion = z.output<typeof questionSchema>;
export const questionsSchema = z.looseObject({ entries: z.array(questionSchema) });

export const pingSchema = z.looseObject({ rtt_ms: z.number() });
export const doneSchema = z.looseObject({ ok: z.boolean() });
export const rootsSchema = z.looseObject({
  roots: z.array(z.looseObject({ uri: z.string(), name: z.string().optional() })),
});
export const exportSchema = z.looseObject({ format: z.string(), config: z.unknown().optional() });

export const exportFormats = [
  "mcp-json",
  "claude-code",
  "claude-desktop",
  "cursor",
  "windsurf",
  "vscode",
  "agent-discover",
] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const logLevels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;
export type LogLevel = (typeof logLevels)[number];

export const testerPath = (server: string, ...further: readonly string[]): string =>
  ["/api/servers", encodeURIComponent(server), ...further].join("/");

/** Of one list. */
const maxPages = 200;
export const maxListed = 20_000;

async function readPages<Item>(
  read: (cursor: string) => Promise<{ items: readonly Item[]; next?: string | undefined }>,
) {
  const all: Item[] = [];
  let next: string | undefined = "";
  for (let page = 0; page < maxPages && next !== undefined && all.length < maxListed; page += 1) {
    const found: { items: readonly Item[]; next?: string | undefined } = await read(next);
    all.push(...found.items);
    next = found.next;
  }
  return all.slice(0, maxListed);
}

export interface Offered {
  readonly server: string;
  readonly tools: readonly TriedTool[];
  readonly resources: readonly TriedResource[];
  readonly templates: readonly TriedTemplate[];
  readonly prompts: readonly TriedPrompt[];
}

/** Everything that the server lists. Rejects with a Problem. */
export async function readOffered(rest: Rest, server: string, signal: AbortSignal): Promise<Offered> {
  const path = (what: string, at: string) =>
    `${testerPath(server, what)}${at === "" ? "" : `?cursor=${encodeURIComponent(at)}`}`;
  const [tools, resources, templates, prompts] = await Promise.all([
    readPages(async (at) => {
      const page = await rest({ path: path("tools", at), schema: pages.tools, signal });
      return { items: page.tools, next: page.nextCursor };
    }),
    readPages(async (at) => {
      const page = await rest({ path: path("resources", at), schema: pages.resources, signal });
      return { items: page.resources, next: page.nextCursor };
    }),
    readPages(async (at) => {
      const page = await rest({ path: path("resource-templates", at), schema: pages.templates, signal });
      return { items: page.resourceTemplates, next: page.nextCursor };
    }),
    readPages(async (at) => {
      const page = await rest({ path: path("prompts", at), schema: pages.prompts, signal });
      return { items: page.prompts, next: page.nextCursor };
    }),
  ]);
  return { server, tools, resources, templates, prompts };
}

/** As it came, before anybody reads it. */
export type RawAnswer =
  | { readonly kind: "answered"; readonly status: number; readonly text: string; readonly bytes: number }
  | { readonly kind: "unanswered"; readonly reason: "timeout" | "cancelled" | "unreachable"; readonly message: string };

/** Longer than the gateway's own deadline of a call, and its wait for people before it. */
const answerTimeoutMs = 11 * 60_000;

/** @param body text of JSON, whose numbers keep their digits */
export async function askServer(
  fetch: GatewayFetch,
  path: string,
  body: string,
  signal: AbortSignal,
): Promise<RawAnswer> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
  try {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(path, { method: "POST", body, headers, signal: deadline });
    const bytes = await response.arrayBuffer();
    const text = new TextDecoder().decode(bytes);
    return { kind: "answered", status: response.status, text, bytes: bytes.byteLength };
  } catch (error) {
    const { kind, message } = toProblem(error, deadline);
    return { kind: "unanswered", reason: kind === "timeout" || kind === "cancelled" ? kind : "unreachable", message };
  }
}
