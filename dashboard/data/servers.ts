// Tool servers as the gateway tells of them: the list, which is a resource, and what REST says of a single one: its tools, and how their
// definitions differ from the approved ones.
import * as z from "zod";
import { jsonResource } from "../connect/resources.ts";

const serverStates = ["ready", "degraded", "error", "starting", "off"] as const;

const condition = z.looseObject({
  type: z.string(),
  status: z.string(),
  reason: z.string(),
  message: z.string().default(""),
  since: z.string().optional(),
});
export type ServerCondition = z.output<typeof condition>;

export const serverSchema = z.looseObject({
  name: z.string(),
  title: z.string().nullable().default(null),
  description: z.string().default(""),
  tags: z.array(z.string()).default([]),
  kind: z.string(),
  package: z.string().nullable().default(null),
  version: z.string().nullable().default(null),
  command: z.string().nullable().default(null),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  url: z.string().nullable().default(null),
  active: z.boolean(),
  listed: z.boolean(),
  state: z.enum(serverStates),
  reason: z.string().nullable().default(null),
  tool_count: z.number(),
  error_count: z.number().default(0),
  last_health_check: z.string().nullable().default(null),
  median_ms: z.number().nullable().default(null),
  calls_24h: z.number().default(0),
  errors_24h: z.number().default(0),
  used_by: z.array(z.string()).default([]),
  pin: z.enum(["off", "warn", "block"]).default("off"),
  changed_tools: z.array(z.string()).default([]),
  changed_count: z.number().default(0),
  conditions: z.array(condition).default([]),
});
export type ShownServer = z.output<typeof serverSchema>;

export const serversUri = "resource://servers/list";
export const serversResource = jsonResource(z.array(serverSchema));

const hints = z.looseObject({
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
});

const tool = z.looseObject({
  name: z.string(),
  description: z.string().default(""),
  input_schema: z.unknown(),
  annotations: hints.optional(),
});
export type ServerTool = z.output<typeof tool>;

/** What `GET /api/servers/:id` adds to the list. */
export const serverToolsSchema = z.looseObject({ tools: z.array(tool) });

const change = z.looseObject({
  tool: z.string(),
  change: z.enum(["added", "changed", "removed"]),
  /** Null where the tool is new or gone, and where the approved definition is not kept any more. */
  fields: z.array(z.looseObject({ field: z.string(), old: z.unknown(), new: z.unknown() })).nullable(),
  /** As it is now, where there are no fields to compare. */
  now: z.record(z.string(), z.unknown()).nullish(),
});
export type ToolChange = z.output<typeof change>;

export const pinsSchema = z.looseObject({
  mode: z.string(),
  tools_hash: z.string(),
  changes: z.array(change),
});
export type ServerPins = z.output<typeof pinsSchema>;

export const serverPath = (name: string, ...further: readonly string[]): string =>
  ["/api/servers", encodeURIComponent(name), ...further].join("/");
