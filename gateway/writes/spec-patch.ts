// A change of an agent's spec as a JSON Patch (RFC 6902), which holds only for the spec that it was judged with: whoever changed the
// agent meanwhile would lose their change otherwise, since a merge patch replaces lists whole. Pure.
import type { PallasAgent } from "../../crds/agent.ts";
import { applyMergePatch } from "../merge-patch.ts";

export interface PatchOperation {
  op: "test" | "add" | "remove";
  path: string;
  value?: unknown;
}

const escape = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

/**
 * @param agent as it was judged; its status may change, which does not count
 * @param changes a merge patch (RFC 7386) of its spec; fields that it does not name stay as they are, those that nobody here knows too
 */
export function renderSpecPatch({ metadata, spec }: PallasAgent, changes: object): PatchOperation[] {
  const { uid, generation } = metadata;
  const before = new Map<string, unknown>(Object.entries(spec));
  return [
    { op: "test", path: "/metadata/uid", value: uid },
    ...(generation === undefined ? [] : [{ op: "test" as const, path: "/metadata/generation", value: generation }]),
    ...Object.entries(changes).flatMap(([key, change]): PatchOperation[] => {
      const path = `/spec/${escape(key)}`;
      if (change !== null) return [{ op: "add", path, value: applyMergePatch(before.get(key), change) }];
      return before.has(key) ? [{ op: "remove", path }] : [];
    }),
  ];
}
