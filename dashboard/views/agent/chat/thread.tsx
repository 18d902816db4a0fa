// The conversation as it stands, following its end while the person is there: one wheel click up ends that, "Latest" brings it back. What
// the agent asks, and what waits its turn, stand at the end.
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { usePage } from "../../../page.ts";
import { Button } from "../../../parts/button.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { LoadingRows } from "../../../parts/view-states.tsx";
import { usePending } from "../../../shell/waiting.ts";
import { chatWords as words } from "../../../words/chat.ts";
import { fill } from "../../../words/fill.ts";
import type { Chat } from "./open-chat.ts";
import { QuestionForm } from "./question-form.tsx";
import { Answer, Own } from "./turn-view.tsx";
import { WaitingCall } from "./waiting-step.tsx";

const nearEndPx = 64;
/** Turns in the page at first; earlier ones on request. */
const shownTurns = 60;

interface ThreadProps {
  chat: Chat;
  isAnsweringElsewhere: boolean;
}

export function Thread({ chat, isAnsweringElsewhere }: ThreadProps): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  const [shown, setShown] = useState(shownTurns);
  const turns = chat.turns.value;
  const queue = chat.queue.value;
  const question = chat.question.value;
  const sent = chat.sent.value;
  useEffect(() => setFollowing(true), [chat, sent]);
  const before = chat.prepended.value + shown;
  const height = useRef({ before, px: 0 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    if (isFollowing) element.scrollTop = element.scrollHeight;
    // What comes before what is being read pushes nothing away.
    else if (height.current.before !== before) element.scrollTop += element.scrollHeight - height.current.px;
    height.current = { before, px: element.scrollHeight };
  }, [turns, queue, question, isFollowing, isAnsweringElsewhere, before]);
  const onScroll = () => {
    const element = scroller.current;
    if (element === null) return;
    setFollowing(element.scrollHeight - element.scrollTop - element.clientHeight < nearEndPx);
  };
  const problem = chat.historyProblem.value;
  return (
    <div class="chat-thread">
      <div
        ref={scroller}
        class="chat-scroll"
        onScroll={onScroll}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={fill(words.thread, { agent: chat.agent })}
      >
        {turns.length === 0 && chat.isLoading.value && <LoadingRows rows={3} />}
        {problem !== undefined && <p class="bad">{problem}</p>}
        {turns.length === 0 && !chat.isLoading.value && (
          <p class="second chat-first">{fill(words.nothingYet, { agent: chat.agent })}</p>
        )}
        <Turns chat={chat} shown={shown} onMore={() => setShown(shown + shownTurns)} />
        {isAnsweringElsewhere && <AnsweringElsewhere agent={chat.agent} />}
        {!isAnsweringElsewhere && turns.at(-1)?.who === "me" && (
          <p class="note second chat-unanswered">{fill(words.unanswered, { agent: chat.agent })}</p>
        )}
        {question !== undefined && <QuestionForm agent={chat.agent} question={question} />}
        <Queue chat={chat} />
      </div>
      {!isFollowing && (
        <div class="chat-latest">
          <Button small icon="down" onPress={() => setFollowing(true)}>
            {words.latest}
          </Button>
        </div>
      )}
    </div>
  );
}

interface TurnsProps {
  chat: Chat;
  /** Of the latest turns, how many. */
  shown: number;
  onMore(): void;
}

function Turns({ chat, shown, onMore }: TurnsProps) {
  const turns = chat.turns.value;
  const showMore = () => {
    onMore();
    if (turns.length <= shown + shownTurns) void chat.loadEarlier();
  };
  return (
    <>
      {(turns.length > shown || chat.hasEarlier.value) && (
        <p class="chat-earlier">
          <Button small onPress={showMore}>
            {words.history}
          </Button>
        </p>
      )}
      <ol class="chat-turns">
        {turns.slice(-shown).map((turn, index) => {
          const key = Math.max(0, turns.length - shown) + index - chat.prepended.value;
          return turn.who === "me" ? (
            <Own key={key} turn={turn} />
          ) : (
            <Answer key={key} turn={turn} agent={chat.agent} />
          );
        })}
      </ol>
    </>
  );
}

/** An answer that runs without this page: before a reload, or in another window. Its calls that wait are those that were made for the person. */
function AnsweringElsewhere({ agent }: { agent: string }) {
  const me = usePage().caller.value?.name;
  const waiting = (usePending().value.data ?? []).filter(({ agent_id, caller }) => agent_id === agent && caller === me);
  return (
    <div class="chat-elsewhere">
      <p class="row accent">
        <Icon name="ring" class="spin" />
        <span>{words.answeringElsewhere}</span>
      </p>
      {waiting.length > 0 && (
        <ul class="chat-steps">
          {waiting.map((approval) => (
            <WaitingCall key={approval.call_id} {...approval} depth={0} found={approval} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Queue({ chat }: { chat: Chat }) {
  const queue = chat.queue.value;
  const isHeld = chat.isHeld.value;
  if (queue.length === 0) return null;
  return (
    <ul class="stack">
      {queue.map(({ text }, index) => (
        <li key={index} class="chat-queued">
          <span class="note second">{isHeld ? words.held : words.queued}</span>
          <span class="cut">{text}</span>
          {isHeld && index === 0 && (
            <Button small onPress={() => chat.goOn()}>
              {words.goOn}
            </Button>
          )}
          <Button small look="quiet" onPress={() => chat.takeBack(index)}>
            {words.takeBack}
          </Button>
        </li>
      ))}
    </ul>
  );
}
