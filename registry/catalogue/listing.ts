// Which agents are in the catalogue, and each one's entry, also as JSON text. An entry is rendered again only when its agent
// or its instance's spec has changed, so that one change among a thousand agents costs one entry (CAT-8).
import type { PallasAgent } from "../../crds/agent.ts";
import type { CatalogueEntry } from "../../crds/catalogue.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import { withoutSlugConflicts, type SlugConflict } from "../../plan/catalogue.ts";
import { judgeAgent, judgeInstance } from "../../plan/judge.ts";
import type { Rules } from "../../plan/rules.ts";
import { instanceKeyOf, resourceKey, type ResourceSource } from "../source/source.ts";

export type RenderEntry = (agent: PallasAgent, instance: PallasInstance) => CatalogueEntry;

/** An agent in the catalogue; the same object for as long as nothing of it changes. */
export interface ListedServer {
  readonly agent: PallasAgent;
  readonly entry: CatalogueEntry;
  /** JSON of the entry. */
  readonly text: string;
}

export interface Listing {
  /** In the order of the catalogue. */
  servers: readonly ListedServer[];
  conflicts: readonly SlugConflict[];
}

/** `rules` decide what is accepted; `renderEntry` is called for new and changed agents only. */
export function createLister({
  source,
  rules,
  renderEntry,
}: {
  source: Pick<ResourceSource, "instances" | "agents">;
  rules: Rules;
  renderEntry: RenderEntry;
}): () => Listing {
  let instances = new Map<string, KeptInstance>();
  let agents = new Map<string, KeptAgent>();
  return () => {
    instances = keepInstances(source.instances(), instances, rules);
    const kept = new Map<string, KeptAgent>();
    for (const agent of source.agents()) {
      const instance = instances.get(instanceKeyOf(agent));
      if (instance?.accepted !== true) continue;
      const before = agents.get(resourceKey(agent));
      kept.set(
        resourceKey(agent),
        before?.agent === agent && before.instance === instance
          ? before
          : keepAgent(agent, instance, rules, renderEntry),
      );
    }
    agents = kept;
    const accepted = [...kept.values()].filter(({ listed }) => listed !== undefined);
    const { listed, conflicts } = withoutSlugConflicts(accepted.map(({ agent }) => agent));
    const servers = listed.flatMap((agent) => kept.get(resourceKey(agent))?.listed ?? []);
    return { servers, conflicts };
  };
}

interface KeptInstance {
  instance: PallasInstance;
  /** What entries are made of. */
  entryText: string;
  accepted: boolean;
}

interface KeptAgent {
  agent: PallasAgent;
  instance: KeptInstance;
  /** undefined: not accepted. */
  listed: ListedServer | undefined;
}

/** An instance's status changes with every agent of it, which must not render all of their entries again. */
function keepInstances(
  found: readonly PallasInstance[],
  before: ReadonlyMap<string, KeptInstance>,
  rules: Rules,
): Map<string, KeptInstance> {
  return new Map(
    found.map((instance) => {
      const key = resourceKey(instance);
      const earlier = before.get(key);
      if (earlier?.instance === instance) return [key, earlier];
      const entryText = JSON.stringify([instance.spec, instance.status?.specChangedAt]);
      if (earlier?.entryText === entryText) return [key, earlier];
      return [key, { instance, entryText, accepted: judgeInstance(instance, rules).length === 0 }];
    }),
  );
}

function keepAgent(agent: PallasAgent, kept: KeptInstance, rules: Rules, renderEntry: RenderEntry): KeptAgent {
  if (judgeAgent(agent, kept.instance, rules).length > 0) return { agent, instance: kept, listed: undefined };
  const entry = renderEntry(agent, kept.instance);
  return { agent, instance: kept, listed: { agent, entry, text: JSON.stringify(entry) } };
}
