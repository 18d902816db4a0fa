// What an agent's admin port says of the tools of one server that its gateway cannot ask itself, and what the gateway reads of it.
// The names in it are those that the server gives; only tools that the agent may use are in it.
import * as z from "zod";

const reportedTool = z.object({
  name: z.string().min(1).max(512),
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  inputSchema: z.looseObject({ type: z.literal("object") }),
});
export type ReportedTool = z.output<typeof reportedTool>;

/** More of one server are not told. */
export const maxReportedTools = 512;

const toolReport = z.object({
  agent: z.string(),
  server: z.string(),
  /** Another when anything else of the report is; what is known is sent back in If-None-Match, and answered with 304. */
  version: z.string().min(1).max(64),
  /** What the server says of its use. */
  serverDescription: z.string().exactOptional(),
  tools: z.array(reportedTool).max(maxReportedTools),
});
/** What `GET /servers/{name}/tools` answers. */
export type ToolReport = z.output<typeof toolReport>;

/** Of a whole report; agents leave tools out that would make it larger. */
export const maxToolReportBytes = 4 * 1024 * 1024;

/** Of `server`, on the admin port of an agent. */
export const toolReportPath = (server: string): string => `/servers/${encodeURIComponent(server)}/tools`;

/** What `agent` answered. Throws on anything that is no report of its own on that server. */
export function parseToolReport(text: string, agent: string, server: string): ToolReport {
  const expected = `expected the tools of server "${server}" as agent "${agent}" knows them`;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${expected}, found no JSON`, { cause });
  }
  const { success, data } = toolReport.safeParse(json);
  if (!success) throw new Error(`${expected}, found another shape`);
  // An address that was an agent's can be another's before a cache knows.
  if (data.agent !== agent || data.server !== server) {
    throw new Error(`${expected}, found those of another agent or server`);
  }
  return data;
}
