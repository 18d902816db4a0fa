// Calls of tools as the gateway's log has them, as far as the log of one server shows them: the newest first.
import * as z from "zod";
import { jsonResource } from "../connect/resources.ts";

const entry = z.looseObject({
  id: z.number(),
  timestamp: z.string(),
  server: z.string(),
  tool: z.string(),
  latency_ms: z.number(),
  success: z.boolean(),
  caller: z.string(),
});
export type LoggedCall = z.output<typeof entry>;

export const callLogUri = "resource://calls/log";
export const callLogResource = jsonResource(z.looseObject({ entries: z.array(entry), total: z.number() }));
