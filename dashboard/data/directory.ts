// What the gateway's directory lists: agents, tool servers and whatever registered itself, each with its endpoints, how alive they are,
// and its card as it was submitted.
import * as z from "zod";
import { jsonResource } from "../connect/resources.ts";

export const livenesses = ["live", "unknown", "dead"] as const;
export type Liveness = (typeof livenesses)[number];

const endpoint = z.looseObject({
  id: z.string(),
  name: z.string(),
  transport: z.string(),
  protocol: z.string(),
  address: z.string(),
  livenessModel: z.string(),
  ttlSeconds: z.number().nullable().default(null),
  heartbeatIntervalSeconds: z.number().nullable().default(null),
  liveness: z.enum(livenesses),
});
export type DirectoryEndpoint = z.output<typeof endpoint>;

const capability = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable().default(null),
  tags: z.array(z.string()).default([]),
});

export const directoryEntrySchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable().default(null),
  ownerId: z.string().nullable().default(null),
  labels: z.record(z.string(), z.string()).default({}),
  capabilities: z.array(capability).default([]),
  endpoints: z.array(endpoint).default([]),
  createdAt: z.string().nullable().default(null),
  updatedAt: z.string().nullable().default(null),
  kind: z.enum(["registration", "agent", "server"]),
  card: z.string().nullable().default(null),
  /** There was no room for it in the list. */
  cardLeftOut: z.boolean().default(false),
});
export type ShownEntry = z.output<typeof directoryEntrySchema>;

export const directoryUri = "resource://directory/list";
export const directoryResource = jsonResource(
  z.looseObject({ items: z.array(directoryEntrySchema), totalCount: z.number() }),
);

/** The card alone, as JSON. */
export const cardPath = (id: string): string => `/mcp/servers/${encodeURIComponent(id)}`;
