// One turn of a conversation: the person's own message, tinted, or the agent's answer as blocks of steps and text.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../../parts/button.tsx";
import { ValueText } from "../../../parts/value-text.tsx";
import { chatWords as words } from "../../../words/chat.ts";
import { fill, tellNumber } from "../../../words/fill.ts";
import { tellClock, tellDuration, tellExact } from "../../../words/times.ts";
import { tellSize } from "../../../words/sizes.ts";
import { Markdown } from "./markdown.tsx";
import { isOpen } from "./progress-steps.ts";
import { ProseText } from "./prose-text.tsx";
import { Elapsed, StepsBlock } from "./steps-block.tsx";
import type { AgentTurn, Block, OwnTurn } from "./turns.ts";

/** Of a text that is shown at once. */
const maxShownChars = 200_000;

export const Own = ({ turn: { text, images, at } }: { turn: OwnTurn }) => (
  <li class="chat-own">
    <span class="unseen">{words.you}: </span>
    {at !== undefined && (
      <time class="note third chat-own-time" dateTime={new Date(at).toISOString()} title={tellExact(at)}>
        {tellClock(at)}
      </time>
    )}
    <div class="chat-own-text">
      {text !== "" && (
        <p class="chat-plain" dir="auto">
          <ProseText text={text} />
        </p>
      )}
      {images.map(({ url, alt }, index) => (
        <img
          key={index}
          class="chat-picture"
          src={url}
          alt={alt === "" ? fill(words.picture, { n: index + 1 }) : alt}
        />
      ))}
    </div>
  </li>
);

export function Answer({ turn, agent }: { turn: AgentTurn; agent: string }): JSX.Element {
  const { blocks, state, at, note, usage, startedAtMs, endedAtMs } = turn;
  const isOver = state !== "running" && state !== "waiting";
  return (
    <li class="chat-answer">
      <h3 class="chat-by row note" tabIndex={-1}>
        <span class="strong">{agent}</span>
        {at !== undefined && <time title={tellExact(at)}>{tellClock(at)}</time>}
        {state === "running" && (
          <span class="accent">
            {words.answering}
            <Elapsed sinceMs={startedAtMs} />
          </span>
        )}
        {state === "waiting" && <span class="second">{words.waitsForConnection}</span>}
        {state === "done" && at !== undefined && endedAtMs !== undefined && (
          <span class="third">{fill(words.took, { duration: tellDuration(endedAtMs - startedAtMs) })}</span>
        )}
        {usage !== undefined && (
          <span class="third">{fill(words.tokens, { count: tellNumber(usage.input + usage.output) })}</span>
        )}
      </h3>
      {blocks.map((block, index) => (
        <BlockView
          key={index}
          block={block}
          isRunning={!isOver && (index === blocks.length - 1 || hasOpenCall(block))}
        />
      ))}
      {state === "running" && blocks.at(-1)?.kind === "text" && <span class="chat-caret" aria-hidden="true" />}
      {note !== undefined && (
        <p class={state === "failed" ? "bad" : "second"}>
          <ValueText text={note} />
        </p>
      )}
    </li>
  );
}

/** Text may come while a call of the same step goes on. */
const hasOpenCall = (block: Block): boolean => block.kind === "steps" && block.steps.list.some(isOpen);

const BlockView = ({ block, isRunning }: { block: Block; isRunning: boolean }) =>
  block.kind === "steps" ? <StepsBlock steps={block.steps} isRunning={isRunning} /> : <TextBlock text={block.text} />;

function TextBlock({ text }: { text: string }) {
  const [shownChars, setShownChars] = useState(maxShownChars);
  const rest = text.length - shownChars;
  return (
    <>
      <Markdown text={rest > 0 ? text.slice(0, shownChars) : text} />
      {rest > 0 && (
        <Button small onPress={() => setShownChars((shown) => shown + maxShownChars)}>
          {fill(words.showMore, { size: tellSize(rest) })}
        </Button>
      )}
    </>
  );
}
