// What went through the gateway in the last day, by the hour, and the last calls of tools.
import * as z from "zod";
import { jsonResource } from "../connect/resources.ts";

const hours = z.array(z.number());

export const callMetricsSchema = z.looseObject({
  since: z.string(),
  hours: z.array(z.string()),
  calls: hours,
  errors: hours,
  median_ms: z.array(z.number().nullable()),
  waiting: hours,
  agents: z.array(
    z.looseObject({
      agent_id: z.string(),
      calls: hours,
      errors: hours,
      last_call_at: z.string().nullable().optional(),
    }),
  ),
  tools: z.array(
    z.looseObject({
      server: z.string(),
      tool: z.string(),
      calls: z.number(),
      errors: z.number(),
      median_ms: z.number().nullable(),
      last_called_at: z.string().nullable().optional(),
    }),
  ),
});
export type CallMetrics = z.output<typeof callMetricsSchema>;
export const callMetricsUri = "resource://calls/metrics";
export const callMetricsResource = jsonResource(callMetricsSchema);

export const logEntrySchema = z.looseObject({
  id: z.number(),
  timestamp: z.string(),
  kind: z.string(),
  server: z.string(),
  tool: z.string(),
  args: z.unknown(),
  response: z.string().nullable().default(null),
  latency_ms: z.number(),
  success: z.boolean(),
  caller: z.string().default(""),
});
export type LogEntry = z.output<typeof logEntrySchema>;
export const callLogUri = "resource://calls/log";
export const callLogResource = jsonResource(z.looseObject({ entries: z.array(logEntrySchema), total: z.number() }));
