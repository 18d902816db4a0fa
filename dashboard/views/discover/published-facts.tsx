// What is to be known of a published server before it is installed, in a word each. What it says of itself is strangers' text.
import type { ComponentChildren, JSX } from "preact";
import { usePage } from "../../page.ts";
import { ValueText } from "../../parts/value-text.tsx";
import { fill } from "../../words/fill.ts";
import { discoverWords as words } from "../../words/discover.ts";
import { secretNameOf } from "./manifest.ts";
import type { Offer, Published } from "./published.ts";

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

interface PublishedFactsProps {
  published: Published;
  offer: Offer;
  /** What it will be called here. */
  name: string;
}

export function PublishedFacts({ published, offer, name }: PublishedFactsProps): JSX.Element {
  const { config } = usePage();
  const facts = words.sheet;
  const isRemote = offer.runtime === "streamable-http" || offer.runtime === "sse";
  const version = offer.version ?? published.version;
  const command = offer.command === null ? offer.name : [offer.command, ...offer.args].join(" ");
  return (
    <dl class="facts">
      <Fact name={facts.from}>{published.source}</Fact>
      <Fact name={facts.package}>
        <ValueText text={offer.name} />
      </Fact>
      <Fact name={facts.version}>
        {version === null || version === undefined ? facts.noVersion : fill(facts.pinned, { version })}
      </Fact>
      <Fact name={facts.licence}>{offer.license ?? facts.noVersion}</Fact>
      {published.repository && (
        <Fact name={facts.repository}>
          <ValueText text={published.repository} />
        </Fact>
      )}
      <Fact name={facts.runs}>
        <ValueText text={command} />
        <p class="second">{isRemote ? words.runsRemote : config.local ? words.runsLocal : words.runsPod}</p>
      </Fact>
      <Fact name={facts.reaches}>
        {isRemote ? words.reachRemote : config.local ? words.reachLocal : words.reachPackage}
      </Fact>
      <Fact name={facts.secrets}>
        <Secrets offer={offer} name={name} isRemote={isRemote} />
      </Fact>
    </dl>
  );
}

function Secrets({ offer, name, isRemote }: { offer: Offer; name: string; isRemote: boolean }): JSX.Element {
  const { config } = usePage();
  const env = offer.env.filter(({ secret }) => secret);
  const headers = isRemote ? offer.headers.filter(({ secret, required }) => secret || required) : [];
  const wanted = [...env, ...headers];
  const secret = secretNameOf(name);
  if (wanted.length === 0) return <>{words.noSecrets}</>;
  const keys = wanted.map((each) => `--from-file=${each.name}`).join(" ");
  return (
    <div class="stack">
      <ul>
        {wanted.map((each) => (
          <li key={each.name}>
            <ValueText text={fill(words.secretPlace, { name: each.name, secret, key: each.name })} />
          </li>
        ))}
      </ul>
      {!config.local && (
        <code class="discover-command">{fill(words.secretCommand, { secret, namespace: config.namespace, keys })}</code>
      )}
    </div>
  );
}
