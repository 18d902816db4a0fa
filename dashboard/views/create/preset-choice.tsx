// What to begin with: nothing, or a preset. One of which no agent can be made says why, and is not offered.
import type { JSX } from "preact";
import type { Preset } from "../../data/presets.ts";
import { Icon } from "../../parts/icon.tsx";
import { ValueText } from "../../parts/value-text.tsx";
import { createWords as words } from "../../words/create.ts";
import { fill } from "../../words/fill.ts";

interface PresetChoiceProps {
  presets: readonly Preset[];
  chosen: string | undefined;
  onChoose(preset: Preset | undefined): void;
}

export const PresetChoice = ({ presets, chosen, onChoose }: PresetChoiceProps): JSX.Element => (
  <fieldset class="create-presets">
    <legend>{words.presets}</legend>
    <div class="create-preset-list">
      <One
        title={words.nothing}
        about={words.nothingAbout}
        isChosen={chosen === undefined}
        onChoose={() => onChoose(undefined)}
      />
      {presets.map((preset) => {
        const { name, title = name, description, spec, problem = "" } = preset;
        return (
          <One
            key={name}
            title={title}
            about={spec === undefined ? fill(words.presetBad, { problem }) : description}
            isBad={spec === undefined}
            isChosen={chosen === name}
            onChoose={() => onChoose(preset)}
          />
        );
      })}
    </div>
  </fieldset>
);

interface OneProps {
  title: string;
  about: string | undefined;
  isBad?: boolean;
  isChosen: boolean;
  onChoose(): void;
}

const One = ({ title, about, isBad = false, isChosen, onChoose }: OneProps) => (
  <label class={isChosen ? "create-preset card chosen" : "create-preset card"}>
    <input type="radio" name="preset" checked={isChosen} disabled={isBad} onChange={onChoose} />
    <span class="create-preset-text">
      <span class="strong">
        <ValueText text={title} />
      </span>
      {about !== undefined && (
        <span class={isBad ? "note bad" : "note second"}>
          {isBad && <Icon name="error" />} <ValueText text={about} />
        </span>
      )}
    </span>
  </label>
);
