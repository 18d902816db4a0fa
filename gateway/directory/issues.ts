// What is wrong with a body, as a sentence that names each faulty field by its place.
import type * as z from "zod";

const maxShown = 8;

/** @param root how the caller knows what was read; empty: the body itself */
export function describeIssues(error: z.ZodError, root: string): string {
  const shown = error.issues.slice(0, maxShown).map(({ path, message }) => {
    const place = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
    return `${`${root}${place}`.replace(/^\./, "") || "the body"}: ${message}`;
  });
  const more = error.issues.length - shown.length;
  return shown.join("; ") + (more > 0 ? `; and ${more} more` : "");
}
