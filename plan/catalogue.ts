// Resources → catalogue entries (CAT-1…6). Pure, so that operator, registry and local mode say the same; serving,
// compressing and change detection are the registry's.
import type { AgentStatus, PallasAgent } from "../crds/agent.ts";
import {
  maxDescriptionChars,
  officialMetaKey,
  runtimeMetaKey,
  serverSchemaUrl,
  type CatalogueEntry,
  type CatalogueServer,
  type RuntimeMeta,
} from "../crds/catalogue.ts";
import { defined } from "../crds/defined.ts";
import type { Condition } from "../crds/definition.ts";
import type { PallasInstance } from "../crds/instance.ts";
import { slug, titleFromName } from "../crds/names.ts";
import { resolveModels } from "./models.ts";

/** 1–100 characters: longer text is cut at a word with an ellipsis (CAT-3). */
export function shorten(text: string, limit: number = maxDescriptionChars): string {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  const characters = [...flat];
  if (characters.length <= limit) return flat;
  const head = characters.slice(0, limit - 1).join("");
  const lastSpace = head.lastIndexOf(" ");
  // A text without spaces in its second half is cut where it must be.
  const cut = lastSpace > head.length / 2 ? head.slice(0, lastSpace) : head;
  return `${cut.trimEnd()}…`;
}

/** How an agent introduces itself, in the catalogue and on its server card. */
export function renderIdentity(agent: PallasAgent, instance: PallasInstance) {
  const { name } = agent.metadata;
  const title = shorten(agent.spec.title ?? "") || titleFromName(name);
  const description = shorten(agent.spec.description ?? "") || title;
  return { name: `${instance.spec.registryNamespace}/${slug(name)}`, title, description };
}

/** The server.json of an agent; `url` is where clients reach it. */
function renderServer(agent: PallasAgent, instance: PallasInstance, url: string): CatalogueServer {
  const { spec } = agent;
  const [model] = resolveModels(agent, instance);
  return {
    $schema: serverSchemaUrl,
    ...renderIdentity(agent, instance),
    version: instance.spec.version,
    ...(spec.icons && spec.icons.length > 0
      ? { icons: spec.icons.map((icon) => ({ ...withoutUndefined(icon), sizes: ["any"] })) }
      : {}),
    remotes: [{ type: "streamable-http", url }],
    ...(model?.capabilitiesDeclared
      ? {
          capabilities: {
            model: model.name,
            vision: model.capabilities.vision,
            context_window: model.capabilities.contextWindow,
            max_output_tokens: model.capabilities.maxOutputTokens,
          },
        }
      : {}),
  };
}

const withoutUndefined = ({ src, mimeType }: { src: string; mimeType?: string | undefined }) =>
  mimeType === undefined ? { src } : { src, mimeType };

/** Of times in RFC 3339, whose text says nothing of their order where zones differ. */
const latest = (times: readonly (string | null | undefined)[]): string | undefined =>
  times
    .filter((time) => typeof time === "string")
    .toSorted((a, b) => Date.parse(a) - Date.parse(b))
    .at(-1);

/** Health as its conditions tell it; their last transition is when it became so. */
function renderRuntime(status: AgentStatus | undefined): RuntimeMeta {
  const conditions = status?.conditions ?? [];
  const find = (type: string): Condition | undefined => conditions.find((condition) => condition.type === type);
  const parts = [find("ModelHealthy"), find("DownstreamsReachable")];
  const since = latest(parts.map((part) => part?.lastTransitionTime));
  const invalid = [find("Ready"), ...parts].find((part) => part !== undefined && part.status !== "True");
  return {
    ...defined({ health: status?.health }),
    ...(status?.health === undefined || since === undefined ? {} : { healthSince: toUtc(since) }),
    readyReplicas: status?.readyReplicas ?? 0,
    ...(invalid === undefined || invalid.message === "" ? {} : { message: invalid.message }),
  };
}

const toUtc = (time: string): string => new Date(time).toISOString().replace(".000Z", "Z");
const epoch = "1970-01-01T00:00:00Z";

/** An entry is made of both. */
const changedAt = (agent: PallasAgent, instance: PallasInstance): string =>
  latest([agent.status?.specChangedAt ?? agent.metadata.creationTimestamp, instance.status?.specChangedAt]) ?? epoch;

/** One entry. `url` is where clients reach the agent. */
export const renderCatalogueEntry = (agent: PallasAgent, instance: PallasInstance, url: string): CatalogueEntry => ({
  server: renderServer(agent, instance, url),
  _meta: {
    [officialMetaKey]: {
      status: "active",
      updatedAt: toUtc(changedAt(agent, instance)),
      isLatest: true,
    },
    [runtimeMetaKey]: renderRuntime(agent.status),
  },
});

export interface SlugConflict {
  slug: string;
  kept: string;
  leftOut: string;
}

/** By code units, whatever the locale: thousands of names are sorted at each change. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const qualifiedName = ({ metadata }: PallasAgent) => `${metadata.namespace}/${metadata.name}`;

/**
 * Agents in catalogue order (by name), without those whose slug an earlier-created agent has (CAT-2).
 */
export function withoutSlugConflicts(agents: readonly PallasAgent[]): {
  listed: PallasAgent[];
  conflicts: SlugConflict[];
} {
  const age = ({ metadata }: PallasAgent) => metadata.creationTimestamp ?? "";
  const byAge = agents.toSorted((a, b) => compare(age(a), age(b)) || compare(qualifiedName(a), qualifiedName(b)));
  const holders = new Map<string, PallasAgent>();
  const conflicts: SlugConflict[] = [];
  for (const agent of byAge) {
    const key = slug(agent.metadata.name);
    const holder = holders.get(key);
    if (holder) conflicts.push({ slug: key, kept: qualifiedName(holder), leftOut: qualifiedName(agent) });
    else holders.set(key, agent);
  }
  const listed = [...holders.values()].toSorted((a, b) => compare(a.metadata.name, b.metadata.name));
  return { listed, conflicts };
}
