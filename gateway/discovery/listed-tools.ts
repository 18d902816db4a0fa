// The tools of servers in a table's list (DSC-5): those of servers that are listed, those that the instance pins, and those that a caller
// was shown by find_tool, as `{server}__{tool}`, each only where the caller may call it. What is not listed is called by its name all
// the same. Names that models' vendors refuse are listed under others, which are called too.
import type { ToolDescription } from "../../lib/mcp/connect.ts";
import type { IsFor, Requester, ToolEntry, ToolSource } from "../../lib/mcp/table.ts";
import type { Hints } from "../../lib/policy/rules.ts";
import { renderToolName } from "../../lib/mcp/tool-name.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Clock } from "../../lib/process/clock.ts";
import { identityOf } from "../management/access.ts";
import type { GatewayPolicy, HidesFrom } from "../policy/gateway-policy.ts";
import { readHints } from "../../lib/approvals/called-tool.ts";
import { renderRefused } from "../management/tools/tool.ts";
import type { CallTool } from "./call-tool.ts";
import type { KnownTool, KnownTools } from "./known-tools.ts";
import type { MayCall } from "./may-call.ts";
import { unknownTool } from "./name-tool.ts";
import type { Reach } from "./reach.ts";
import { readRefusal } from "./refusal.ts";
import { createSettled } from "./settled.ts";
import type { ShownTools } from "./shown-tools.ts";
import { nameOfTool, readToolName, type ToolRef } from "./tool-name.ts";

export interface ListedToolsParts {
  policy: Pick<GatewayPolicy, "hides" | "onChange">;
  known: Pick<KnownTools, "names" | "get" | "find" | "onChange">;
  mayCall: MayCall;
  reach: Reach;
  /** Names as `{server}__{tool}`. */
  pinned: readonly string[];
  shown: Pick<ShownTools, "of">;
  callTool: CallTool;
  clock: Clock;
}

export interface ListedTools {
  /** The tools of `base`, and after them those of servers. */
  with(base: ToolSource): ToolSource;
  /** To those whose list of shown tools is another now. */
  tell(isFor: IsFor): void;
  close(): void;
}

/** A server whose list changes all the time is told of now and then. */
const settleMs = 100;
const everyMs = 1_000;
const noTools: readonly ToolDescription[] = [];
/** How names end that are cut. */
const cutName = /_[0-9a-f]{8}$/;

