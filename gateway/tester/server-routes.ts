// What can be asked of one server that is tried: all that MCP has, each by a route, and what the server itself said and asked.
import * as z from "zod";
import { loggingLevels } from "../../lib/mcp/logging-levels.ts";
import type { Inspection, InspectCall } from "../../lib/mcp/inspect.ts";
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import { defined } from "../../lib/process/defined.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { callerRoutes } from "./caller-routes.ts";
import { maxEntryChars, type EntryKind } from "./entries.ts";
import { exportFormats, renderExport } from "./export.ts";
import { TesterProblem } from "./problem.ts";
import { reads, takes, type AskedOf, type AskedOfJudged, type Route } from "./route.ts";
import type { Limits } from "./session.ts";

const listLimits: Limits = { idleTimeoutMs: 15_000, totalTimeoutMs: 15_000 };
/** Of what may take time, or wait for a person. */
export const callLimits: Limits = { idleTimeoutMs: 60_000, totalTimeoutMs: 10 * 60_000 };

const uri = z.object({ uri: z.string().min(1).max(2_048) });
const anObject = z.record(z.string(), z.unknown());
const call = z.object({ tool: z.string().min(1).max(256), args: anObject.optional() });
const prompt = z.object({
  name: z.string().min(1).max(256),
  arguments: z.record(z.string(), z.string()).optional(),
});
const level = z.object({ level: z.enum(loggingLevels) });
const format = z.enum(exportFormats);
const nothing = z.object({});

/** Asks within the limits; the caller going away ends it. */
function ask<T>(asked: AskedOf, limits: Limits, request: (inspection: Inspection, call: InspectCall) => Promise<T>) {
  const { signal } = asked;
  return asked.session().use((inspection) => request(inspection, { signal, ...limits }), signal);
}

interface Noted {
  kind: EntryKind;
  tool: string;
  args: Record<string, unknown>;
}

/** The same, with a line of what came of it. */
async function askNoted(
  asked: AskedOf,
  { kind, tool, args }: Noted,
  request: (inspection: Inspection, call: InspectCall) => Promise<object>,
): Promise<object> {
  const startedMs = systemClock.now();
  const session = asked.session();
  const note = (response: string, success: boolean) => {
    session.note({
      server: session.target.name,
      tool,
      args,
      response: response.slice(0, maxEntryChars),
      latency_ms: Math.round(systemClock.now() - startedMs),
      success,
      kind,
    });
  };
  try {
    const result = await ask(asked, callLimits, request);
    note(JSON.stringify(result), Reflect.get(result, "isError") !== true);
    return result;
  } catch (error) {
    note(error instanceof TesterProblem ? error.message : "internal error", false);
    throw error;
  }
}

const listOf =
  (what: Parameters<Inspection["list"]>[0]) =>
  (asked: AskedOf): Promise<object> =>
    ask(asked, listLimits, (inspection, limits) => inspection.list(what, { ...limits, cursor: asked.query("cursor") }));

/** Without those that are not offered. */
async function listTools(asked: AskedOf): Promise<object> {
  const page: object = await listOf("tools")(asked);
  const tools: unknown = Reflect.get(page, "tools");
  const isOffered = (tool: unknown) => isJsonObject(tool) && asked.offers(String(tool["name"]));
  return { ...page, tools: Array.isArray(tools) ? tools.filter(isOffered) : [] };
}

