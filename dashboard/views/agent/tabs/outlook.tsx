// What the policy of an agent makes of calls of one tool: a word where that is certain, else that it depends, with what it may come to.
import type { JSX } from "preact";
import type { AgentPolicy, RuleAction } from "../../../data/policies.ts";
import { Chip, type ChipLook } from "../../../parts/mark.tsx";
import { fill } from "../../../words/fill.ts";
import { tabWords as words } from "../../../words/tabs.ts";
import { outlookOf, type JudgedTool } from "../../policies/tool-outlook.ts";

const looks = { allow: "ok", ask: "wait", denyContinue: "bad", denyAbort: "bad" } as const satisfies Record<
  RuleAction,
  ChipLook
>;

export function Outlook({ policy, tool }: { policy: AgentPolicy | undefined; tool: JudgedTool }): JSX.Element | null {
  if (policy === undefined) return null;
  const possible = judge(policy, tool);
  const [first, second] = possible;
  if (first !== undefined && second === undefined) return <Chip look={looks[first]}>{words.outlook[first]}</Chip>;
  const outcomes = possible.map((action) => words.outlook[action]).join(", ");
  const told = fill(words.dependsOn, { outcomes });
  return (
    <span class="agent-outlook" title={told}>
      <Chip>{words.depends}</Chip>
      <span class="note third">{outcomes}</span>
    </span>
  );
}

function judge({ policy, in_force: inForce }: AgentPolicy, tool: JudgedTool): RuleAction[] {
  if (policy === null) return ["allow"];
  // Without rules to go by nothing is let through.
  return inForce ? outlookOf(inForce, tool) : ["denyAbort"];
}
