// What a server says of its own tool, in the words of policies.
import type { ToolAnnotations } from "../../lib/mcp/table.ts";
import type { Hints } from "../../lib/policy/rules.ts";
import { defined } from "../../lib/process/defined.ts";

/** Empty where it says nothing. */
export const readHints = ({ annotations }: { readonly annotations?: ToolAnnotations | undefined }): Hints =>
  defined({ readOnly: annotations?.readOnlyHint, destructive: annotations?.destructiveHint });
