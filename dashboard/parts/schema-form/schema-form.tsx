// A form that is made from a JSON Schema, with its JSON beside it: two sides of one value. What a person did not touch is not sent; what
// does not parse keeps the JSON side, with line and column. It judges nothing by itself: whoever shows it decides what is done with a
// value that has problems.
import type { ComponentChildren, JSX } from "preact";
import { useCallback, useId, useMemo, useState } from "preact/hooks";
import { fill } from "../../words/fill.ts";
import { schemaFormWords as words } from "../../words/schema-form.ts";
import { Button } from "../button.tsx";
import { Facets } from "../field.tsx";
import { Icon } from "../icon.tsx";
import { checkValue, type ValuePath, type ValueProblem } from "./check-value.ts";
import { FormProvider, pointerOf, type FormShared, type PartProps } from "./form-context.ts";
import { buildForm, type FormNode } from "./form-model.ts";
import { GroupPart } from "./group-part.tsx";
import { isSameJson, jsonObject, parseDraft, parseJson, type Json } from "./json-text.ts";
import { ListPart } from "./list-part.tsx";
import { NullPart } from "./part-frame.tsx";
import { ChoicePart, ConstantPart, JsonPart, NumberPart, TextPart, useJsonText } from "./plain-parts.tsx";
import { hasDefaults, startOf, withDefaults } from "./start-value.ts";
import { VariantsPart } from "./variants-part.tsx";

export interface SchemaFormProps {
  schema: unknown;
  value: Json;
  onChange(value: Json): void;
  /** Shows what is wrong everywhere, not only where somebody was: after a press of the button that uses the value. */
  showsAll?: boolean;
  /** Stands in one line with the choice of the side. */
  heading?: ComponentChildren;
  /** Between that line and the fields. */
  intro?: ComponentChildren;
}

/** What a form of this schema begins with. */
export const startValue = (schema: unknown): Json => startOf(buildForm(schema)) ?? jsonObject();

type Side = "form" | "json";

export function SchemaForm({
  schema,
  value,
  onChange,
  showsAll = false,
  heading,
  intro,
}: SchemaFormProps): JSX.Element {
  const node = useMemo(() => buildForm(schema), [schema]);
  const problems = useMemo(() => checkValue(schema, value), [schema, value]);
  const [wanted, setWanted] = useState<Side>("form");
  const isJsonOnly = node.kind === "json";
  const isDraft = value.kind === "draft";
  const side: Side = isJsonOnly || isDraft ? "json" : wanted;
  const filled = useMemo(
    () => (hasDefaults(node) ? withDefaults(schema, node, value) : undefined),
    [schema, node, value],
  );
  return (
    <div class="stack-wide schema-form">
      <div class="row wrap">
        {heading}
        <span class="space" />
        {filled !== undefined && !isDraft && !isSameJson(filled, value) && (
          <Button look="quiet" small onPress={() => onChange(filled)}>
            {words.fillDefaults}
          </Button>
        )}
        {!isJsonOnly && (
          <Facets<Side>
            label={words.sides}
            value={side}
            facets={[
              { value: "form", label: words.form },
              { value: "json", label: words.json },
            ]}
            onChoose={setWanted}
          />
        )}
      </div>
      {intro}
      {side === "json" ? (
        <JsonSide
          value={value}
          problems={problems}
          showsAll={showsAll}
          why={isJsonOnly ? node.why : isDraft && wanted === "form" ? words.jsonFirst : undefined}
          onChange={(changed) => {
            setWanted("json");
            onChange(changed);
          }}
        />
      ) : (
        <FormSide {...{ schema, node, value, problems, showsAll, onChange }} />
      )}
    </div>
  );
}

interface FormSideProps extends Pick<SchemaFormProps, "schema" | "value" | "onChange"> {
  node: FormNode;
  problems: readonly ValueProblem[];
  showsAll: boolean;
}

