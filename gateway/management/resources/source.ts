// All families as the resources of a table: lists, templates, reading, and which change of the instance is a change of what.
import { JsonRpcError, rpcCodes } from "../../../lib/mcp/json-rpc.ts";
import type { ResourceChange, ResourceSource } from "../../../lib/mcp/table.ts";
import type { GatewayState } from "../../state/state.ts";
import { identityOf, isViewer, seesAgent } from "../access.ts";
import type { PresetSource } from "../../state/presets.ts";
import { parseKey, renderUri, type ResourceFamily } from "./family.ts";

const mimeType = "application/json";
/** Of what one resource says. */
export const maxResourceBytes = 4 * 1024 * 1024;

export interface ResourcesParts {
  families: readonly ResourceFamily[];
  state: Pick<GatewayState, "listAgents" | "onChange">;
  presets: Pick<PresetSource, "onChange">;
}

export interface Resources {
  readonly source: ResourceSource;
  /** Says that reading it gives something else now. */
  announce(uri: string): void;
}

export function createResources({ families, state, presets }: ResourcesParts): Resources {
  const listeners = new Set<(change: ResourceChange) => void>();
  const tell = (change: ResourceChange) => listeners.forEach((listener) => listener(change));
  const announce = (uri: string) => tell({ uri });
  const find = (uri: string) => {
    for (const family of families) {
      const key = parseKey(family.uri, uri);
      if (key !== undefined) return { family, key };
    }
    return undefined;
  };
  const source: ResourceSource = {
    list(requester) {
      const identity = identityOf(requester);
      return families.flatMap((family) => renderEntries(family, family.listKeys(identity)));
    },
    templates: () =>
      families
        .filter(({ uri }) => uri.includes("{"))
        .map(({ uri, name, description }) => ({ uriTemplate: uri, name, description, mimeType })),
    mayRead(uri, requester) {
      const found = find(uri);
      return found !== undefined && found.family.mayRead(found.key, identityOf(requester));
    },
    async read(uri, context) {
      const found = find(uri);
      const content = await found?.family.read(found.key, identityOf(context), context);
      return content === undefined ? undefined : [{ uri, mimeType, text: renderText(uri, content) }];
    },
    changes(onChange) {
      const stops = [followState(families, state, tell), presets.onChange(() => announce("resource://presets/list"))];
      listeners.add(onChange);
      return () => {
        listeners.delete(onChange);
        for (const stop of stops) stop();
      };
    },
    follow(uri) {
      const found = find(uri);
      return found?.family.follow?.(found.key, () => announce(uri)) ?? (() => undefined);
    },
  };
  return { source, announce };
}

const renderEntries = ({ uri, name, description }: ResourceFamily, keys: readonly string[]) =>
  keys.map((key) => ({
    uri: renderUri(uri, key),
    name: key === "" ? name : `${name}: ${key}`,
    description,
    mimeType,
  }));

function renderText(uri: string, content: unknown): string {
  const text = JSON.stringify(content);
  if (Buffer.byteLength(text) <= maxResourceBytes) return text;
  const message = `${uri} would be larger than ${maxResourceBytes} bytes, which is the most that is sent; read narrower ones`;
  throw new JsonRpcError(rpcCodes.serverError, message);
}

/** What of the resources says something else after a change of the instance. */
function followState(
  families: readonly ResourceFamily[],
  state: ResourcesParts["state"],
  tell: (change: ResourceChange) => void,
): () => void {
  const names = () => new Set(state.listAgents().map(({ metadata }) => metadata.name));
  const ofAgents = families.filter(({ uri }) => uri.includes("{agent_id}"));
  const others = families.filter(({ uri }) => !uri.includes("{agent_id}"));
  let known = names();
  return state.onChange(({ agents, instance }) => {
    const before = known;
    known = names();
    for (const family of ofAgents) {
      for (const name of instance ? new Set([...known, ...agents]) : agents) tell({ uri: renderUri(family.uri, name) });
    }
    for (const family of others) {
      for (const key of family.changedKeys?.() ?? []) tell({ uri: renderUri(family.uri, key) });
    }
    const moved = agents.filter((name) => before.has(name) !== known.has(name));
    if (instance) {
      tell({ list: true, isFor: (requester) => isViewer(identityOf(requester)) });
    } else if (moved.length > 0) {
      tell({ list: true, isFor: (requester) => moved.some((name) => seesAgent(identityOf(requester), name)) });
    }
  });
}
