// The registry of the agent's gateway as a run sees it (DSC-1): one tool by which a model finds and calls the tools of all servers, so that
// its prompt stays as it is however many there are. What was found is callable by the name that the answer gave, though it is in no
// list: a name of that form goes to the registry. Which tools those are is the gateway's to say, and what it lists beside is offered too.
import { registryServerName } from "../../crds/names.ts";
import type { RunServer } from "../../crds/run-config.ts";
import type { ToolDescription } from "../../lib/mcp/connect.ts";
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import type { Link } from "../../lib/mcp/link.ts";
import { renderToolName } from "../../lib/mcp/tool-name.ts";
import type { ToolLabel } from "../loop/run-context.ts";
import type { JudgedPart, ToolRoute } from "./route.ts";

export interface RegistryRoutes {
  /** The registry's own tool; none where the gateway does not offer it. */
  readonly own: readonly ToolRoute[];
  /** What the gateway lists for this agent beside it. */
  readonly listed: readonly ToolRoute[];
  /** A call of the registry's tool, under the name of what it does or calls; undefined for any other name. */
  name(name: string, args: unknown): ToolRoute | undefined;
  /** The way to a tool that was found and is in no list; undefined where the name is none of the form that answers give. */
  findCallable(name: string): ToolRoute | undefined;
}

type Call = ToolRoute["call"];

/** Tools that are found are shown to the caller by default: here they would stay in all later prompts. */
const findActions: ReadonlySet<unknown> = new Set(["find_tool", "find_tools"]);
const callAction = "proxy_call";
const separator = "__";
const anyObject = { type: "object" as const };
/** How names end that are not those of the tools themselves (lib/mcp/tool-name.ts). */
const isOther = /_[0-9a-f]{8}$/;
const howToName =
  "the name that it is listed by does not say which tool it is: find it by find_tool, and call it as that says";
/** Of what was found nothing is known here: the gateway checks its arguments. */
const found = { inputSchema: anyObject };
/** Before the name of a tool, as answers give it. */
const callablePrefix = `mcp${separator}`;
/** Longer ones are no tool's. */
const maxCallableChars = 1_024;
/** What a line of progress can show of a name that a model wrote. */
const showable = /^[\w.\-/]{1,64}$/;

/** Of what a link to the registry listed; none where its tool is not among it. */
export function renderRegistry(server: RunServer, link: Link, tools: readonly ToolDescription[]): RegistryRoutes {
  const own = tools.find(({ name }) => name === registryServerName);
  const shared = own && renderOwnRoute(server, link, own);
  const listed = tools.filter((tool) => tool !== own).map((tool) => renderListedRoute(link, tool));
  return {
    own: shared === undefined ? [] : [shared],
    listed,
    name(name, args) {
      if (shared === undefined || name !== shared.name || !isJsonObject(args)) return undefined;
      return relabel(shared, labelOf(args));
    },
    findCallable(name) {
      const named = name.length <= maxCallableChars ? readName(name) : undefined;
      if (shared === undefined || named === undefined) return undefined;
      const { call } = shared;
      return {
        ...relabel(shared, labelOf({ action: callAction, call_as: name })),
        name,
        description: "",
        inputSchema: anyObject,
        judged: (args) => ({ call: { ...named, args, definition: found }, withArgs: (sent) => sent }),
        call: (args, options) => call({ action: callAction, ...named, arguments: args }, options),
      };
    },
  };
}

function renderOwnRoute({ timeoutMs }: RunServer, link: Link, tool: ToolDescription): ToolRoute {
  const call: Call = (args, options) => {
    const { action } = args;
    const sent = findActions.has(action) ? { auto_activate: false, ...args } : args;
    // The gateway ends a call by the deadline of the tool's own server.
    const idleTimeoutMs = action === callAction ? options.totalTimeoutMs : timeoutMs;
    return link.call(registryServerName, sent, { ...options, idleTimeoutMs });
  };
  const label = { server: registryServerName, tool: registryServerName };
  return renderRoute({ name: registryServerName, label, tool, call, judged: judgeOwn(tool) });
}

