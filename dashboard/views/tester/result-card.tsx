// What came of the last request, or of the one that was picked from before: what kind of answer it is, at a glance; how long it took and how
// large it is; its parts; and whether it fits what the tool says of its output.
import { useEffect, useRef } from "preact/hooks";
import type { TriedTool } from "../../data/tester.ts";
import { usePage } from "../../page.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { Chip, type ChipLook } from "../../parts/mark.tsx";
import { checkValue } from "../../parts/schema-form/check-value.ts";
import { ValueText } from "../../parts/value-text.tsx";
import { fill, plural } from "../../words/fill.ts";
import { tellClockWithSeconds, tellDuration } from "../../words/times.ts";
import { testerWords as words } from "../../words/tester.ts";
import type { PastCall } from "./memory.ts";
import type { Outcome, OutcomeKind } from "./outcome.ts";
import { ResultParts, Structured } from "./result-parts.tsx";
import { methodOf, renderCurl } from "./sent-message.ts";
import { tellBytes } from "./tell-bytes.ts";
import { nameOf, type Testing } from "./testing.ts";
import { WaitsForPerson } from "./waits-for-person.tsx";

const looks = {
  result: { look: "ok", icon: "check" },
  "tool-error": { look: "warn", icon: "degraded" },
  "protocol-error": { look: "bad", icon: "error" },
  timeout: { look: "bad", icon: "clock" },
  denied: { look: "wait", icon: "policies" },
  refused: { look: "neutral", icon: "off" },
  unreachable: { look: "bad", icon: "error" },
  cancelled: { look: "neutral", icon: "stop" },
} as const satisfies Record<OutcomeKind, { look: ChipLook; icon: IconName }>;

export const OutcomeChip = ({ kind }: { kind: OutcomeKind }) => (
  <Chip look={looks[kind].look} icon={looks[kind].icon}>
    {words.outcomes[kind]}
  </Chip>
);

/** The same as in the style sheet. */
const oneColumn = "(max-width: 1100px)";

export function ResultCard({ testing, tools }: { testing: Testing; tools: readonly TriedTool[] }) {
  const element = useRef<HTMLElement>(null);
  const call = testing.memory.shown.value;
  const isOurs = call !== undefined && call.server === testing.server;
  const key = isOurs ? call.key : undefined;
  const before = useRef(key);
  useEffect(() => {
    const isNew = key !== undefined && before.current !== key;
    before.current = key;
    if (isNew && window.matchMedia(oneColumn).matches) element.current?.scrollIntoView({ block: "start" });
  }, [key]);
  const running = testing.running.value;
  return (
    <section ref={element} class="card tester-result" aria-label={words.result}>
      {running !== undefined && (
        <p class="row second">
          <Icon name="ring" class="spin" /> {`${words.working}: `}
          <span class="mono cut">{nameOf(running)}</span>
        </p>
      )}
      {running !== undefined && <WaitsForPerson server={testing.server} request={running} />}
      {running === undefined && isOurs && (
        <Shown key={call.key} call={call} tool={tools.find(({ name }) => name === nameOf(call.request))} />
      )}
      {running === undefined && !isOurs && <p class="second">{words.noResult}</p>}
    </section>
  );
}

function Shown({ call, tool }: { call: PastCall; tool: TriedTool | undefined }) {
  const { origin } = usePage();
  const { outcome, request, server, at, durationMs } = call;
  const isResult = outcome.kind === "result" || outcome.kind === "tool-error";
  const took = fill(words.tookBytes, { duration: tellDuration(durationMs), bytes: tellBytes(outcome.bytes) });
  return (
    <>
      <div class="row wrap">
        <OutcomeChip kind={outcome.kind} />
        <span class="note second tabular">{`${tellClockWithSeconds(at)}, ${took}`}</span>
        <span class="space" />
        <CopyButton small word={words.copyCurl} text={renderCurl(origin, server, request)} />
      </div>
      <p class="mono cut second">{nameOf(request)}</p>
      {!isResult && <Trouble call={call} />}
      {outcome.kind === "tool-error" && <p class="note second">{words.explains[outcome.kind]}</p>}
      {isResult && <ResultParts parts={outcome.parts} />}
      {outcome.structured !== undefined && <Structured value={outcome.structured} />}
      {isResult && request.kind === "tools" && tool !== undefined && <Fit outcome={outcome} tool={tool} />}
      {isResult && <Raw outcome={outcome} />}
    </>
  );
}

/** In the words of whoever says it. */
function Trouble({ call }: { call: PastCall }) {
  const { outcome, request, lastHeard } = call;
  const isOutstanding = outcome.kind === "timeout" || outcome.kind === "cancelled";
  return (
    <div class={`tester-trouble ${looks[outcome.kind].look}`}>
      {outcome.message !== "" && (
        <p>
          <ValueText text={outcome.message} />
        </p>
      )}
      {outcome.code !== undefined && <p class="note mono">{fill(words.code, { code: outcome.code })}</p>}
      <p class="note second">{words.explains[outcome.kind]}</p>
      {isOutstanding && (
        <p class="note second">
          {`${fill(words.outstanding, { method: methodOf(request), name: nameOf(request) })} ${
            lastHeard === undefined ? words.nothingHeard : fill(words.lastHeard, { line: lastHeard })
          }`}
        </p>
      )}
    </div>
  );
}

const maxShownMisfits = 5;

function Fit({ outcome, tool }: { outcome: Outcome; tool: TriedTool }) {
  const { structured, parts } = outcome;
  const told = plural(words.parts, parts.length);
  if (tool.outputSchema === undefined || outcome.kind !== "result") return <p class="note second">{told}</p>;
  if (structured === undefined) return <p class="note warn">{`${words.fitsMissing} ${told}`}</p>;
  const problems = checkValue(tool.outputSchema, structured);
  if (problems.length === 0) {
    return (
      <p class="note row second">
        <Icon name="check" class="ok" /> {`${words.fits} ${told}`}
      </p>
    );
  }
  return (
    <div class="note bad">
      <p class="row">
        <Icon name="error" /> {words.fitsNot}
      </p>
      <ul>
        {problems.slice(0, maxShownMisfits).map(({ path, message }) => (
          <li key={path.join("/")}>
            <bdi class="mono">{`/${path.join("/")}`}</bdi> {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

const maxRawChars = 20_000;

const Raw = ({ outcome: { text } }: { outcome: Outcome }) => (
  <details class="tester-details">
    <summary>{words.raw}</summary>
    <div class="stack">
      <pre class="well">
        <ValueText text={text.slice(0, maxRawChars)} />
      </pre>
      {text.length > maxRawChars && (
        <p class="note second">{fill(words.partCut, { shown: maxRawChars, n: text.length })}</p>
      )}
      <div>
        <CopyButton small word={words.copyResult} text={text} />
      </div>
    </div>
  </details>
);
