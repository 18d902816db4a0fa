// A change of a resource's spec as a JSON Patch (RFC 6902), which holds only for the spec that it was judged with: whoever changed
// it meanwhile would lose their change otherwise, since a merge patch replaces lists whole. Pure.
import { applyMergePatch } from "../merge-patch.ts";

export interface PatchOperation {
  op: "test" | "add" | "remove";
  path: string;
  value?: unknown;
}

interface Judged {
  readonly metadata: { readonly uid?: string; readonly generation?: number };
  readonly spec: object;
}

const escape = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

const renderTests = ({ metadata: { uid, generation } }: Judged): PatchOperation[] => [
  { op: "test", path: "/metadata/uid", value: uid },
  ...(generation === undefined ? [] : [{ op: "test" as const, path: "/metadata/generation", value: generation }]),
];

/**
 * @param judged as it was judged; its status may change, which does not count
 * @param changes a merge patch (RFC 7386) of its spec; fields that it does not name stay as they are, those that nobody here knows too
 */
export function renderSpecPatch(judged: Judged, changes: object): PatchOperation[] {
  const before = new Map<string, unknown>(Object.entries(judged.spec));
  return [
    ...renderTests(judged),
    ...Object.entries(changes).flatMap(([key, change]): PatchOperation[] => {
      const path = `/spec/${escape(key)}`;
      if (change !== null) return [{ op: "add", path, value: applyMergePatch(before.get(key), change) }];
      return before.has(key) ? [{ op: "remove", path }] : [];
    }),
  ];
}

/** Puts a whole spec in place of the one that it was judged with. */
export const renderSpecReplacement = (judged: Judged, spec: object): PatchOperation[] => [
  ...renderTests(judged),
  { op: "add", path: "/spec", value: spec },
];
