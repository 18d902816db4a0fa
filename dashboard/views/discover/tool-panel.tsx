// One found tool: what an agent gets for the question word by word, why it was found, its arguments as it wants them, and what to do with it.
import { useEffect, useRef, useState } from "preact/hooks";
import type { JSX } from "preact";
import * as z from "zod";
import { serverPath, type ShownServer } from "../../data/servers.ts";
import { usePage } from "../../page.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { useAction } from "../../parts/use-action.ts";
import { useAnswer } from "../../parts/use-answer.ts";
import { LoadingRows, NeedsRole, useOffBecause } from "../../parts/view-states.tsx";
import { ValueText } from "../../parts/value-text.tsx";
import { link } from "../../route/route.ts";
import { fill } from "../../words/fill.ts";
import { discoverWords as words } from "../../words/discover.ts";
import { tellClock } from "../../words/times.ts";
import type { Hit, Intent } from "./found.ts";
import { isAgent, nameOf } from "./hit-card.tsx";
import { matchedWords, stemsOf } from "./matched-words.ts";

interface ToolPanelProps {
  hit: Hit;
  intent: Intent;
  servers: readonly ShownServer[] | undefined;
}

/** As in the style sheet. */
const below = "(max-width: 1100px)";

export function ToolPanel({ hit, intent, servers }: ToolPanelProps): JSX.Element {
  const name = nameOf(hit);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Chosen by a press where the panel stands below the results: what was pressed for is out of sight.
    const isBelow = window.matchMedia(below).matches;
    if (isBelow && document.activeElement?.closest(".discover-results")) heading.current?.focus();
  }, []);
  return (
    <aside class="card discover-panel" aria-label={fill(words.panel, { tool: name })}>
      <div class="discover-panel-top">
        <h2 ref={heading} tabIndex={-1} class="mono discover-name">
          {name}
        </h2>
        <Doing hit={hit} servers={servers} />
      </div>
      {intent.best === hit && (
        <section class="section stack">
          <h3>{words.gets}</h3>
          <div class="well" role="region" aria-label={words.getsRegion} tabIndex={0}>
            <ValueText text={JSON.stringify(intent.raw, undefined, 2)} />
          </div>
        </section>
      )}
      <Why hit={hit} question={intent.question} />
      <Schema callAs={hit.callAs} />
    </aside>
  );
}

function Doing({ hit, servers }: { hit: Hit; servers: readonly ShownServer[] | undefined }): JSX.Element {
  const { config, caller } = usePage();
  const { server, tool, callAs } = hit;
  const known = servers?.find(({ name }) => name === server);
  const canBeActivated = known !== undefined && known.kind !== "instance" && !(known.active && known.listed);
  const isWritable = !config.local && caller.value?.management === "readWrite";
  return (
    <>
      <div class="row wrap">
        {known !== undefined && (
          <ButtonLink href={link(["tester", known.name, "tools", tool])} icon="tester" look="filled">
            {words.tryIt}
          </ButtonLink>
        )}
        {server !== undefined && isAgent(hit, servers) && (
          <ButtonLink href={link(["agents", server])} icon="agents" look="filled">
            {words.askAgent}
          </ButtonLink>
        )}
        <CopyButton word={words.copyCallAs} text={callAs} />
      </div>
      {canBeActivated && isWritable && (
        <NeedsRole needed="operator" action={words.activateNeeds}>
          <Activate name={known.name} />
        </NeedsRole>
      )}
    </>
  );
}

const activated = z.looseObject({});

function Activate({ name }: { name: string }): JSX.Element {
  const { rest } = usePage();
  const offline = useOffBecause();
  const { working, problem, run } = useAction<"activating">();
  const [isDone, setDone] = useState(false);
  const activate = () =>
    run("activating", async () => {
      await rest({ method: "POST", path: serverPath(name, "activate"), schema: activated });
      setDone(true);
    });
  return (
    <div class="stack">
      <div class="row wrap">
        <Button offBecause={offline} onPress={activate}>
          {working === undefined ? words.activate : words.activating}
        </Button>
      </div>
      <p class="note second" role="status">
        {fill(isDone ? words.activated : words.activateNote, { server: name })}
      </p>
      {problem !== undefined && (
        <p class="note bad" role="alert">
          {fill(words.failed, { reason: problem.message })}
        </p>
      )}
    </div>
  );
}

function Why({ hit, question }: { hit: Hit; question: string }): JSX.Element {
  const { server = "", tool, description, confidence, score, unreachableSince } = hit;
  const found = matchedWords([server, tool.replaceAll(/[_-]/g, " "), description], stemsOf(question));
  return (
    <section class="section stack">
      <h3>{words.why}</h3>
      <dl class="facts">
        <dt>{words.whyWords}</dt>
        <dd>{found.length === 0 ? words.whyNoWords : found.join(", ")}</dd>
        <dt>{words.whyScore}</dt>
        <dd>{fill(words.whyScoreOf, { confidence: words.confidence[confidence], score: score.toFixed(3) })}</dd>
        {confidence !== "other" && (
          <>
            <dt>{words.whyReach}</dt>
            <dd>
              {unreachableSince === undefined
                ? words.reachNow
                : fill(words.unreachable, { time: tellClock(Date.parse(unreachableSince)) })}
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

const schemaAnswer = z.looseObject({ input_schema: z.unknown() });
/** Before somebody asks for all of it. */
const shownChars = 20_000;

function Schema({ callAs }: { callAs: string }): JSX.Element {
  const { connection } = usePage();
  const [showsAll, setShowsAll] = useState(false);
  const { data, problem } = useAnswer(callAs, async (signal) => {
    const { structured } = await connection.call("registry", { action: "get_schema", call_as: callAs }, signal);
    return JSON.stringify(schemaAnswer.parse(structured).input_schema, undefined, 2);
  });
  return (
    <section class="section stack">
      <h3>{words.schema}</h3>
      {problem !== undefined && (
        <p class="second">
          <ValueText text={problem.message} />
        </p>
      )}
      {data === undefined && problem === undefined && <LoadingRows rows={2} />}
      {data !== undefined && (
        <>
          <div class="well" role="region" aria-label={words.schema} tabIndex={0}>
            <ValueText text={showsAll ? data : data.slice(0, shownChars)} />
          </div>
          <div class="row wrap">
            {!showsAll && data.length > shownChars && (
              <Button small onPress={() => setShowsAll(true)}>
                {fill(words.schemaAll, { size: Math.ceil(data.length / 1_000) })}
              </Button>
            )}
            <CopyButton word={words.copySchema} text={data} small />
          </div>
        </>
      )}
    </section>
  );
}
