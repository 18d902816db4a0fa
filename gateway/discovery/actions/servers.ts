// What the `registry` tool says of servers, and does with them: list, status, activate, deactivate and uninstall, as REST does (DSC-8). What
// a model reads is bounded: of many servers and names of tools it is given the first, and how many there are.
import * as z from "zod";
import { requireRole, type Identity } from "../../../lib/auth/roles.ts";
import { defined } from "../../../lib/process/defined.ts";
import { ToolRefused } from "../../management/tools/tool.ts";
import { matchesQuery } from "../../rest/query.ts";
import { renderServer } from "../../rest/server-view.ts";
import { writable, type Activation } from "../../servers/activation.ts";
import type { ServerEntry } from "../../servers/entry.ts";
import type { ToolServers } from "../../servers/tool-servers.ts";
import type { WritesFor } from "../../state/state.ts";
import { defineAction, type RegistryAction } from "../action.ts";
import type { ToolSearch } from "../embeddings/embedded-index.ts";
import { parameters } from "../parameters.ts";
import type { Reach } from "../reach.ts";
import type { ShownTools } from "../shown-tools.ts";

export interface ServerActionParts {
  servers: Pick<ToolServers, "all" | "list" | "find">;
  reach: Reach;
  activation: Pick<Activation, "activate" | "deactivate">;
  shown: Pick<ShownTools, "hide">;
  writesFor: WritesFor;
  index: Pick<ToolSearch, "observeEmbeddings">;
}

const maxListed = 100;
/** Of all servers together. */
const maxNames = 500;

export function createServerActions(parts: ServerActionParts): RegistryAction[] {
  return [createList(parts), createStatus(parts), ...createStartAndStop(parts), createUninstall(parts)];
}

/** A person sees servers by name; an agent those of which it may call something. */
function seen({ servers, reach }: ServerActionParts, identity: Identity): readonly ServerEntry[] {
  if (identity.kind === "person") return servers.list(identity);
  const { accept } = reach.of(identity);
  return servers.all().filter(({ name, tools = [] }) => tools.some((tool) => accept(name, tool.name)));
}

function callable({ reach }: ServerActionParts, identity: Identity, { name, tools = [] }: ServerEntry): string[] {
  const { accept } = reach.of(identity);
  return tools.map((tool) => tool.name).filter((tool) => accept(name, tool));
}

/** What runs a server, and where, is nothing that an agent needs. */
function renderForAgent(server: ServerEntry, toolCount: number) {
  const { name, title, description, tags, active, health_status } = renderServer(server);
  return { name, title, description, tags, active, health_status, tool_count: toolCount };
}

const createList = (parts: ServerActionParts) =>
  defineAction({
    name: "list",
    summary: "servers, by words of a query.",
    role: "viewer",
    forAgents: true,
    args: z.object({
      query: parameters.query.exactOptional(),
      source: parameters.source.exactOptional(),
      installed_only: parameters.installed_only.exactOptional(),
      limit: parameters.limit.exactOptional(),
    }),
    async run({ query = "", source, limit = maxListed }, { identity }) {
      const found = seen(parts, identity).filter(
        (server) => matchesQuery(server, query) && (source === undefined || renderServer(server).source === source),
      );
      const servers = found.slice(0, limit).map((server) => {
        const count = callable(parts, identity, server).length;
        return identity.kind === "agent" ? renderForAgent(server, count) : renderServer(server);
      });
      return { servers, ...(servers.length < found.length && { total: found.length }) };
    },
  });

const createStatus = (parts: ServerActionParts) =>
  defineAction({
    name: "status",
    summary: "servers that are started, with names of their tools.",
    role: "viewer",
    forAgents: true,
    args: z.object({}),
    async run(_args, { identity }) {
      const active = seen(parts, identity).filter(({ isActive }) => isActive);
      let left = maxNames;
      const servers = active.slice(0, maxListed).map((server) => {
        const names = callable(parts, identity, server);
        const tools = names.slice(0, left);
        left -= tools.length;
        return { name: server.name, tool_count: names.length, tools };
      });
      return { active_count: active.length, servers, ...renderEmbeddings(parts.index, identity) };
    },
  });

/** Nothing where it is as it comes. How many tools there are, and what the endpoint says, is for those who look after servers: others see their own tools only. */
function renderEmbeddings(index: ServerActionParts["index"], identity: Identity) {
  const { provider, degraded, ...rest } = index.observeEmbeddings();
  if (provider === "static") return {};
  const isTold = requireRole(identity, "operator") === undefined;
  return { embeddings: { provider, ...defined({ degraded }), ...(isTold && rest) } };
}

function createStartAndStop(parts: ServerActionParts): RegistryAction[] {
  const { activation, writesFor, shown } = parts;
  const args = z.object({ name: parameters.name });
  return [
    defineAction({
      name: "activate",
      summary: "starts a server for everybody and lists its tools.",
      role: "operator",
      args,
      async run({ name }, { identity }) {
        const server = findServer(parts, name, identity);
        if (server.refusal !== undefined) throw new ToolRefused("invalid", server.refusal);
        const status = await activation.activate(server, writesFor(identity));
        return { status, tool_count: callable(parts, identity, server).length };
      },
    }),
    defineAction({
      name: "deactivate",
      summary: "stops one.",
      role: "operator",
      args,
      async run({ name }, { identity, call }) {
        const server = findServer(parts, name, identity);
        const status = await activation.deactivate(server, writesFor(identity));
        shown.hide(call, server.name);
        return { status };
      },
    }),
  ];
}

const createUninstall = (parts: ServerActionParts) =>
  defineAction({
    name: "uninstall",
    summary: "removes a server.",
    role: "admin",
    args: z.object({ name: parameters.name }),
    async run({ name }, { identity }) {
      // What runs of it goes with its resource.
      await parts.writesFor(identity).servers.delete(writable(findServer(parts, name, identity)));
      return { status: "deleted" };
    },
  });

const maxShownChars = 100;

function findServer({ servers }: ServerActionParts, name: string, identity: Identity): ServerEntry {
  const found = servers.find(name, identity);
  if (found !== undefined) return found;
  throw new ToolRefused(
    "not_found",
    `there is no server "${name.slice(0, maxShownChars)}", or it is not for you to see`,
  );
}
