// The view of policies: which there are and whose calls they judge, and one of them with its rules, what other rules would make of the
// last calls, and what people propose.
import type { JSX } from "preact";
import { policyTextUri, proposalsResource, proposalsUri } from "../../data/policies.ts";
import { usePage, useResource } from "../../page.ts";
import { Gone, LoadedView, useGoneAt } from "../../parts/view-states.tsx";
import { link } from "../../route/route.ts";
import { plural } from "../../words/fill.ts";
import { policyWords as words } from "../../words/policies.ts";
import { PolicyList } from "./policy-list.tsx";
import { PolicyPage } from "./policy-page.tsx";
import { policiesResource } from "./policy-text.ts";

export function PoliciesView(): JSX.Element {
  const { router } = usePage();
  const policies = useResource(policyTextUri, policiesResource);
  const proposals = useResource(proposalsUri, proposalsResource);
  const [, name] = router.route.value.path;
  const { data } = policies.value;
  const goneAt = useGoneAt(name ?? "", data?.some(({ policy }) => policy === name) === true);
  return (
    <>
      {name === undefined && (
        <header class="head">
          <h1 tabIndex={-1}>{words.title}</h1>
          {data !== undefined && <span class="second">{plural(words.count, data.length)}</span>}
        </header>
      )}
      <LoadedView what={words.what} from={policies}>
        {(all) => {
          if (name === undefined) return <PolicyList policies={all} proposals={proposals.value.data ?? []} />;
          const policy = all.find((each) => each.policy === name);
          if (policy !== undefined) return <PolicyPage key={name} policy={policy} proposals={proposals} />;
          return (
            <section class="card">
              <h1 tabIndex={-1} class="unseen">
                {name}
              </h1>
              <Gone what={words.policy} backTo={words.backTo} backHref={link(["policies"])} {...{ name, goneAt }} />
            </section>
          );
        }}
      </LoadedView>
    </>
  );
}
