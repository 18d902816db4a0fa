// Earlier calls of this tab: one press shows what came back and fills in the form again.
import { usePage } from "../../page.ts";
import { Button } from "../../parts/button.tsx";
import { link } from "../../route/route.ts";
import { fill } from "../../words/fill.ts";
import { tellClockWithSeconds } from "../../words/times.ts";
import { testerWords as words } from "../../words/tester.ts";
import { OutcomeChip } from "./result-card.tsx";
import { nameOf, type Testing } from "./testing.ts";

const maxShown = 20;

export function PastCard({ testing }: { testing: Testing }) {
  const { router } = usePage();
  const past = testing.memory.past.value;
  const shown = testing.memory.shown.value;
  if (past.length === 0) return null;
  return (
    <section class="card" aria-label={words.past}>
      <div class="row wrap tester-card-head">
        <h2>{words.past}</h2>
        <span class="space" />
        <Button
          look="quiet"
          small
          onPress={() => {
            testing.memory.past.value = [];
            testing.memory.shown.value = undefined;
          }}
        >
          {words.pastForget}
        </Button>
      </div>
      <ul class="tester-past">
        {past.slice(0, maxShown).map((call) => {
          const name = nameOf(call.request);
          const time = tellClockWithSeconds(call.at);
          return (
            <li key={call.key}>
              <button
                type="button"
                class="tester-past-call"
                aria-label={fill(words.pastLabel, { name, time, outcome: words.outcomes[call.outcome.kind] })}
                aria-pressed={shown?.key === call.key}
                onClick={() => {
                  testing.refill(call);
                  router.go(link(["tester", call.server, call.form.kind, call.form.name]));
                }}
              >
                <span class="mono cut">{call.server === testing.server ? name : `${call.server} / ${name}`}</span>
                <OutcomeChip kind={call.outcome.kind} />
                <span class="note second tabular">{time}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
