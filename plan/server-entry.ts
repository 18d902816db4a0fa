// A tool server as the generic registry API lists it (CAT-10, DSC-6): where its package comes from, and where it is reached. No
// arguments and no values of variables, which are its author's affair. Pure.
import {
  maxCatalogueNameChars,
  officialMetaKey,
  serverSchemaUrl,
  toolServerMetaKey,
  type CatalogueIdentity,
  type ToolServerEntry,
} from "../crds/catalogue.ts";
import { defined } from "../crds/defined.ts";
import { titleFromName } from "../crds/names.ts";
import type { ServerSpec } from "../crds/server.ts";
import { shorten } from "./catalogue.ts";
import type { ResolvedServer } from "./resolved-server.ts";
import { findSecretInUrl } from "./secret-text.ts";

type Package = NonNullable<ToolServerEntry["server"]["packages"]>[number];

const transport = { type: "stdio" } as const;

function renderPackages({ package: published, container }: ServerSpec): Package[] {
  if (container !== undefined) return [{ registryType: "oci", identifier: container.image, transport }];
  if (published === undefined) return [];
  const { kind, name, version } = published;
  // The schema of server.json knows no version of this name: it is that of no version.
  return [{ registryType: kind, identifier: name, ...(version === "latest" ? {} : defined({ version })), transport }];
}

/** Not one that seems to hold a key: anyone may read this. */
function renderRemotes(url: string): ToolServerEntry["server"]["remotes"] {
  const isShown = URL.canParse(url) && findSecretInUrl(new URL(url)) === undefined;
  return isShown ? [{ type: "streamable-http", url }] : [];
}

/** By its name among agents; where that would be too long, by its resource's. */
function renderIdentity({ server, instance, name }: ResolvedServer): CatalogueIdentity {
  const { registryNamespace, version } = instance.spec;
  const whole = `${registryNamespace}/${name}`;
  const title = shorten(server.spec.title ?? "") || titleFromName(name);
  return {
    name: whole.length > maxCatalogueNameChars ? `${registryNamespace}/${server.metadata.name}` : whole,
    title,
    description: shorten(server.spec.description ?? "") || title,
    version,
  };
}

/**
 * @param url where it is reached, if that is known
 * @param updatedAt RFC 3339, UTC
 */
export function renderToolServerEntry(
  resolved: ResolvedServer,
  url: string | undefined,
  updatedAt: string,
): ToolServerEntry {
  const { spec, status } = resolved.server;
  const packages = renderPackages(spec);
  const { name, title, description, version } = renderIdentity(resolved);
  return {
    server: {
      $schema: serverSchemaUrl,
      name,
      title,
      description,
      version,
      ...(packages.length === 0 ? {} : { packages }),
      remotes: url === undefined ? [] : renderRemotes(url),
    },
    _meta: {
      [officialMetaKey]: { status: "active", updatedAt, isLatest: true },
      [toolServerMetaKey]: {
        serverName: resolved.name,
        active: spec.active,
        ...(spec.tags === undefined || spec.tags.length === 0 ? {} : { tags: spec.tags }),
        ...defined({ toolCount: status?.toolCount }),
      },
    },
  };
}
