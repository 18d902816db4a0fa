// The fields that most agents have. Each stands for one field of the spec; what else the spec has stays as it is, and is seen in the manifest.
import { useId } from "preact/hooks";
import type { JSX } from "preact";
import { Field, SelectField, TextArea, TextField } from "../../parts/field.tsx";
import { createWords as words } from "../../words/create.ts";
import { fill } from "../../words/fill.ts";
import {
  instructionSource,
  readNames,
  readPolicy,
  readText,
  setPolicy,
  setText,
  toggleName,
  type Draft,
  type Spec,
  type TextFieldName,
} from "./draft.ts";
import { NamePicker } from "./name-picker.tsx";
import type { FormField } from "./placed-problems.ts";
import type { Known } from "./use-known.ts";

interface CreateFormProps {
  draft: Draft;
  known: Known;
  problems: ReadonlyMap<FormField, string>;
  onChange(draft: Draft): void;
}

export function CreateForm({ draft, known, problems, onChange }: CreateFormProps): JSX.Element {
  const { name, spec } = draft;
  const setSpec = (changed: Spec) => onChange({ ...draft, spec: changed });
  const text = (field: TextFieldName) => ({
    label: words.fields[field],
    value: readText(spec, field),
    error: problems.get(field),
    onInput: (value: string) => setSpec(setText(spec, field, value)),
  });
  const source = instructionSource(spec);
  const { notes, fields, optional } = words;
  return (
    <div class="stack-wide">
      <TextField
        label={fields.name}
        value={name}
        onInput={(value) => onChange({ ...draft, name: value })}
        note={notes.name}
        error={problems.get("name")}
        mono
      />
      <TextField {...text("title")} aside={optional} />
      <TextField {...text("description")} note={notes.description} aside={optional} />
      <ModelField {...text("model")} models={known.models} />
      <TextArea
        {...text("instruction")}
        rows={7}
        note={source === undefined ? notes.instruction : fill(notes.instructionFrom, { name: source })}
      />
      {(["servers", "agents"] as const).map((field) => (
        <NamePicker
          key={field}
          label={fields[field]}
          options={known[field]}
          chosen={readNames(spec, field)}
          error={problems.get(field)}
          onToggle={(each) => setSpec(toggleName(spec, field, each))}
        />
      ))}
      <PolicyField
        value={readPolicy(spec)}
        policies={known.policies}
        error={problems.get("policyRef")}
        onChoose={(policy) => setSpec(setPolicy(spec, policy))}
      />
    </div>
  );
}

interface ModelFieldProps {
  label: string;
  value: string;
  models: readonly string[];
  error: string | undefined;
  onInput(value: string): void;
}

/** Any model may be written; those that other agents run on are offered. */
function ModelField({ label, value, models, error, onInput }: ModelFieldProps): JSX.Element {
  const id = useId();
  return (
    <Field label={label} aside={words.optional} note={words.notes.model} error={error}>
      {(tied) => (
        <>
          <input
            {...tied}
            type="text"
            class="mono"
            list={`${id}-models`}
            value={value}
            autoComplete="off"
            spellcheck={false}
            onInput={(event) => onInput(event.currentTarget.value)}
          />
          <datalist id={`${id}-models`}>
            {models.map((model) => (
              <option key={model} value={model} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

interface PolicyFieldProps {
  value: string;
  policies: readonly string[];
  error: string | undefined;
  onChoose(name: string): void;
}

function PolicyField({ value, policies, error, onChoose }: PolicyFieldProps): JSX.Element {
  const isUnknown = value !== "" && !policies.includes(value);
  const choices = [
    { value: "", label: words.noPolicy },
    ...policies.map((name) => ({ value: name, label: name })),
    ...(isUnknown ? [{ value, label: fill(words.unknownPolicy, { name: value }) }] : []),
  ];
  return (
    <SelectField
      label={words.fields.policyRef}
      note={words.notes.policyRef}
      error={error}
      value={value}
      choices={choices}
      onChoose={onChoose}
    />
  );
}
