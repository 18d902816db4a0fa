// One entry of the directory: what it says of itself, where it is reached and how alive it is there, what it can do, and its card as it was
// submitted.
import type { JSX } from "preact";
import type { DirectoryEndpoint, ShownEntry } from "../../data/directory.ts";
import { Age } from "../../parts/age.tsx";
import { ButtonLink } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Chip } from "../../parts/mark.tsx";
import { ValueText } from "../../parts/value-text.tsx";
import { link } from "../../route/route.ts";
import { fill, plural } from "../../words/fill.ts";
import { directoryWords as words } from "../../words/directory.ts";
import { livenessOf, renderLabels } from "./directory-list.ts";
import { LivenessMark } from "./directory-table.tsx";
import { EntryCard } from "./entry-card.tsx";
import { tellLivenessModel } from "./liveness-model.ts";

export function EntryPanel({ entry, back }: { entry: ShownEntry; back: string }): JSX.Element {
  const { name, description, kind } = entry;
  const liveness = livenessOf(entry);
  return (
    <section class="card directory-panel" aria-label={fill(words.panel, { name })}>
      <div class="directory-top">
        <div class="row">
          <LivenessMark liveness={liveness} />
          <span class="note second">{words.livenessWhy[liveness]}</span>
          <span class="space" />
          <a class="button quiet directory-close" href={back} aria-label={words.close}>
            <Icon name="cross" />
          </a>
        </div>
        <h1 tabIndex={-1} class="directory-heading">
          {name}
        </h1>
        {description !== null && (
          <p class="second">
            <ValueText text={description} />
          </p>
        )}
        <Facts entry={entry} />
        {kind !== "registration" && (
          <div>
            <ButtonLink href={link([kind === "agent" ? "agents" : "servers", name])}>{words.open[kind]}</ButtonLink>
          </div>
        )}
      </div>
      <section class="section directory-part">
        <h2>{plural(words.endpoints, entry.endpoints.length)}</h2>
        {entry.endpoints.length === 0 && <p class="second">{words.noEndpoints}</p>}
        <ul class="stack">
          {entry.endpoints.map((endpoint) => (
            <Endpoint key={endpoint.id} endpoint={endpoint} />
          ))}
        </ul>
      </section>
      <Capabilities entry={entry} />
      <EntryCard entry={entry} />
    </section>
  );
}

function Facts({ entry }: { entry: ShownEntry }): JSX.Element {
  const { id, ownerId, createdAt, updatedAt } = entry;
  const labels = renderLabels(entry);
  return (
    <dl class="facts">
      <dt>{words.facts.id}</dt>
      <dd>
        <code>{id}</code>
      </dd>
      {ownerId !== null && (
        <>
          <dt>{words.facts.owner}</dt>
          <dd>
            <ValueText text={ownerId} />
          </dd>
        </>
      )}
      {labels.length > 0 && (
        <>
          <dt>{words.facts.labels}</dt>
          <dd class="directory-chips">
            {labels.map((label) => (
              <Chip key={label}>{label}</Chip>
            ))}
          </dd>
        </>
      )}
      {createdAt !== null && <Time name={words.facts.created} at={createdAt} />}
      {updatedAt !== null && <Time name={words.facts.updated} at={updatedAt} />}
    </dl>
  );
}

const Time = ({ name, at }: { name: string; at: string }) => (
  <>
    <dt>{name}</dt>
    <dd>
      <Age at={at} />
    </dd>
  </>
);

const Endpoint = ({ endpoint }: { endpoint: DirectoryEndpoint }) => (
  <li class="directory-endpoint">
    <div class="row wrap">
      <LivenessMark liveness={endpoint.liveness} />
      <span class="strong">{endpoint.name}</span>
      <span class="note second">
        {endpoint.protocol}, {endpoint.transport}
      </span>
    </div>
    <ValueText text={endpoint.address} />
    <p class="note second">{tellLivenessModel(endpoint)}</p>
  </li>
);

function Capabilities({ entry: { capabilities } }: { entry: ShownEntry }): JSX.Element | null {
  if (capabilities.length === 0) return null;
  return (
    <section class="section directory-part">
      <h2>{plural(words.capabilities, capabilities.length)}</h2>
      <ul class="stack">
        {capabilities.map(({ id, name, description, tags }) => (
          <li key={id} class="directory-capability">
            <span class="row wrap">
              <ValueText text={name} />
              {tags.map((tag) => (
                <Chip key={tag}>{tag}</Chip>
              ))}
            </span>
            {description !== null && <span class="note second">{description}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
