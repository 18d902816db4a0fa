// What was found for one question: the tool that fits best with how sure that is, the others that come near, or that nothing is close
// enough, and how to go on then.
import type { JSX } from "preact";
import type { ShownServer } from "../../data/servers.ts";
import { ButtonLink } from "../../parts/button.tsx";
import { ValueText } from "../../parts/value-text.tsx";
import { link } from "../../route/route.ts";
import { fill } from "../../words/fill.ts";
import { discoverWords as words } from "../../words/discover.ts";
import type { Hit, Intent } from "./found.ts";
import { HitCard } from "./hit-card.tsx";
import { stemsOf } from "./matched-words.ts";

interface IntentResultsProps {
  intent: Intent;
  isAlone: boolean;
  selected: Hit | undefined;
  servers: readonly ShownServer[] | undefined;
}

export function IntentResults({ intent, isAlone, selected, servers }: IntentResultsProps): JSX.Element {
  const { question, best, others } = intent;
  const stems = stemsOf(question);
  const hits = [...(best === undefined ? [] : [best]), ...others];
  return (
    <section class="card discover-intent" aria-label={isAlone ? words.results : question}>
      {!isAlone && (
        <h2 class="discover-question">
          <ValueText text={question} />
        </h2>
      )}
      {best === undefined && <Nothing intent={intent} />}
      {hits.length > 0 && (
        <ul>
          {hits.map((hit) => (
            <HitCard key={hit.callAs + hit.tool} hit={hit} isSelected={hit === selected} {...{ stems, servers }} />
          ))}
        </ul>
      )}
    </section>
  );
}

const Nothing = ({ intent: { topScore, hint, others, question } }: { intent: Intent }): JSX.Element => (
  <div class="discover-nothing">
    <h2>{fill(words.nothing, { score: topScore.toFixed(2) })}</h2>
    <p class="second">
      <ValueText text={hint} />
    </p>
    <div class="row wrap">
      <ButtonLink href={link(["discover", "install"], { q: question.slice(0, 200) })} icon="plus">
        {words.lookForServer}
      </ButtonLink>
    </div>
    {others.length > 0 && <h3>{words.nearest}</h3>}
  </div>
);
