// The admin route by which the instance's gateway learns the tools of servers whose secrets only agents hold, so that they are found
// there. What a server lists may be a caller's own where it is sent callers' tokens: of such a server nothing is told.
import { Hono } from "hono";
import type { RunServer } from "../crds/run-config.ts";
import { maxReportedTools, maxToolReportBytes, type ReportedTool, type ToolReport } from "../crds/tool-report.ts";
import type { ToolDescription } from "../lib/mcp/connect.ts";
import { settledWithin, type Clock } from "../lib/process/clock.ts";
import { defined } from "../lib/process/defined.ts";
import { digest, matchesEtag } from "../lib/process/entity-tag.ts";
import type { Logger } from "../lib/process/log.ts";

/** What is asked of the way to a server (compositor/mounts.ts). */
export interface ReportedMount {
  readonly server: Pick<RunServer, "name" | "reported" | "forwardInboundAuth" | "instructions">;
  readonly link: { latest(): { instructions?: string | undefined } | undefined };
  tools(): Promise<readonly ToolDescription[]>;
  observeState(): { state: string };
}

export interface ToolReportsParts {
  agent: string;
  mounts: readonly ReportedMount[];
  log: Logger;
  clock: Clock;
}

/** For the server's first list; one that takes longer is told the next time. */
const waitMs = 5_000;
const maxNameChars = 256;
const maxTitleChars = 200;
const maxDescriptionChars = 4_000;
/** A larger one is told as one that takes anything. */
const maxSchemaBytes = 64 * 1024;
/** Of all tools, so that the rest of the report has room. */
const maxToolsBytes = maxToolReportBytes - 64 * 1024;

/** For the gateway alone: `GET /servers/{name}/tools`, 304 for the version that it has, 404 for what is not told. */
export function createToolReports({ agent, mounts, log, clock }: ToolReportsParts): Hono {
  const told = new Map(
    mounts
      .filter(({ server }) => server.reported === true && !server.forwardInboundAuth)
      .map((mount) => [mount.server.name, createReport(agent, mount, log)]),
  );
  const app = new Hono();
  app.get("/servers/:name/tools", async (c) => {
    const report = told.get(c.req.param("name"));
    if (report === undefined) return c.text("this agent tells nothing of such a server\n", 404);
    const listed = report.list();
    await settledWithin(listed, waitMs, clock);
    const { version, text } = report.render() ?? {};
    if (version === undefined || text === undefined) return c.text("the server lends no tools now\n", 503);
    const headers = { ETag: `"${version}"`, "Cache-Control": "no-store", "Content-Type": "application/json" };
    if (matchesEtag(c.req.header("if-none-match"), headers.ETag)) return c.body(null, 304, headers);
    return c.body(text(), 200, headers);
  });
  return app;
}

/** What is told of one server; rendered again only when it is another. */
function createReport(agent: string, { server, link, ...mount }: ReportedMount, log: Logger) {
  let tools: readonly ToolDescription[] | undefined;
  let kept: { of: readonly ToolDescription[]; said: string | undefined; report: ToolReport } | undefined;
  return {
    /** Never rejects. A server that was never listed, and one that is down now, leave what is known as it is. */
    async list(): Promise<void> {
      const listed = await mount.tools();
      if (listed.length > 0 || mount.observeState().state === "running") tools = listed;
    },
    render(): { version: string; text: () => string } | undefined {
      if (tools === undefined) return undefined;
      const said = server.instructions ? link.latest()?.instructions?.slice(0, maxDescriptionChars) : undefined;
      if (kept === undefined || kept.of !== tools || kept.said !== said) {
        const cut = cutTools(tools);
        const left = tools.length - cut.length;
        if (left > 0) log.warn({ server: server.name, left }, "the gateway is not told of all tools of a server");
        const facts = { agent, server: server.name, ...defined({ serverDescription: said }), tools: cut };
        const version = digest(JSON.stringify(facts));
        kept = { of: tools, said, report: { ...facts, version } };
      }
      const { report } = kept;
      return { version: report.version, text: () => JSON.stringify(report) };
    },
  };
}

/** In the order of the server's list, for as long as there is room. */
function cutTools(tools: readonly ToolDescription[]): ReportedTool[] {
  const cut: ReportedTool[] = [];
  let left = maxToolsBytes;
  for (const tool of tools) {
    if (tool.name.length > maxNameChars) continue;
    const told = cutTool(tool);
    left -= Buffer.byteLength(JSON.stringify(told)) + 1;
    if (left < 0 || cut.length === maxReportedTools) break;
    cut.push(told);
  }
  return cut;
}

function cutTool({ name, title, description, inputSchema }: ToolDescription): ReportedTool {
  const isSmall = Buffer.byteLength(JSON.stringify(inputSchema)) <= maxSchemaBytes;
  return {
    name,
    ...defined({ title: title?.slice(0, maxTitleChars), description: description?.slice(0, maxDescriptionChars) }),
    inputSchema: isSmall ? inputSchema : { type: "object" },
  };
}
