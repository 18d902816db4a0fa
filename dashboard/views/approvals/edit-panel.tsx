// Another version of the arguments, by a form from the tool's schema with its JSON beside it. Loaded when somebody first edits. What was asked
// stays in sight above; only what fits the schema is sent.
import { useEffect, useMemo, useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { parseDraft } from "../../parts/schema-form/json-text.ts";
import { SchemaForm } from "../../parts/schema-form/schema-form.tsx";
import { approvalWords as words } from "../../words/approvals.ts";
import type { BarProps } from "./bar-props.ts";
import { judgeVersion, readSchema, type Asked } from "./edited-version.ts";
import { firstClass } from "./use-bar-focus.ts";

export function EditPanel({ act, state, focus, approval, approveVersion, offBecause }: BarProps) {
  const [hasPressed, setPressed] = useState(false);
  useEffect(focus.again, []);
  const asked: Asked = {
    arguments: approval.arguments ?? "",
    schema: approval.input_schema,
    redacted: approval.redacted,
  };
  const schema = useMemo(() => readSchema(asked.schema), [asked.schema]);
  const before = useMemo(() => parseDraft(asked.arguments), [asked.arguments]);
  const version = state.drafts.edited ?? before;
  const judged = useMemo(
    () => judgeVersion(version, asked),
    [version, asked.arguments, asked.schema, approval.redacted],
  );
  const problem = "problem" in judged ? judged : undefined;
  return (
    <div class="stack">
      <div class={`approvals-edit ${firstClass}`}>
        <SchemaForm
          schema={schema}
          value={version}
          showsAll={hasPressed}
          heading={<h2>{words.editTitle}</h2>}
          onChange={(edited) => act({ kind: "typed", drafts: { edited } })}
        />
      </div>
      <p class="note second">
        {words.editNote}
        {approval.redacted.length > 0 && ` ${words.editHides}`}
      </p>
      {problem !== undefined && (hasPressed || problem.isSame) && (
        <p class={problem.isSame ? "note second" : "note bad row"} role="status">
          {!problem.isSame && <Icon name="error" />} {problem.problem}
        </p>
      )}
      <div class="approvals-buttons">
        <Button look="quiet" onPress={() => act({ kind: "back" })}>
          {words.goBack}
        </Button>
        <span class="space" />
        <Button
          look="filled"
          offBecause={offBecause ?? (problem?.isSame === true ? problem.problem : undefined)}
          onPress={() => {
            setPressed(true);
            if ("arguments" in judged) approveVersion(judged.arguments, judged.text);
          }}
        >
          {words.approveMine}
        </Button>
      </div>
    </div>
  );
}
