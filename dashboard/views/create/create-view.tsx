// Making an agent: a preset or nothing to begin with, the fields that most agents have, and beside them the manifest, kept in step. What the
// gateway finds wrong stands at the field that it names.
import { useRef, useState } from "preact/hooks";
import type { JSX } from "preact";
import { presetsResource, presetsUri, type Preset } from "../../data/presets.ts";
import { toProblem } from "../../connect/problem.ts";
import { usePage, useResource } from "../../page.ts";
import { Button } from "../../parts/button.tsx";
import { Facets } from "../../parts/field.tsx";
import { useAction } from "../../parts/use-action.ts";
import { narrow, useMedia } from "../../parts/use-media.ts";
import { LoadedView } from "../../parts/view-states.tsx";
import { link } from "../../route/route.ts";
import { createWords as words } from "../../words/create.ts";
import { fill, plural } from "../../words/fill.ts";
import { checkName } from "./check-name.ts";
import { CreateButton } from "./create-button.tsx";
import { CreateForm } from "./create-form.tsx";
import { ManifestSide } from "./manifest-side.tsx";
import { countProblems, noProblems, placeProblems, stillSaid } from "./placed-problems.ts";
import { PresetChoice } from "./preset-choice.tsx";
import { useDraft, type DraftDesk } from "./use-draft.ts";
import { useKnown, type Known } from "./use-known.ts";

export function CreateView(): JSX.Element {
  const { caller } = usePage();
  const presets = useResource(presetsUri, presetsResource);
  const { subject } = caller.value ?? {};
  return (
    <>
      <header class="head">
        <h1 tabIndex={-1}>{words.title}</h1>
      </header>
      <LoadedView what={words.presetsWhat} from={presets}>
        {(all) => subject !== undefined && <Creating key={subject} subject={subject} presets={all} />}
      </LoadedView>
    </>
  );
}

function Creating({ subject, presets }: { subject: string; presets: readonly Preset[] }): JSX.Element {
  const { router } = usePage();
  const known = useKnown();
  const isNarrow = useMedia(narrow);
  const { query } = router.route.value;
  const preset = presets.find(({ name }) => name === query.get("preset"));
  const desk = useDraft(subject, preset);
  const side = query.get("side") === "manifest" ? "manifest" : "form";
  const form = useRef<HTMLDivElement>(null);
  const creating = useCreate(desk, known, form);
  return (
    <div class="create" ref={form}>
      <Begin presets={presets} chosen={preset} desk={desk} />
      {isNarrow && (
        <Facets
          label={words.sides}
          value={side}
          facets={(["form", "manifest"] as const).map((value) => ({ value, label: words.sideNames[value] }))}
          onChoose={(value) => router.setQuery({ side: value === "form" ? undefined : value })}
        />
      )}
      <div class="create-sides">
        {(!isNarrow || side === "form") && (
          <fieldset class="card pad create-form" disabled={desk.fault !== undefined}>
            {desk.fault !== undefined && <p class="bad create-fault">{words.fault}</p>}
            <CreateForm draft={desk.draft} known={known} problems={creating.byField} onChange={desk.change} />
          </fieldset>
        )}
        <div class="create-aside">
          {(!isNarrow || side === "manifest") && <ManifestSide desk={desk} />}
          <CreateButton draft={desk.draft} {...creating} />
        </div>
      </div>
    </div>
  );
}

interface BeginProps {
  presets: readonly Preset[];
  chosen: Preset | undefined;
  desk: DraftDesk;
}

/** A preset, and back to what was there before it. */
function Begin({ presets, chosen, desk }: BeginProps): JSX.Element {
  const { router } = usePage();
  const choose = (preset: Preset | undefined) => {
    router.setQuery({ preset: preset?.name });
    desk.begin(preset);
  };
  return (
    <>
      {presets.length > 0 && <PresetChoice presets={presets} chosen={chosen?.name} onChoose={choose} />}
      {desk.before !== undefined && (
        <p class="row wrap" role="status">
          {fill(words.replaced, { preset: chosen?.title ?? chosen?.name ?? words.nothing })}
          <Button small onPress={desk.putBackDraft}>
            {words.putBack}
          </Button>
        </p>
      )}
    </>
  );
}

/** What is wrong, of the name at once and else as the gateway says it; and making it. */
function useCreate({ draft, fault, forget }: DraftDesk, known: Known, form: { current: HTMLElement | null }) {
  const { connection, announcer, router, time } = usePage();
  const [{ problems, asked }, setFound] = useState({ problems: noProblems, asked: draft });
  const { working, run } = useAction<"creating">();
  const wrongName = checkName(
    draft.name,
    known.agents.map(({ name }) => name),
  );
  const byField = stillSaid(problems, asked, draft);
  if (wrongName !== undefined) byField.set("name", wrongName);
  const onCreate = () =>
    run("creating", async () => {
      setFound({ problems: noProblems, asked: draft });
      try {
        await connection.call("agents_create", { name: draft.name, spec: draft.spec });
      } catch (error) {
        const found = placeProblems(toProblem(error).message);
        setFound({ problems: found, asked: draft });
        announcer.sayNow(plural(words.problems, countProblems(found)));
        // Once the sentences stand at their fields.
        time.after(0, () => form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus());
        return;
      }
      forget();
      announcer.say(fill(words.created, { name: draft.name }));
      router.go(link(["agents", draft.name]));
    });
  const off = fault === undefined ? (draft.name === "" ? words.noName : wrongName) : words.fault;
  return { byField, others: problems.others, off, isWorking: working !== undefined, onCreate };
}