/** What the registry itself does is judged as tools of its own; what it calls, as what it is, and exactly that is sent. */
const judgeOwn =
  (tool: ToolDescription): ToolRoute["judged"] =>
  (args) => {
    const { action, ...rest } = args;
    if (action !== callAction) {
      const name = typeof action === "string" ? action : registryServerName;
      const call = { server: registryServerName, tool: name, args: rest, definition: tool };
      return { call, withArgs: (sent) => ({ ...sent, action }) };
    }
    const { call_as: callAs, server, tool: name, arguments: inner = {} } = rest;
    const read = typeof callAs === "string" ? readName(callAs) : undefined;
    const named = read ?? (typeof server === "string" && typeof name === "string" ? { server, tool: name } : undefined);
    if (named === undefined || !isJsonObject(inner)) {
      const call = { server: registryServerName, tool: callAction, args: rest, definition: tool };
      // The gateway says what is missing; nothing else may be understood by it.
      return { call, withArgs: () => ({ action }) };
    }
    const call = { ...named, args: inner, definition: found };
    return { call, withArgs: (sent) => ({ action, ...named, arguments: sent }) };
  };

/** In place of `{server}__{tool}` an own name would hide from the model that it is what the registry finds. */
function renderListedRoute(link: Link, tool: ToolDescription): ToolRoute {
  const label = readLabel(tool.name) ?? { server: registryServerName, tool: tool.name };
  const call: Call = (args, options) =>
    link.call(tool.name, args, { ...options, idleTimeoutMs: options.totalTimeoutMs });
  const named = readName(tool.name) ?? { server: registryServerName, tool: tool.name };
  const judged = (args: Record<string, unknown>): JudgedPart => ({
    call: { ...named, args, definition: tool, ...(isOther.test(tool.name) && { unnamed: howToName }) },
    withArgs: (sent) => sent,
  });
  return renderRoute({ name: renderToolName(label.server, label.tool), label, tool, call, judged });
}

type RouteFacts = Pick<ToolRoute, "name" | "label" | "call" | "judged"> & { tool: ToolDescription };

const renderRoute = ({ name, label, tool, call, judged }: RouteFacts): ToolRoute => ({
  ...relabel({ downstream: registryServerName, operation: "tool", linksReadable: false }, label),
  name,
  description: [tool.description, tool.title].find((text) => (text ?? "").trim() !== "") ?? tool.name,
  inputSchema: tool.inputSchema,
  judged,
  call,
});

/** The same way under another name in what callers and people read. */
function relabel<Route extends object>(
  route: Route,
  label: ToolLabel,
): Route & Pick<ToolRoute, "label" | "renderProgress"> {
  const prefix = `${label.server}/${label.tool}: `;
  return {
    ...route,
    label,
    renderProgress: ({ progress, total, message }) => ({
      message: `${prefix}${message ?? (total === undefined ? progress : `${progress}/${total}`)}`,
      done: false,
      fromAgent: false,
    }),
  };
}

/** Of a call of the registry's tool: the tool that it calls, else what it does. */
function labelOf(args: Record<string, unknown>): ToolLabel {
  const { action, call_as: callAs, server, tool } = args;
  const called = action === callAction ? (readLabel(callAs) ?? shown(server, tool)) : undefined;
  return called ?? shown(registryServerName, action) ?? { server: registryServerName, tool: registryServerName };
}

/** Of `mcp__{server}__{tool}`, or as lists have it `{server}__{tool}`; undefined for anything else. */
function readName(name: string): ToolLabel | undefined {
  const whole = name.startsWith(callablePrefix) ? name.slice(callablePrefix.length) : name;
  const at = whole.indexOf(separator);
  return at <= 0 ? undefined : { server: whole.slice(0, at), tool: whole.slice(at + separator.length) };
}

function readLabel(name: unknown): ToolLabel | undefined {
  const { server, tool } = (typeof name === "string" && name.length <= maxCallableChars && readName(name)) || {};
  return shown(server, tool);
}

const shown = (server: unknown, tool: unknown): ToolLabel | undefined =>
  typeof server === "string" && typeof tool === "string" && showable.test(server) && showable.test(tool)
    ? { server, tool }
    : undefined;