const described: Route<AskedOf>[] = [
  reads({ method: "GET", path: "info", role: "viewer", summary: "What the server says of itself" }, (asked) =>
    ask(asked, listLimits, async ({ facts: { name = asked.exported.name, version = "", ...facts } }) => ({
      ...defined(facts),
      name,
      version,
    })),
  ),
  reads(
    { method: "GET", path: "tools", role: "viewer", summary: "Its tools, as it lists them now", query: ["cursor"] },
    listTools,
  ),
  reads(
    { method: "GET", path: "resources", role: "viewer", summary: "A page of its resources", query: ["cursor"] },
    listOf("resources"),
  ),
  reads(
    {
      method: "GET",
      path: "resource-templates",
      role: "viewer",
      summary: "A page of its resource templates",
      query: ["cursor"],
    },
    listOf("resourceTemplates"),
  ),
  reads(
    { method: "GET", path: "prompts", role: "viewer", summary: "A page of its prompts", query: ["cursor"] },
    listOf("prompts"),
  ),
  reads(
    {
      method: "GET",
      path: "export",
      role: "viewer",
      summary: "The server in the configuration of a client",
      query: ["format"],
    },
    ({ query, exported }) => {
      const chosen = format.safeParse(query("format") ?? "mcp-json");
      if (!chosen.success) throw new TesterProblem(422, `format: one of ${exportFormats.join(", ")} was expected`);
      return { format: chosen.data, config: renderExport(exported, chosen.data) };
    },
  ),
];

/** Of transient servers: calls of the others are REST's, which counts them. */
export const callRoute: Route<AskedOfJudged> = takes(
  { method: "POST", path: "call", role: "caller", summary: "Calls a tool; answers with its result" },
  call,
  async (asked, { tool, args = {} }) => {
    const judged = await asked.judge(tool, args);
    if (judged.answer !== undefined) return judged.answer;
    const { permit } = judged;
    const noted = { kind: "call", tool, args: permit.args } as const;
    return await askNoted(asked, noted, (inspection, limits) => inspection.callTool(tool, permit.args, limits));
  },
);

const asking: Route<AskedOf>[] = [
  takes(
    { method: "POST", path: "resource/read", role: "caller", summary: "Reads a resource" },
    uri,
    async (asked, body) => {
      const noted = { kind: "resource-read", tool: body.uri, args: body } as const;
      return await askNoted(asked, noted, (inspection, limits) => inspection.readResource(body.uri, limits));
    },
  ),
  takes(
    { method: "POST", path: "resource/subscribe", role: "caller", summary: "Hears when a resource changes" },
    uri,
    async (asked, body) => {
      await ask(asked, listLimits, (inspection, limits) => inspection.subscribe(body.uri, limits));
      return { ok: true };
    },
  ),
  takes(
    { method: "POST", path: "resource/unsubscribe", role: "caller", summary: "Hears of it no more" },
    uri,
    async (asked, body) => {
      await ask(asked, listLimits, (inspection, limits) => inspection.unsubscribe(body.uri, limits));
      return { ok: true };
    },
  ),
  takes(
    { method: "POST", path: "prompt/get", role: "caller", summary: "A prompt with its arguments filled in" },
    prompt,
    async (asked, { name, arguments: args = {} }) => {
      const noted = { kind: "prompt-get", tool: name, args } as const;
      return await askNoted(asked, noted, (inspection, limits) => inspection.getPrompt(name, args, limits));
    },
  ),
  takes(
    { method: "POST", path: "ping", role: "caller", summary: "How long a round trip takes" },
    nothing,
    async (asked) => {
      const noted = { kind: "ping", tool: "ping", args: {} } as const;
      const result = await askNoted(asked, noted, async (inspection, limits) => {
        // Without the time that connecting took.
        const startedMs = systemClock.now();
        await inspection.ping({ ...limits, ...listLimits });
        return { ok: true, rtt_ms: Math.round(systemClock.now() - startedMs) };
      });
      return result;
    },
  ),
  takes(
    { method: "POST", path: "logging-level", role: "caller", summary: "How grave log messages must be to be sent" },
    level,
    async (asked, body) => {
      await ask(asked, listLimits, (inspection, limits) => inspection.setLevel(body.level, limits));
      return { ok: true, ...body };
    },
  ),
];

/** What belongs to the caller, narrowed to this server. */
const narrowed: Route<AskedOf>[] = callerRoutes.map((route) => ({
  ...route,
  path: route.path.replace(/^\/api\//, ""),
}));

export const serverRoutes: readonly Route<AskedOf>[] = [...described, ...asking, ...narrowed];
