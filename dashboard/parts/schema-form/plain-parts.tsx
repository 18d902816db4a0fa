// Fields of a form for single values: texts, numbers with all their digits, choices, constants, and JSON of a part for which there is no
// better field.
import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { fill } from "../../words/fill.ts";
import { schemaFormWords as words } from "../../words/schema-form.ts";
import { useForm, type PartProps } from "./form-context.ts";
import type { FormChoice, FormNode } from "./form-model.ts";
import {
  isExact,
  isNumberText,
  isSameJson,
  jsonNull,
  jsonString,
  parseDraft,
  renderJson,
  type Json,
} from "./json-text.ts";
import { AddPart, PartField, PartGroup } from "./part-frame.tsx";

type Of<Kind extends FormNode["kind"]> = PartProps & { node: Extract<FormNode, { kind: Kind }> };

const textIn = (value: Json | undefined): string =>
  value?.kind === "string" || value?.kind === "number" ? value.text : "";
const maxRows = 12;

export function TextPart(props: Of<"text">): JSX.Element {
  const { value, isNeeded, onChange } = props;
  const text = textIn(value);
  return (
    <PartField {...props}>
      {(tied) => (
        <textarea
          {...tied}
          class="form-text"
          rows={Math.min(maxRows, text.split("\n").length)}
          value={text}
          autoComplete="off"
          spellcheck={false}
          placeholder={value === undefined && !isNeeded ? words.notSent : ""}
          onInput={({ currentTarget }) => onChange(jsonString(currentTarget.value))}
        />
      )}
    </PartField>
  );
}

/** What is no number is kept as the text that it is, and told. */
const readNumber = (text: string): Json | undefined => {
  const dense = text.trim();
  if (dense === "") return undefined;
  return isNumberText(dense) ? { kind: "number", text: dense } : jsonString(text);
};

export function NumberPart(props: Of<"number">): JSX.Element {
  const { value, isNeeded, onChange } = props;
  const isInexact = value?.kind === "number" && !isExact(value.text);
  return (
    <PartField {...props}>
      {(tied) => (
        <>
          <input
            {...tied}
            type="text"
            inputMode="decimal"
            value={textIn(value)}
            autoComplete="off"
            spellcheck={false}
            placeholder={value === undefined && !isNeeded ? words.notSent : ""}
            onInput={({ currentTarget }) => onChange(readNumber(currentTarget.value))}
          />
          {isInexact && <p class="note warn">{fill(words.inexact, { kept: String(Number(value.text)) })}</p>}
        </>
      )}
    </PartField>
  );
}

/** As radio buttons. */
const maxRadios = 6;

export function ChoicePart(props: Of<"choice">): JSX.Element {
  const { node } = props;
  const choices = node.isNullable ? [...node.choices, { label: "null", value: jsonNull }] : node.choices;
  return node.choices.length <= maxRadios ? (
    <Radios {...props} choices={choices} />
  ) : (
    <Select {...props} choices={choices} />
  );
}

type Choosing = Of<"choice"> & { choices: readonly FormChoice[] };

const indexIn = (choices: readonly FormChoice[], value: Json | undefined): number =>
  value === undefined ? -1 : choices.findIndex((choice) => isSameJson(choice.value, value));

function Radios(props: Choosing) {
  const { choices, value, isNeeded, onChange, path } = props;
  const form = useForm();
  const id = useId();
  const chosen = indexIn(choices, value);
  const options: readonly { label: string; json: Json | undefined }[] = [
    ...choices.map(({ label, value: json }) => ({ label, json })),
    ...(isNeeded ? [] : [{ label: words.notSentChoice, json: undefined }]),
  ];
  return (
    <PartGroup {...props} isPlain hasActions={false}>
      <div class="row wrap form-radios">
        {options.map(({ label, json }, index) => (
          <label key={label} class={json === undefined ? "row second" : "row"}>
            <input
              type="radio"
              name={id}
              checked={json === undefined ? value === undefined : index === chosen}
              onChange={() => onChange(json)}
              onBlur={() => form.leave(path)}
            />
            <bdi>{label === "" ? '""' : label}</bdi>
          </label>
        ))}
      </div>
    </PartGroup>
  );
}

function Select(props: Choosing) {
  const { choices, value, isNeeded, onChange } = props;
  return (
    <PartField {...props} hasActions={false}>
      {(tied) => (
        <select
          {...tied}
          value={String(indexIn(choices, value))}
          onChange={({ currentTarget }) => onChange(choices[Number(currentTarget.value)]?.value)}
        >
          <option value="-1" disabled={isNeeded}>
            {isNeeded ? "" : words.notSentChoice}
          </option>
          {choices.map(({ label }, index) => (
            <option key={index} value={String(index)}>
              {label}
            </option>
          ))}
        </select>
      )}
    </PartField>
  );
}

/** Its value stands beside its name. */
export function ConstantPart(props: Of<"constant">): JSX.Element {
  const { node, value, onChange } = props;
  if (value === undefined) return <AddPart {...props} onAdd={() => onChange(node.value)} />;
  if (!isSameJson(value, node.value)) return <JsonPart {...props} why={node.facts[0] ?? ""} />;
  return <PartGroup {...props} isPlain children={undefined} />;
}

/** Keeps the text as it is written as long as it means the value. */
export function useJsonText(value: Json | undefined): [string, (text: string) => void] {
  const [written, setWritten] = useState<string | undefined>(undefined);
  const isKept = written !== undefined && value !== undefined && isSameJson(parseDraft(written), value);
  return [isKept ? written : value === undefined ? "" : renderJson(value, 2), setWritten];
}

export function JsonPart({ why, ...props }: PartProps & { why: string }): JSX.Element {
  const { value, isNeeded, onChange } = props;
  const [text, setText] = useJsonText(value);
  return (
    <PartField {...props}>
      {(tied) => (
        <>
          <textarea
            {...tied}
            class="mono form-json"
            rows={Math.min(maxRows, Math.max(2, text.split("\n").length))}
            value={text}
            spellcheck={false}
            placeholder={value === undefined && !isNeeded ? words.notSent : ""}
            onInput={({ currentTarget }) => {
              setText(currentTarget.value);
              onChange(currentTarget.value.trim() === "" ? undefined : parseDraft(currentTarget.value));
            }}
          />
          <p class="note second">{why}</p>
        </>
      )}
    </PartField>
  );
}
