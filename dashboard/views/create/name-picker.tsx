// Some of many names, as boxes to tick: found by a filter where there are many, with what is chosen on top and never lost, even where it is
// not among them.
import { useMemo, useState } from "preact/hooks";
import type { JSX } from "preact";
import { Icon } from "../../parts/icon.tsx";
import { createWords as words } from "../../words/create.ts";
import { fill, plural } from "../../words/fill.ts";
import { pickNames, type Option } from "./pick-names.ts";

/** From so many on there is a filter. */
const filterFrom = 8;

interface NamePickerProps {
  label: string;
  options: readonly Option[];
  chosen: readonly string[];
  error: string | undefined;
  onToggle(name: string): void;
}

export function NamePicker({ label, options, chosen, error, onToggle }: NamePickerProps): JSX.Element {
  const [query, setQuery] = useState("");
  const { shown, more } = useMemo(() => pickNames(options, chosen, query), [options, chosen, query]);
  return (
    <fieldset class={error === undefined ? "create-picker" : "create-picker has-error"}>
      <legend>
        {label}
        {chosen.length > 0 && <span class="note third tabular"> {plural(words.chosen, chosen.length)}</span>}
      </legend>
      {options.length >= filterFrom && (
        <input
          type="search"
          aria-label={fill(words.filter, { what: label })}
          placeholder={fill(words.filter, { what: label })}
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
      )}
      <ul class="create-options">
        {shown.map((option) => (
          <Choice key={option.name} option={option} isChosen={chosen.includes(option.name)} onToggle={onToggle} />
        ))}
      </ul>
      {shown.length === 0 && <p class="note second">{query === "" ? words.none : fill(words.noneMatch, { query })}</p>}
      {more > 0 && <p class="note second">{plural(words.more, more)}</p>}
      {error !== undefined && (
        <p class="note bad row create-said">
          <Icon name="error" /> {error}
        </p>
      )}
    </fieldset>
  );
}

interface ChoiceProps {
  option: Option;
  isChosen: boolean;
  onToggle(name: string): void;
}

const Choice = ({ option: { name, about }, isChosen, onToggle }: ChoiceProps) => (
  <li>
    <label class="create-option">
      <input type="checkbox" checked={isChosen} onChange={() => onToggle(name)} />
      <span class="cut">
        <bdi>{name}</bdi>
      </span>
      <span class="note second cut">{about ?? words.notSeen}</span>
    </label>
  </li>
);
