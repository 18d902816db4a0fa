// All families as the resources of a table: lists, templates, reading, and which change of the instance is a change of what.
import { JsonRpcError, rpcCodes } from "../../../lib/mcp/json-rpc.ts";
import type { ResourceChange, ResourceSource } from "../../../lib/mcp/table.ts";
import type { GatewayState } from "../../state/state.ts";
import { identityOf, isViewer, seesAgent } from "../access.ts";
import type { PresetSource } from "../../state/presets.ts";
import { parseKey, renderUri, type ResourceFamily, type Touched } from "./family.ts";

const jsonType = "application/json";
/** Of what one resource says. */
export const maxResourceBytes = 4 * 1024 * 1024;

export interface ResourcesParts {
  families: readonly ResourceFamily[];
  state: Pick<GatewayState, "listAgents" | "onChange">;
  presets: Pick<PresetSource, "onChange">;
  /** Says by name of which policies something else is proposed. */
  proposals: { onChange(listener: (policy: string) => void): () => void };
}

export function createResources({ families, state, presets, proposals }: ResourcesParts): ResourceSource {
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
  return {
    list(requester) {
      const identity = identityOf(requester);
      return families.flatMap((family) => renderEntries(family, family.listKeys(identity)));
    },
    templates: () =>
      families
        .filter(({ uri }) => uri.includes("{"))
        .map(({ uri, name, description, mimeType = jsonType }) => ({ uriTemplate: uri, name, description, mimeType })),
    mayRead(uri, requester) {
      const found = find(uri);
      return found !== undefined && found.family.mayRead(found.key, identityOf(requester));
    },
    async read(uri, context) {
      const found = find(uri);
      if (found === undefined) return undefined;
      const { family, key } = found;
      const content = await family.read(key, identityOf(context), context);
      if (content === undefined) return undefined;
      const isText = family.mimeType !== undefined && typeof content === "string";
      const text = isText ? content : JSON.stringify(content);
      const meta = family.meta && { _meta: family.meta };
      return [{ uri, mimeType: family.mimeType ?? jsonType, text: limitText(uri, text), ...meta }];
    },
    changes(onChange) {
      const stops = [
        followState(families, state, tell),
        presets.onChange(() => announce("resource://presets/list")),
        proposals.onChange((policy) => tellTouched(families, { policies: [policy], approvals: [] }, tell)),
      ];
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
}

const renderEntries = ({ uri, name, description, mimeType = jsonType }: ResourceFamily, keys: readonly string[]) =>
  keys.map((key) => ({
    uri: renderUri(uri, key),
    name: key === "" ? name : `${name}: ${key}`,
    description,
    mimeType,
  }));

function limitText(uri: string, text: string): string {
  if (Buffer.byteLength(text) <= maxResourceBytes) return text;
  const message = `${uri} would be larger than ${maxResourceBytes} bytes, which is the most that is sent; read narrower ones`;
  throw new JsonRpcError(rpcCodes.serverError, message);
}

function tellTouched(families: readonly ResourceFamily[], touched: Touched, tell: (change: ResourceChange) => void) {
  if (touched.policies.length === 0 && touched.approvals.length === 0) return;
  for (const family of families) {
    for (const key of family.touchedKeys?.(touched) ?? []) tell({ uri: renderUri(family.uri, key) });
  }
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
  return state.onChange(({ agents, servers, registrations, policies, approvals, instance }) => {
    tellTouched(families, { policies, approvals }, tell);
    if (agents.length + servers.length + registrations.length === 0 && !instance) return;
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
