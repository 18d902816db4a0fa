// A block of steps: while it runs the last three and what it is at; when it is done one line that opens. What failed stays open.
import { useState } from "preact/hooks";
import { usePage } from "../../../page.ts";
import { Icon } from "../../../parts/icon.tsx";
import { chatWords as words } from "../../../words/chat.ts";
import { fill, plural } from "../../../words/fill.ts";
import { tellDuration } from "../../../words/times.ts";
import type { Step, Steps } from "./progress-steps.ts";

const shownWhileRunning = 3;
/** Of rows that are open at once. */
const maxRows = 200;

interface StepsBlockProps {
  steps: Steps;
  isRunning: boolean;
}

export function StepsBlock({ steps, isRunning }: StepsBlockProps) {
  const [wasOpened, setOpened] = useState<boolean | undefined>(undefined);
  const { list, leftOut, turn } = steps;
  const failed = list.filter(({ outcome }) => outcome === "failed").length;
  if (list.length === 0 && !isRunning) return null;
  const isOpen = wasOpened ?? (isRunning || failed > 0);
  const shown = isRunning && wasOpened === undefined ? list.slice(-shownWhileRunning) : list.slice(-maxRows);
  const hidden = list.length - shown.length;
  return (
    <div class="chat-steps">
      <button type="button" class="chat-steps-head" aria-expanded={isOpen} onClick={() => setOpened(!isOpen)}>
        {isRunning ? (
          <Icon name="ring" class="spin" />
        ) : (
          <Icon name={failed > 0 ? "error" : "check"} class={failed > 0 ? "bad" : "ok"} />
        )}
        <span class="cut">{isRunning ? tellNow(steps) : tellDone(list, failed)}</span>
        <span class="space" />
        {!isRunning && <span class="note second tabular">{tellDuration(spanOf(list))}</span>}
      </button>
      {isOpen && list.length > 0 && (
        <ol>
          {hidden > 0 && <li class="note third chat-step">{plural(words.earlier, hidden)}</li>}
          {leftOut > 0 && <li class="note third chat-step">{plural(words.leftOut, leftOut)}</li>}
          {shown.map((step) => (
            <StepRow key={step.id} step={step} />
          ))}
        </ol>
      )}
      {isRunning && turn > 0 && list.length === 0 && <span class="unseen">{fill(words.stepNow, { turn })}</span>}
    </div>
  );
}

function tellNow({ list, turn }: Steps): string {
  const running = list.findLast(({ outcome }) => outcome === "running");
  return running === undefined ? fill(words.stepNow, { turn }) : fill(words.stepAsking, { turn, name: running.server });
}

function tellDone(list: readonly Step[], failed: number): string {
  const told = plural(words.steps, list.length);
  return failed === 0 ? told : `${told}, ${plural(words.failed, failed)}`;
}

const spanOf = (list: readonly Step[]): number => {
  const first = list[0]?.startedAtMs ?? 0;
  return Math.max(0, ...list.map(({ endedAtMs }) => (endedAtMs ?? first) - first));
};

const outcomes = {
  running: { icon: "ring", look: "second spin", word: words.running },
  done: { icon: "check", look: "ok", word: words.done },
  failed: { icon: "error", look: "bad", word: words.stepFailed },
} as const;

function StepRow({ step: { server, tool, outcome, startedAtMs, endedAtMs } }: { step: Step }) {
  const { icon, look, word } = outcomes[outcome];
  // A sub-agent's tool is the agent itself.
  const isAgent = tool === `${server}__${server}`;
  return (
    <li class="chat-step">
      <Icon name={icon} class={look} />
      <span class="cut">
        <span class="mono">{isAgent ? server : `${server} / ${tool}`}</span>
        <span class={outcome === "failed" ? "bad note" : "unseen"}> {word}</span>
      </span>
      <span class="note second tabular">{endedAtMs === undefined ? "" : tellDuration(endedAtMs - startedAtMs)}</span>
    </li>
  );
}

const paintedEachMs = 5_000;

/** How long an answer takes by now, in steps of 5 s, as it is repainted; nothing before. */
export function Elapsed({ sinceMs }: { sinceMs: number }) {
  const { time } = usePage();
  // Read, so that it is drawn again.
  const isKnown = time.fine.value > 0;
  const wholeMs = Math.floor((time.elapsed() - sinceMs) / paintedEachMs) * paintedEachMs;
  return isKnown && wholeMs > 0 ? <span class="tabular">, {tellDuration(wholeMs)}</span> : null;
}
