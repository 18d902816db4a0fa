/**
 * JSON in one fixed form, for comparing and hashing: sorted keys, no undefined members.
 */
import { createHash } from "node:crypto";

export function renderCanonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** 128 bits in hexadecimal: short enough for an annotation or a label. */
export function hashOf(value: unknown): string {
  return createHash("sha256").update(renderCanonical(value)).digest("hex").slice(0, 32);
}
