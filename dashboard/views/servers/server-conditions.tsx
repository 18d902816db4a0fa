// What is wrong with a server, in the words of whoever runs it, with how it is cured; the conditions that are as they should be are a
// press away.
import type { JSX } from "preact";
import type { ServerCondition } from "../../data/servers.ts";
import { Age } from "../../parts/age.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ValueText } from "../../parts/value-text.tsx";
import { fill, plural } from "../../words/fill.ts";
import { serverWords as words } from "../../words/servers.ts";
import { cureOf, isWrong } from "./condition.ts";

interface ServerConditionsProps {
  conditions: readonly ServerCondition[];
  /** What need not be told twice. */
  toldAbove: string | null;
}

export function ServerConditions({ conditions, toldAbove }: ServerConditionsProps): JSX.Element | null {
  if (conditions.length === 0) return null;
  const wrong = conditions.filter((each) => isWrong(each) && each.message !== "" && each.message !== toldAbove);
  // Ready says the same as what makes it so.
  const told = wrong.filter((each) => each.type !== "Ready" || wrong.every((other) => other.type === "Ready"));
  return (
    <section class="section servers-conditions">
      <h2>{words.conditions}</h2>
      {told.map((each) => (
        <Wrong key={each.type} condition={each} />
      ))}
      <details>
        <summary>{plural(words.allConditions, conditions.length)}</summary>
        <ul class="stack">
          {conditions.map((each) => (
            <li key={each.type} class="row wrap">
              <span class={isWrong(each) ? "warn" : ""}>{fill(words.conditionIs, each)}</span>
              {each.since !== undefined && (
                <span class="third note">
                  <Age at={each.since} />
                </span>
              )}
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}

function Wrong({ condition }: { condition: ServerCondition }): JSX.Element {
  const cure = cureOf(condition.reason);
  return (
    <div class="servers-wrong">
      <Icon name="degraded" class="warn" />
      <div class="stack">
        <p>
          <span class="strong">{fill(words.conditionIs, condition)}</span>
          {condition.since !== undefined && (
            <span class="third note">
              {" "}
              <Age at={condition.since} />
            </span>
          )}
        </p>
        <ValueText text={condition.message} />
        {cure !== undefined && <p class="second">{cure}</p>}
      </div>
    </div>
  );
}
