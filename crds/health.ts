// The get_health payload (HLT-1) and what an agent serves on its admin port at /health: the same verdict, with the
// parts that the operator turns into conditions and the registry into its provider validation (HLT-5, HLT-6).
import * as z from "zod";

export const healthToolName = "get_health";
export const healthToolDescription = "Returns the health status of this agent and its downstream dependencies.";

const healthStatuses = ["ok", "degraded", "error"] as const;
export const healthStatusSchema = z.enum(healthStatuses);
export type HealthStatus = z.output<typeof healthStatusSchema>;

/** RFC 3339, UTC. */
const time = z.string().max(64);

export const healthPayloadSchema = z.object({
  status: healthStatusSchema,
  timestamp: time,
  /** Required unless ok. */
  message: z.string().exactOptional(),
});
export type HealthPayload = z.output<typeof healthPayloadSchema>;

export const healthPartSchema = z.object({ ok: z.boolean(), detail: z.string().exactOptional(), checkedAt: time });
export type HealthPart = z.output<typeof healthPartSchema>;

export const healthReportSchema = healthPayloadSchema.extend({
  agent: z.string(),
  /** The providers of the agent's models, by name; only the first model's counts for `status`. */
  providers: z.record(z.string(), healthPartSchema),
  /** Downstream servers and sub-agents, by name. */
  downstreams: z.record(z.string(), healthPartSchema),
  /** Calls that have begun and not ended; absent from agents of earlier releases. */
  callsInFlight: z.number().exactOptional(),
});
/** What `GET /health` on the admin port answers, always with 200: a verdict is not an HTTP failure. */
export type HealthReport = z.output<typeof healthReportSchema>;

/** Far above what an agent with all the servers it may have reports. */
export const maxHealthReportBytes = 256 * 1024;

/** What `agent` answered. Throws on anything that is no report of its own. */
export function parseHealthReport(text: string, agent: string): HealthReport {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new Error(`expected a health report of agent "${agent}", found no JSON`, { cause });
  }
  const { success, data } = healthReportSchema.safeParse(json);
  if (!success) throw new Error(`expected a health report of agent "${agent}", found another shape`);
  // An address that was an agent's can be another's before a cache knows.
  if (data.agent !== agent) {
    throw new Error(`expected a health report of agent "${agent}", found one of "${data.agent.slice(0, 100)}"`);
  }
  return data;
}