function FormSide({ schema, node, value, problems, showsAll, onChange }: FormSideProps) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const leave = useCallback((path: ValuePath) => {
    const pointer = pointerOf(path);
    setLeft((before) => (before.has(pointer) ? before : new Set([...before, pointer])));
  }, []);
  const shared = useMemo<FormShared>(() => {
    const messages = new Map<string, string>();
    for (const { path, message } of problems) {
      const pointer = pointerOf(path);
      if (!messages.has(pointer)) messages.set(pointer, message);
    }
    return {
      root: schema,
      Part,
      leave,
      problemAt(path) {
        const pointer = pointerOf(path);
        return showsAll || left.has(pointer) ? messages.get(pointer) : undefined;
      },
    };
  }, [schema, problems, showsAll, left, leave]);
  const ofWhole = shared.problemAt([]);
  return (
    <FormProvider value={shared}>
      {ofWhole !== undefined && (
        <p class="note bad row form-error">
          <Icon name="error" /> <span>{ofWhole}</span>
        </p>
      )}
      <Part
        node={node}
        name=""
        path={[]}
        isNeeded
        value={value}
        onChange={(changed) => onChange(changed ?? startOf(node) ?? jsonObject())}
      />
    </FormProvider>
  );
}

/** Whether the field of this kind can show this value. */
function isLike(node: FormNode, value: Json): boolean {
  switch (node.kind) {
    case "text":
      return value.kind === "string";
    case "number":
      return value.kind === "number" || value.kind === "string";
    case "choice":
      return value.kind !== "object" && value.kind !== "array" && value.kind !== "draft";
    case "list":
      return value.kind === "array";
    case "group":
      return value.kind === "object";
    case "constant":
    case "variants":
    case "json":
      return true;
  }
}

function Part(props: PartProps): JSX.Element {
  const { node, value } = props;
  if (value?.kind === "null" && node.isNullable && node.kind !== "choice") return <NullPart {...props} />;
  if (value !== undefined && !isLike(node, value)) {
    const why = fill(words.why.unlike, { found: words.found[value.kind], expected: node.facts[0] ?? "" });
    return <JsonPart {...props} why={why} />;
  }
  switch (node.kind) {
    case "text":
      return <TextPart {...props} node={node} />;
    case "number":
      return <NumberPart {...props} node={node} />;
    case "choice":
      return <ChoicePart {...props} node={node} />;
    case "constant":
      return <ConstantPart {...props} node={node} />;
    case "group":
      return <GroupPart {...props} node={node} />;
    case "list":
      return <ListPart {...props} node={node} />;
    case "variants":
      return <VariantsPart {...props} node={node} />;
    case "json":
      return <JsonPart {...props} why={node.why} />;
  }
}

interface JsonSideProps {
  value: Json;
  problems: readonly ValueProblem[];
  showsAll: boolean;
  why: string | undefined;
  onChange(value: Json): void;
}

const minRows = 8;
const maxRows = 30;
const maxShownProblems = 10;

function JsonSide({ value, problems, showsAll, why, onChange }: JsonSideProps) {
  const id = useId();
  const [text, setText] = useJsonText(value);
  const [isLeft, setLeft] = useState(false);
  const fault = value.kind === "draft" ? parseJson(value.text).fault : undefined;
  const shown = fault === undefined && (showsAll || isLeft) ? problems.slice(0, maxShownProblems) : [];
  const isWrong = fault !== undefined || shown.length > 0;
  return (
    <div class={isWrong ? "field has-error" : "field"} data-pointer="">
      <label for={id}>{words.jsonLabel}</label>
      <textarea
        id={id}
        class="mono form-json"
        rows={Math.min(maxRows, Math.max(minRows, text.split("\n").length + 1))}
        value={text}
        spellcheck={false}
        aria-describedby={`${id}-said`}
        aria-invalid={isWrong}
        onBlur={() => setLeft(true)}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          onChange(parseDraft(currentTarget.value));
        }}
      />
      <div id={`${id}-said`} class="stack">
        {fault !== undefined && (
          <p class="note bad row form-error">
            <Icon name="error" /> <span>{fill(words.jsonFault, { ...fault })}</span>
          </p>
        )}
        {shown.map(({ path, message }) => (
          <p key={pointerOf(path)} class="note bad row form-error">
            <Icon name="error" />
            <span>
              {path.length > 0 && <bdi class="mono">{`${path.join(".")}: `}</bdi>}
              {message}
            </span>
          </p>
        ))}
        {why !== undefined && <p class="note second">{why}</p>}
      </div>
    </div>
  );
}
