// A block of steps: while it runs the last three and what it is at; when it is done one line that opens. What failed stays open, and what waits
// for a person says for whom. Calls of sub-agents stand beneath the agent's, three levels at first.
import { useState } from "preact/hooks";
import { usePage } from "../../../page.ts";
import { Icon } from "../../../parts/icon.tsx";
import { chatWords as words } from "../../../words/chat.ts";
import { fill, plural } from "../../../words/fill.ts";
import { tellDuration } from "../../../words/times.ts";
import { isAgentStep, isOpen, latestOf, type Step, type Steps } from "./progress-steps.ts";
import { WaitingStep } from "./waiting-step.tsx";

const shownWhileRunning = 3;
/** Of rows that are open at once. */
const maxRows = 200;
const levelsAtFirst = 3;

interface StepsBlockProps {
  steps: Steps;
  isRunning: boolean;
}

export function StepsBlock({ steps, isRunning }: StepsBlockProps) {
  const [wasOpened, setOpened] = useState<boolean | undefined>(undefined);
  const { list } = steps;
  const failed = list.filter(({ outcome }) => outcome === "failed").length;
  if (list.length === 0 && !isRunning) return null;
  const isOpened = wasOpened ?? (isRunning || failed > 0);
  const waits = isRunning && list.some(({ outcome }) => outcome === "waits");
  return (
    <div class="chat-steps">
      <button type="button" class="chat-steps-head" aria-expanded={isOpened} onClick={() => setOpened(!isOpened)}>
        <HeadIcon isRunning={isRunning} waits={waits} hasFailed={failed > 0} />
        <span class="cut">{isRunning ? tellNow(steps, waits) : tellDone(steps, failed)}</span>
        <span class="space" />
        {!isRunning && <span class="note second tabular">{tellDuration(spanOf(list))}</span>}
      </button>
      {isOpened && list.length > 0 && <Rows steps={steps} isShort={isRunning && wasOpened === undefined} />}
    </div>
  );
}

function HeadIcon({ isRunning, waits, hasFailed }: { isRunning: boolean; waits: boolean; hasFailed: boolean }) {
  if (waits) return <Icon name="approvals" class="wait" />;
  if (isRunning) return <Icon name="ring" class="accent spin" />;
  return <Icon name={hasFailed ? "error" : "check"} class={hasFailed ? "bad" : "ok"} />;
}

function Rows({ steps: { list, leftOut }, isShort }: { steps: Steps; isShort: boolean }) {
  const [showsDeep, setShowsDeep] = useState(false);
  const isDeep = ({ depth, outcome }: Step) => depth >= levelsAtFirst && outcome !== "waits";
  const near = showsDeep ? list : list.filter((step) => !isDeep(step));
  const deep = list.length - near.length;
  const shown = isShort ? latestOf(near, shownWhileRunning) : near.slice(-maxRows);
  const earlier = near.length - shown.length;
  return (
    <ol>
      {earlier > 0 && <li class="note third chat-step">{plural(words.earlier, earlier)}</li>}
      {leftOut > 0 && <li class="note third chat-step">{plural(words.leftOut, leftOut)}</li>}
      {shown.map((step) =>
        step.outcome === "waits" ? <WaitingStep key={step.id} step={step} /> : <StepRow key={step.id} step={step} />,
      )}
      {deep > 0 && (
        <li class="chat-step note">
          <button type="button" class="text-button" onClick={() => setShowsDeep(true)}>
            {plural(words.deeper, deep)}
          </button>
        </li>
      )}
    </ol>
  );
}

const nameOf = (step: Step): string => (isAgentStep(step) ? step.server : `${step.server} / ${step.tool}`);

function tellNow({ list, turn }: Steps, waits: boolean): string {
  if (waits) return fill(words.stepWaits, { turn });
  const running = list.filter(({ outcome, depth }) => outcome === "running" && depth === 0);
  const [first] = running;
  if (first === undefined) return fill(words.stepNow, { turn });
  if (running.length > 1) return fill(words.stepMany, { turn, count: running.length });
  return fill<string>(isAgentStep(first) ? words.stepAsking : words.stepCalling, { turn, name: nameOf(first) });
}

function tellDone({ list, toolTurns }: Steps, failed: number): string {
  const calls = plural(words.steps, list.length);
  const told = toolTurns > 1 ? `${plural(words.turns, toolTurns)}, ${calls}` : calls;
  return failed === 0 ? told : `${told}, ${plural(words.failed, failed)}`;
}

function spanOf(list: readonly Step[]): number {
  const first = Math.min(...list.map(({ startedAtMs }) => startedAtMs));
  return Math.max(0, ...list.map(({ endedAtMs }) => (endedAtMs ?? first) - first));
}

const outcomes = {
  running: { icon: "ring", look: "accent spin", word: words.running },
  done: { icon: "check", look: "ok", word: words.done },
  failed: { icon: "error", look: "bad", word: words.stepFailed },
} as const;

function StepRow({ step }: { step: Step }) {
  const { outcome, startedAtMs, endedAtMs, note, depth } = step;
  const { icon, look, word } = outcomes[outcome === "waits" ? "running" : outcome];
  return (
    <li class="chat-step" data-depth={depth}>
      <Icon name={icon} class={look} />
      <span class="cut">
        <span class="mono">{nameOf(step)}</span>
        {isAgentStep(step) && <span class="note second"> {words.stepAgent}</span>}
        <span class={outcome === "failed" ? "bad note" : "unseen"}> {word}</span>
        {isOpen(step) && note !== undefined && <span class="note second"> {note}</span>}
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
