// A group of a form: an object's fields, then those whose names somebody chose, as rows.
import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { fill } from "../../words/fill.ts";
import { schemaFormWords as words } from "../../words/schema-form.ts";
import { Button } from "../button.tsx";
import { freeName, renameField, setField } from "./edit-value.ts";
import { useForm, type PartProps } from "./form-context.ts";
import type { FormNode } from "./form-model.ts";
import { type Json, type JsonFields } from "./json-text.ts";
import { AddPart, PartGroup } from "./part-frame.tsx";
import { emptyOf, startOf } from "./start-value.ts";

type GroupNode = Extract<FormNode, { kind: "group" }>;

export function GroupPart(props: PartProps & { node: GroupNode }): JSX.Element {
  const { node, path, value, onChange } = props;
  if (value?.kind !== "object") return <AddPart {...props} onAdd={() => onChange(startOf(node))} />;
  const fields = <GroupFields node={node} path={path} value={value.fields} onChange={onChange} name={props.name} />;
  return path.length === 0 ? <div class="stack-wide">{fields}</div> : <PartGroup {...props}>{fields}</PartGroup>;
}

export interface GroupFieldsProps {
  node: GroupNode;
  name: string;
  path: PartProps["path"];
  value: JsonFields;
  onChange(value: Json): void;
}

/** Without anything around them. */
export function GroupFields({ node, name, path, value, onChange }: GroupFieldsProps) {
  const { Part } = useForm();
  const order = node.fields.map((field) => field.name);
  const known = new Set(order);
  const others = [...value.keys()].filter((each) => !known.has(each));
  return (
    <>
      {node.fields.map((field) => (
        <Part
          key={field.name}
          node={field.node}
          name={field.name}
          path={[...path, field.name]}
          isNeeded={field.isNeeded}
          value={value.get(field.name)}
          onChange={(changed) => onChange(setField(value, field.name, changed, order))}
        />
      ))}
      {(others.length > 0 || node.rest !== undefined) && (
        <Rows {...{ node, name, path, value, onChange }} names={others} />
      )}
      {node.fields.length === 0 && node.rest === undefined && others.length === 0 && (
        <p class="second">{words.noFields}</p>
      )}
    </>
  );
}

/** What the schema says nothing of. */
const unknownNode: FormNode = {
  kind: "json",
  why: words.why.any,
  title: undefined,
  description: undefined,
  facts: [words.types.any],
  isNullable: false,
  fallback: undefined,
};

const maxRows = 100;

function Rows({ node, name, path, value, onChange, names }: GroupFieldsProps & { names: readonly string[] }) {
  const rest = node.rest ?? unknownNode;
  return (
    <div class="stack form-rows">
      {node.fields.length > 0 && names.length > 0 && <h3>{words.further}</h3>}
      {names.slice(0, maxRows).map((each, index) => (
        <Row key={index} {...{ rest, path, value, onChange }} name={each} />
      ))}
      {names.length > maxRows && <p class="note second">{fill(words.why.long, { max: maxRows })}</p>}
      {node.rest !== undefined && names.length < maxRows && (
        <div>
          <Button
            look="quiet"
            icon="plus"
            label={fill(words.addRowLabel, { name })}
            onPress={() => {
              const added = freeName(value, (n) => fill(words.newRow, { n: String(n) }));
              onChange(setField(value, added, emptyOf(rest)));
            }}
          >
            {words.addRow}
          </Button>
        </div>
      )}
    </div>
  );
}

function Row({ rest, name, path, value, onChange }: Omit<GroupFieldsProps, "node"> & { rest: FormNode }) {
  const { Part } = useForm();
  const id = useId();
  const [taken, setTaken] = useState<string | undefined>(undefined);
  return (
    <div class="form-row">
      <div class={taken === undefined ? "field" : "field has-error"}>
        <label for={id} class="note second">
          {words.rowName}
        </label>
        <input
          id={id}
          type="text"
          class="mono"
          value={taken ?? name}
          autoComplete="off"
          spellcheck={false}
          aria-invalid={taken !== undefined}
          aria-describedby={`${id}-error`}
          onBlur={() => setTaken(undefined)}
          onInput={({ currentTarget }) => {
            const renamed = renameField(value, name, currentTarget.value);
            setTaken(renamed === undefined ? currentTarget.value : undefined);
            if (renamed !== undefined) onChange(renamed);
          }}
        />
        <p id={`${id}-error`} class="note bad">
          {taken === undefined ? "" : words.rowTaken}
        </p>
      </div>
      <Part
        node={rest}
        name={name}
        path={[...path, name]}
        isNeeded={false}
        value={value.get(name)}
        onChange={(changed) => onChange(setField(value, name, changed))}
      />
    </div>
  );
}
