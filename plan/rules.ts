// What an installation allows beyond the schema: the rules by which everybody who judges a resource judges it. The
// operator is told them by its own variables, and hands them on to each registry as one; a new rule is a line here.
import * as z from "zod";
import { authorLimits } from "./author-limits.ts";

/** Where resources run: placeholders are for local mode only (CFG-6). */
export type Mode = "cluster" | "local";

/** A limit that is absent is not known, and nothing is refused by it: no file says what an operator was told. */
const limits = z.object({
  /** Repositories that images may come from, beside the release's own (SEC-2). */
  allowedImages: z.array(z.string()).readonly().exactOptional(),
  /** What authors of instances and agents may set and open. */
  authors: authorLimits.exactOptional(),
});
export type Limits = z.output<typeof limits>;

export interface Rules extends Limits {
  readonly mode: Mode;
}

/** The variable by which a registry is told the limits of the operator that made it. */
export const limitsVariable = "PALLAS_LIMITS";

export const renderLimits = (rules: Rules): string => JSON.stringify(limits.parse(rules));

function parseJson(text: string, context: z.RefinementCtx<string>): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: "custom", message: "expected JSON as the operator writes it" });
    return z.NEVER;
  }
}

/** The text of `renderLimits`; limits of a newer operator are passed over. */
export const limitsText = z.string().transform(parseJson).pipe(limits);
