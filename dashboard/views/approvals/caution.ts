// Why approving asks for a second step: facts about this call, each as a sentence made from them. A call without any takes one press. Pure.
import type { ShownApproval } from "../../data/approvals.ts";
import { hasHidden } from "../../parts/hidden-characters.ts";
import { approvalWords as words } from "../../words/approvals.ts";
import { fill, plural } from "../../words/fill.ts";
import type { ArgumentRow, Comparison } from "./difference.ts";
import { findDeceptiveHosts } from "./host-names.ts";

type Facts = Pick<ShownApproval, "hints" | "last_approved" | "definition_changed" | "agent_id" | "tool">;

/** Longer values are on the card, and named here alone. */
const maxValueChars = 60;
const maxNamed = 3;

/** Whether the server's hints leave it open that a call changes something; what says nothing may do anything. */
const mayChange = ({ hints }: Pick<Facts, "hints">): boolean => hints?.read_only !== true;

export function findCautions(approval: Facts, { rows, differing }: Comparison, isEdited: boolean): string[] {
  const cautions: string[] = [];
  if (approval.last_approved === null) {
    cautions.push(fill(words.caution.noneApproved, { who: approval.agent_id ?? words.gateway, tool: approval.tool }));
  } else if (differing > 0 && mayChange(approval)) {
    cautions.push(tellDiffering(rows.filter(({ kind }) => kind !== "equal")));
  }
  if (approval.definition_changed === true) cautions.push(words.caution.definition);
  const hiding = rows.filter(hidesCharacters).length;
  if (hiding > 0) cautions.push(plural(words.caution.hidden, hiding));
  if (rows.some(({ now }) => now !== undefined && findDeceptiveHosts(now.text).length > 0)) {
    cautions.push(words.caution.scripts);
  }
  if (isEdited) cautions.push(words.caution.edited);
  return cautions;
}

const hidesCharacters = ({ label, now }: ArgumentRow): boolean =>
  hasHidden(label) || (now !== undefined && hasHidden(now.text));

function tellDiffering(rows: readonly ArgumentRow[]): string {
  const named = rows.slice(0, maxNamed).map(tellRow).join(", ");
  const more = rows.length - maxNamed;
  const list = more > 0 ? fill(words.caution.andMore, { named, more }) : named;
  return fill(words.caution.differs, { named: list });
}

/** As a list has room for it: the name, and a short value. */
export function tellRow({ label, kind, now, lines, isHidden }: ArgumentRow): string {
  if (kind === "gone") return fill(words.rowGone, { name: label });
  if (lines !== undefined) {
    const added = lines.filter((line) => line.kind === "added").length;
    const removed = lines.filter((line) => line.kind === "removed").length;
    return fill(words.rowLines, { name: label, lines: plural(words.linesChanged, Math.max(added, removed)) });
  }
  const text = now?.text ?? "";
  if (isHidden || text.length > maxValueChars || text.includes("\n") || hasHidden(text)) return label;
  return `${label} ${text}`.trim();
}
