// A call in one line of a list: the values that differ from the last approved call, or the first ones where there is none. Pure.
import type { ShownApproval } from "../../data/approvals.ts";
import { approvalWords as words } from "../../words/approvals.ts";
import { compareArguments } from "./difference.ts";
import { tellRow } from "./caution.ts";

const maxNamed = 3;
/** What is longer is compared when its card is opened. */
const maxChars = 32 * 1_024;

type Summarised = Pick<ShownApproval, "arguments" | "last_approved" | "redacted">;

export function summarise({ arguments: now, last_approved: last, redacted }: Summarised): string {
  if (now === undefined) return words.argumentsHidden;
  if (last?.same_arguments === true) return words.same;
  if (now.length > maxChars) return "";
  const { rows } = compareArguments({ now, was: last?.arguments, redacted, isSame: false });
  const shown = rows.filter(({ kind }) => kind !== "equal").slice(0, maxNamed);
  return shown.length === 0 ? words.noArguments : shown.map(tellRow).join(", ");
}
