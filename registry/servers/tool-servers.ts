// Which tool servers the generic registry API lists, each with its entry (CAT-10, DSC-6): those that are accepted, by the same
// judgement as everywhere. They are looked at again when something changes, at most some times a second.
import type { PallasServer } from "../../crds/server.ts";
import { officialMetaKey, type ToolServerEntry } from "../../crds/catalogue.ts";
import { systemClock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { judgeInstance, judgeServers } from "../../plan/judge.ts";
import type { Rules } from "../../plan/rules.ts";
import { resolveServer } from "../../plan/server.ts";
import { renderToolServerEntry } from "../../plan/server-entry.ts";
import { clusterServerUrl } from "../../plan/urls.ts";
import { instanceKeyOf, resourceKey, type ResourceSource } from "../source/source.ts";
import type { Recorded } from "./record.ts";

/** Every change of an agent's status wakes it too. */
const coalesceMs = 100;

interface Listed extends Recorded {
  readonly resource: PallasServer;
  readonly entry: ToolServerEntry;
  readonly text: string;
}

interface ListerOptions {
  source: Pick<ResourceSource, "instances" | "agents" | "servers">;
  rules: Rules;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** The servers in the order of their names; the same objects for as long as nothing of them changes. */
export function createToolServerLister({ source, rules, now }: ListerOptions): () => readonly Recorded[] {
  let before: ReadonlyMap<string, Listed> = new Map();
  /** A server does not say when its spec last changed: when it was made, or when this process saw it change. */
  const changedAt = (server: PallasServer, text: string): string => {
    const earlier = before.get(resourceKey(server));
    if (earlier === undefined) return server.metadata.creationTimestamp ?? toUtc(now());
    return earlier.text === text ? earlier.entry._meta[officialMetaKey].updatedAt : toUtc(now());
  };
  /** In local mode whoever starts a bridge says where it is. */
  const urlOf = ({ metadata, status }: PallasServer): string | undefined =>
    rules.mode === "local" ? status?.url : clusterServerUrl(metadata.name, metadata.namespace);

  return () => {
    const servers = Map.groupBy(source.servers(), instanceKeyOf);
    const agents = Map.groupBy(servers.size === 0 ? [] : source.agents(), instanceKeyOf);
    const found = source.instances().flatMap((instance): Listed[] => {
      const own = servers.get(resourceKey(instance));
      if (own === undefined || judgeInstance(instance, rules).length > 0) return [];
      const names = new Set((agents.get(resourceKey(instance)) ?? []).map(({ metadata }) => metadata.name));
      const accepted = [...judgeServers(instance, own, names, rules)].filter(([, problems]) => problems.length === 0);
      return accepted.map(([server]) => {
        const bridgeUrl = urlOf(server);
        const resolved = resolveServer(server, instance, bridgeUrl ?? "");
        const url = resolved.bridge === undefined ? resolved.address.url : bridgeUrl;
        const text = JSON.stringify(renderToolServerEntry(resolved, url, "").server);
        const entry = renderToolServerEntry(resolved, url, changedAt(server, text));
        const earlier = before.get(resourceKey(server));
        const isSame = earlier !== undefined && JSON.stringify(earlier.entry) === JSON.stringify(entry);
        return { resource: server, entry: isSame ? earlier.entry : entry, text };
      });
    });
    before = new Map(found.map((listed) => [resourceKey(listed.resource), listed]));
    return found.toSorted((a, b) => (resourceKey(a.resource) < resourceKey(b.resource) ? -1 : 1));
  };
}

const toUtc = (time: number): string => new Date(Math.floor(time / 1_000) * 1_000).toISOString().replace(".000Z", "Z");

/** Lists anew after changes, for as long as it runs. */
export function followToolServers(options: {
  source: Pick<ResourceSource, "instances" | "agents" | "servers" | "onChange">;
  rules: Rules;
  onListing: (servers: readonly Recorded[]) => void;
  log: Logger;
}): { start(): void; stop(): Promise<void> } {
  const list = createToolServerLister({ ...options, now: systemClock.wallNow });
  let timer: NodeJS.Timeout | undefined;
  let unsubscribe = (): void => undefined;
  const note = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      try {
        options.onListing(list());
      } catch (error) {
        options.log.error({ err: error }, "tool servers could not be listed");
      }
    }, coalesceMs);
  };
  return {
    start() {
      unsubscribe = options.source.onChange(note);
      note();
    },
    stop() {
      unsubscribe();
      clearTimeout(timer);
      return Promise.resolve();
    },
  };
}
