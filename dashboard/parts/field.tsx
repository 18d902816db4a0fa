// Fields with their label, their note and their error, tied together for screen readers. An error is a sentence below the field, with a
// mark; the field keeps what was written.
import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { Icon } from "./icon.tsx";
import { colourOf, type MarkState } from "./mark.tsx";

interface Around {
  label: string;
  /** Beside the label: type, bounds, "not sent". */
  aside?: string | undefined;
  note?: string | undefined;
  error?: string | undefined;
}

/** What ties a control to what stands around it. */
export interface Tied {
  id: string;
  "aria-describedby"?: string;
  "aria-invalid"?: boolean;
}

/** Draws label, note and error around a control of your own. */
export function Field({
  label,
  aside,
  note,
  error,
  children,
}: Around & { children: (tied: Tied) => ComponentChildren }): JSX.Element {
  const id = useId();
  const described = [note !== undefined && `${id}-note`, error !== undefined && `${id}-error`]
    .filter(Boolean)
    .join(" ");
  return (
    <div class={error === undefined ? "field" : "field has-error"}>
      <label for={id}>
        {label}
        {aside !== undefined && <span class="third note"> {aside}</span>}
      </label>
      {children({
        id,
        ...(described !== "" && { "aria-describedby": described }),
        ...(error !== undefined && { "aria-invalid": true }),
      })}
      {note !== undefined && (
        <p id={`${id}-note`} class="note second">
          {note}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} class="note bad row">
          <Icon name="error" /> {error}
        </p>
      )}
    </div>
  );
}

interface TextProps extends Around {
  value: string;
  onInput(value: string): void;
  onLeave?: () => void;
  placeholder?: string;
  type?: "text" | "password";
  mono?: boolean;
  autoFocus?: boolean;
}

export function TextField(props: TextProps) {
  const { value, onInput, onLeave, placeholder, type = "text", mono, autoFocus, ...around } = props;
  return (
    <Field {...around}>
      {(tied) => {
        const attributes = {
          ...tied,
          class: mono === true ? "mono" : "",
          value,
          autoComplete: "off",
          spellcheck: false,
          ...(placeholder !== undefined && { placeholder }),
          ...(autoFocus === true && { autoFocus }),
          ...(onLeave && { onBlur: onLeave }),
          onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onInput(currentTarget.value),
        };
        return type === "password" ? <input {...attributes} type="password" /> : <input {...attributes} type="text" />;
      }}
    </Field>
  );
}

interface AreaProps extends Omit<TextProps, "type"> {
  rows?: number;
}

export const TextArea = ({ value, onInput, onLeave, placeholder, mono, rows = 4, ...around }: AreaProps) => (
  <Field {...around}>
    {(tied) => (
      <textarea
        {...tied}
        rows={rows}
        class={mono === true ? "mono" : ""}
        value={value}
        spellcheck={mono !== true}
        {...(placeholder !== undefined && { placeholder })}
        onInput={(event) => onInput(event.currentTarget.value)}
        {...(onLeave && { onBlur: onLeave })}
      />
    )}
  </Field>
);

export interface Choice<T extends string> {
  value: T;
  label: string;
}

export function SelectField<T extends string>({
  value,
  choices,
  onChoose,
  ...around
}: Around & { value: T; choices: readonly Choice<T>[]; onChoose(value: T): void }) {
  return (
    <Field {...around}>
      {(tied) => (
        <select
          {...tied}
          value={value}
          onChange={(event) => {
            const chosen = choices.find((each) => each.value === event.currentTarget.value);
            if (chosen !== undefined) onChoose(chosen.value);
          }}
        >
          {choices.map((each) => (
            <option key={each.value} value={each.value}>
              {each.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** The filter above a list: `/` moves the focus here. */
export const FilterField = ({
  label,
  value,
  onInput,
  big,
}: {
  label: string;
  value: string;
  onInput(value: string): void;
  big?: boolean;
}) => (
  <div class={big === true ? "find big" : "find"}>
    <Icon name="search" />
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      data-find
      autoComplete="off"
      spellcheck={false}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
    <kbd aria-hidden="true">/</kbd>
  </div>
);

export interface Facet<T extends string> extends Choice<T> {
  count?: number;
  /** Before its word. */
  mark?: MarkState;
}

/** One of several, as buttons with counts. */
export const Facets = <T extends string>({
  label,
  value,
  facets,
  onChoose,
}: {
  label: string;
  value: T;
  facets: readonly Facet<T>[];
  onChoose(value: T): void;
}) => (
  <div class="facets" role="group" aria-label={label}>
    {facets.map((facet) => (
      <button
        key={facet.value}
        type="button"
        aria-pressed={facet.value === value}
        onClick={() => onChoose(facet.value)}
      >
        {facet.mark !== undefined && (
          <span class={colourOf(facet.mark)}>
            <Icon name={facet.mark === "waits" ? "approvals" : facet.mark} />
          </span>
        )}
        {facet.label}
        {facet.count !== undefined && <span class="tabular"> {facet.count.toLocaleString("en")}</span>}
      </button>
    ))}
  </div>
);
