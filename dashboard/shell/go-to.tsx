// "Go to": finds views, agents, servers, tools and waiting calls by name from anywhere. Arrows choose, Enter takes the chosen one, which is
// the first at the beginning.
import { useId, useMemo, useState } from "preact/hooks";
import type { JSX } from "preact";
import { usePage } from "../page.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { fill } from "../words/fill.ts";
import { goToWords as words } from "../words/goto.ts";
import { findPlaces, type Place } from "./find-places.ts";
import { usePlaces } from "./use-places.ts";

export function GoTo({ onClose }: { onClose: () => void }): JSX.Element {
  return (
    <Dialog title={words.title} hidesTitle onClose={onClose}>
      <Finder onClose={onClose} />
    </Dialog>
  );
}

function Finder({ onClose }: { onClose: () => void }): JSX.Element {
  const { router } = usePage();
  const [text, setText] = useState("");
  /** By its key, so that what comes and goes chooses nothing else. */
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const id = useId();
  const places = usePlaces(text.trim() !== "");
  const hits = useMemo(() => findPlaces(places, text), [places, text]);
  const at = Math.max(
    0,
    hits.findIndex(({ key }) => key === chosen),
  );
  const go = (place: Place | undefined) => {
    if (place === undefined) return;
    onClose();
    router.go(place.href);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const next = stepOf(event.key, at, hits.length);
    if (next !== undefined) {
      event.preventDefault();
      setChosen(hits[next]?.key);
    } else if (event.key === "Enter") {
      event.preventDefault();
      go(hits[at]);
    }
  };
  return (
    <div class="goto">
      <div class="goto-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label={words.field}
          aria-autocomplete="list"
          aria-expanded={hits.length > 0}
          aria-controls={`${id}-hits`}
          {...(hits[at] !== undefined && { "aria-activedescendant": `${id}-${at}` })}
          placeholder={words.field}
          autoComplete="off"
          spellcheck={false}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setChosen(undefined);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <ul id={`${id}-hits`} role="listbox" aria-label={words.hits} class="goto-hits">
        {hits.map((hit, index) => (
          <Hit key={hit.key} id={`${id}-${index}`} hit={hit} isChosen={index === at} onGo={() => go(hit)} />
        ))}
      </ul>
      {hits.length === 0 && (
        <p class="second goto-none" role="status">
          {fill(words.none, { query: text.trim().slice(0, 80) })}
        </p>
      )}
      <p class="note third goto-hint">{words.hint}</p>
    </div>
  );
}

/** Round about; undefined where the key moves nothing. */
function stepOf(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === "ArrowDown") return (at + 1) % count;
  if (key === "ArrowUp") return (at + count - 1) % count;
  return undefined;
}

const icons = {
  call: "approvals",
  view: "right",
  agent: "agents",
  server: "servers",
  tool: "tester",
} as const satisfies Record<Place["kind"], IconName>;

interface HitProps {
  id: string;
  hit: Place;
  isChosen: boolean;
  onGo(): void;
}

/** The keyboard stays in the field: it moves by arrows, and presses by Enter. */
const Hit = ({ id, hit: { kind, name, about }, isChosen, onGo }: HitProps) => (
  <li
    id={id}
    role="option"
    aria-selected={isChosen}
    class={`goto-hit ${kind}`}
    onPointerDown={(event) => event.preventDefault()}
    onClick={onGo}
  >
    <Icon name={icons[kind]} />
    <span class="goto-name cut">
      <bdi>{name}</bdi>
    </span>
    <span class="note second cut goto-about">{about}</span>
    <span class="note third">{words.kinds[kind]}</span>
  </li>
);