export function createListedTools(parts: ListedToolsParts): ListedTools {
  const { known, reach, pinned, shown } = parts;
  const listeners = new Set<(isFor?: IsFor) => void>();
  const renderEntry = createEntries(parts);
  const tell = (isFor: IsFor) => {
    for (const listener of [...listeners]) listener(isFor);
  };
  const announcements = followLists(parts, tell);
  // Only those hear of other rules for whom a tool of their list comes or goes by them.
  const stopPolicy = parts.policy.onChange((before) => tell((requester) => isListedAnew(parts, before, requester)));

  const list = (requester: Requester): ToolEntry[] => {
    const reached = reach.of(identityOf(requester));
    const entries = new Map<string, ToolEntry>();
    const add = (tool: KnownTool | undefined) => {
      if (tool === undefined || tool.source.entry?.isActive === false) return;
      const entry = renderEntry(tool);
      if (!entries.has(entry.name)) entries.set(entry.name, entry);
    };
    for (const name of known.names()) {
      const source = known.get(name);
      if (source === undefined || !isListed(source.entry)) continue;
      for (const tool of source.tools) if (reached.accept(name, tool.name)) add({ source, tool });
    }
    for (const name of pinned) add(reached.read(name));
    for (const ref of shown.of(requester)) add(reached.find(ref));
    return [...entries.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  };
  const find = (name: string, requester: Requester): ToolEntry | undefined => {
    const named = reach.of(identityOf(requester)).read(name);
    if (named !== undefined) return { ...renderEntry(named), name };
    return cutName.test(name) ? list(requester).find((entry) => entry.name === name) : undefined;
  };
  return {
    with: (base) => ({
      list: async (requester) => [...(await base.list(requester)), ...list(requester)],
      find: async (name, requester) => (await base.find(name, requester)) ?? find(name, requester),
      changes(onChanged) {
        const own = (isFor?: IsFor) => onChanged(isFor);
        listeners.add(own);
        const stop = base.changes?.(onChanged);
        return () => {
          listeners.delete(own);
          stop?.();
        };
      },
    }),
    tell,
    close() {
      announcements.close();
      stopPolicy();
      listeners.clear();
    },
  };
}

const isListed = (
  entry: { known: { resource?: { spec: { listed: boolean; active: boolean } } | undefined } } | undefined,
): boolean => entry?.known.resource?.spec.listed === true && entry.known.resource.spec.active;

function isListedAnew({ policy, known, pinned, shown }: ListedToolsParts, before: HidesFrom, requester: Requester) {
  const identity = identityOf(requester);
  const [hidBefore, hidesNow] = [before(identity), policy.hides(identity)];
  const isOther = ({ server, tool }: ToolRef, findHints: () => Hints | undefined) =>
    hidBefore(server, tool, findHints) !== hidesNow(server, tool, findHints);
  const named = [...pinned.flatMap(readToolName), ...shown.of(requester)];
  const listedSources = known.names().flatMap((name) => {
    const source = known.get(name);
    return source !== undefined && isListed(source.entry) ? [source] : [];
  });
  const hintsOf = (ref: ToolRef) => () => {
    const tool = known.find(ref.server, ref.tool)?.tool;
    return tool && readHints(tool);
  };
  return (
    named.some((ref) => isOther(ref, hintsOf(ref))) ||
    listedSources.some(({ name: server, tools }) =>
      tools.some((tool) => isOther({ server, tool: tool.name }, () => readHints(tool))),
    )
  );
}

/** An entry for each form of a tool, made once: lists are asked for often, and are long. */
function createEntries({ reach, callTool }: ListedToolsParts): (known: KnownTool) => ToolEntry {
  const made = new WeakMap<ToolDescription, ToolEntry>();
  const render = ({ source, tool }: KnownTool): ToolEntry => {
    const { title, description = "", inputSchema, annotations } = tool;
    const ref: ToolRef = { server: source.name, tool: tool.name };
    return {
      name: renderToolName(source.name, tool.name),
      ...defined({ title }),
      description,
      inputSchema,
      ...defined({ annotations }),
      schemaOf: "stranger",
      async call(args, context) {
        const identity = identityOf(context);
        const reached = reach.of(identity);
        try {
          const known = reached.find(ref);
          if (known === undefined) throw unknownTool(nameOfTool(ref.server, ref.tool));
          return await callTool({ known, args, identity, context, agentsToAsk: reached.agentsToAsk(known) });
        } catch (error) {
          const refused = readRefusal(error);
          if (refused === undefined) throw error;
          return renderRefused(refused);
        }
      },
    };
  };
  return (known) => {
    const entry = made.get(known.tool) ?? render(known);
    made.set(known.tool, entry);
    return entry;
  };
}

interface Part {
  readonly tools: readonly ToolDescription[];
  readonly isListed: boolean;
}

const nothing: Part = { tools: noTools, isListed: false };

/** Tells of servers whose part of lists is another now, those whom it concerns. */
function followLists({ known, mayCall, pinned, shown, clock }: ListedToolsParts, tell: (isFor: IsFor) => void) {
  const look = (name: string): Part => {
    const source = known.get(name);
    if (source === undefined || source.entry?.isActive === false) return nothing;
    return { tools: source.tools, isListed: isListed(source.entry) };
  };
  const latest = new Map(known.names().map((name) => [name, look(name)]));
  /** As they were told of, of those that were others since: a list is read meanwhile, so that what changed back counts too. */
  const changed = new Map<string, Part>();
  const settled = createSettled({
    clock,
    settleMs,
    look(name) {
      const [old, now] = [changed.get(name) ?? nothing, latest.get(name) ?? nothing];
      changed.delete(name);
      settled.hold(name, everyMs);
      tell(concerns(name, old, now));
    },
  });
  const concerns = (name: string, old: Part, now: Part): IsFor => {
    const isPinned = pinned.some((each) => each.startsWith(nameOfTool(name, "")));
    const isForMany = old.isListed || now.isListed || isPinned;
    return (requester) => {
      const isShown = shown.of(requester).some(({ server }) => server === name);
      if (!isForMany && !isShown) return false;
      const may = mayCall.of(identityOf(requester));
      return [...old.tools, ...now.tools].some((tool) => may(name, tool.name));
    };
  };
  const stop = known.onChange((name) => {
    const [before, now] = [latest.get(name) ?? nothing, look(name)];
    if (before.tools === now.tools && before.isListed === now.isListed) return;
    if (known.get(name) === undefined) latest.delete(name);
    else latest.set(name, now);
    const first = changed.get(name) ?? before;
    changed.set(name, { tools: first.tools, isListed: first.isListed || before.isListed });
    settled.note(name);
  });
  return {
    close() {
      stop();
      settled.close();
    },
  };
}
