// `sync` of the registry tool (DSC-1): reads the declared sources anew. The configuration of the places to browse is read again, what they
// answered is forgotten and each is asked whether it is there; and every server that is started lists its tools again.
import * as z from "zod";
import type { Identity } from "../../../lib/auth/roles.ts";
import { ToolRefused } from "../../management/tools/tool.ts";
import type { ServerEntry } from "../../servers/entry.ts";
import type { ToolServers } from "../../servers/tool-servers.ts";
import { defineAction, type RegistryAction } from "../action.ts";
import type { Browser } from "../browse/browser.ts";
import { BrowserBusy } from "../browse/source-pool.ts";
import { renderReport } from "../browse/render.ts";

export interface SyncParts {
  browser: Browser;
  servers: Pick<ToolServers, "list">;
}

const checkWithinMs = 5_000;
const maxServers = 64;
/** Eight rounds of checks at the most, within the time of a request. */
const atOnce = 8;
const maxNamed = 20;

export function createSync({ browser, servers }: SyncParts): RegistryAction {
  let isRunning = false;
  return defineAction({
    name: "sync",
    summary: "asks all sources and servers again.",
    role: "operator",
    args: z.object({}),
    async run(_args, { identity }) {
      if (isRunning) throw new ToolRefused("busy", "sync: another one is running: wait for it");
      isRunning = true;
      try {
        const [reports, checked] = await Promise.all([browser.sync(), checkServers(servers, identity)]);
        const sources = reports.map((report) => {
          const { name, kind, error } = { error: undefined, ...renderReport(report) };
          return error === undefined ? { name, kind, status: "reachable" } : { name, kind, status: "failed", error };
        });
        return { sources, servers: checked };
      } catch (error) {
        if (error instanceof BrowserBusy) throw new ToolRefused("busy", `sync: ${error.message}`, { cause: error });
        throw error;
      } finally {
        isRunning = false;
      }
    },
  });
}

/** Those that are started and that the caller sees; one that does not answer in time counts as failed. */
async function checkServers(servers: SyncParts["servers"], identity: Identity) {
  const active = servers.list(identity).filter(({ isActive }) => isActive);
  const asked = active.slice(0, maxServers);
  const failed: string[] = [];
  for (let from = 0; from < asked.length; from += atOnce) {
    const round = asked.slice(from, from + atOnce);
    const results = await Promise.all(round.map((server) => server.check(checkWithinMs)));
    failed.push(...results.flatMap(({ status }, at) => (status === "healthy" ? [] : (round[at]?.name ?? []))));
  }
  const countTools = (count: number, { tools = [] }: ServerEntry) => count + tools.length;
  return {
    active_count: active.length,
    listed: asked.length - failed.length,
    failed: failed.length,
    tool_count: asked.reduce(countTools, 0),
    ...(failed.length > 0 && { failed_names: failed.slice(0, maxNamed) }),
    ...(asked.length < active.length && { not_asked: active.length - asked.length }),
  };
}
