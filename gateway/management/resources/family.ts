// What the resources of one family have in common: how their URIs read, who may read them, what is in them, and what must be
// asked for while somebody subscribes. A family is one file; `source.ts` makes a table's resources of all of them.
import type { Identity } from "../../../lib/auth/roles.ts";
import type { CallContext } from "../../../lib/mcp/table.ts";
import type { StateChange } from "../../state/state.ts";

/** Names of policies and approvals that came, changed or went. */
export type Touched = Pick<StateChange, "policies" | "approvals">;

export interface ResourceFamily {
  /** A URI, or a template with one variable. The key of a resource is what stands in place of that; "" where there is none. */
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  /** Of a text that is no JSON; default JSON. */
  readonly mimeType?: string;
  /** `_meta` of what is read. */
  readonly meta?: Record<string, unknown>;
  /** The keys that an identity sees, for lists. */
  listKeys(identity: Identity): readonly string[];
  /** Whether it is there and for this identity. From memory; `key` is a stranger's text. */
  mayRead(key: string, identity: Identity): boolean;
  /** What is in it, as JSON, or the text itself where it has a `mimeType`. Undefined when it has gone meanwhile. */
  read(key: string, identity: Identity, context: CallContext): Promise<unknown>;
  /** Keys of what any change of the instance may change; those of agents' own resources need no word. */
  changedKeys?(): readonly string[];
  /** Keys of what a change of policies or approvals changes. */
  touchedKeys?(change: Touched): readonly string[];
  /** Looks for changes that no watch tells of, until what it returns is called. */
  follow?(key: string, onChange: () => void): () => void;
}

/** `resource://agents/{agent_id}/info` and a URI → what agent_id is in it; undefined when the URI is none of these. */
export function parseKey(template: string, uri: string): string | undefined {
  const from = template.indexOf("{");
  if (from === -1) return uri === template ? "" : undefined;
  const [before, after] = [template.slice(0, from), template.slice(template.indexOf("}") + 1)];
  if (uri.length <= before.length + after.length || !uri.startsWith(before) || !uri.endsWith(after)) return undefined;
  const key = uri.slice(before.length, uri.length - after.length);
  return key.includes("/") ? undefined : key;
}

export function renderUri(template: string, key: string): string {
  const from = template.indexOf("{");
  return from === -1 ? template : `${template.slice(0, from)}${key}${template.slice(template.indexOf("}") + 1)}`;
}
