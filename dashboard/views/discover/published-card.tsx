// A published server among others: its name, version and source, and what it says of itself.
import type { JSX } from "preact";
import { Button } from "../../parts/button.tsx";
import { Chip } from "../../parts/mark.tsx";
import { ValueText } from "../../parts/value-text.tsx";
import { fill } from "../../words/fill.ts";
import { discoverWords as words } from "../../words/discover.ts";
import { chooseOffer, type Published } from "./published.ts";

interface PublishedCardProps {
  published: Published;
  onLook(): void;
}

export function PublishedCard({ published, onLook }: PublishedCardProps): JSX.Element {
  const { name, version, description, source } = published;
  const { offer } = chooseOffer(published);
  return (
    <li class="discover-published">
      <div class="discover-what">
        <p class="row wrap">
          <span class="strong discover-published-name">
            <ValueText text={name} />
          </span>
          <span class="second tabular">{version ?? words.sheet.noVersion}</span>
          {offer !== undefined && <Chip>{words.runtime[offer.runtime]}</Chip>}
        </p>
        {description !== null && description !== undefined && description !== "" && (
          <p class="second discover-text">
            <ValueText text={description} />
          </p>
        )}
        <p class="note third">
          {fill(words.from, { source })}
          {offer?.license !== null && offer?.license !== undefined && `, ${offer.license}`}
        </p>
      </div>
      <Button onPress={onLook} label={fill(words.lookAt, { name })}>
        {words.look}
      </Button>
    </li>
  );
}
