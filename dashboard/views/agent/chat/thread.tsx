// The conversation as it stands, following its end while the person is there: one wheel click up ends that, "Latest" brings it back. What
// waits for a person and what the agent asks stand at the end.
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { usePage } from "../../../page.ts";
import { Button } from "../../../parts/button.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { LoadingRows } from "../../../parts/view-states.tsx";
import { link } from "../../../route/route.ts";
import { usePending } from "../../../shell/waiting.ts";
import { chatWords as words } from "../../../words/chat.ts";
import { fill } from "../../../words/fill.ts";
import { tellLeft } from "../../../words/times.ts";
import type { Chat } from "./chats.ts";
import { QuestionForm } from "./question-form.tsx";
import { Answer, Own } from "./turn-view.tsx";

const nearEndPx = 64;
/** Turns in the page at first; earlier ones on request. */
const shownTurns = 60;

export function Thread({ chat }: { chat: Chat }): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  const [shown, setShown] = useState(shownTurns);
  const turns = chat.turns.value;
  const queue = chat.queue.value;
  const question = chat.question.value;
  useEffect(() => setFollowing(true), [chat]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element !== null && isFollowing) element.scrollTop = element.scrollHeight;
  }, [turns, queue, question, isFollowing]);
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
        {chat.isLoading.value && <LoadingRows rows={3} />}
        {problem !== undefined && <p class="bad">{problem}</p>}
        {turns.length === 0 && !chat.isLoading.value && (
          <p class="second chat-first">{fill(words.nothingYet, { agent: chat.agent })}</p>
        )}
        {turns.length > shown && (
          <Button small onPress={() => setShown(shown + shownTurns)}>
            {words.history}
          </Button>
        )}
        <ol class="chat-turns">
          {turns.slice(-shown).map((turn, index) => {
            const key = Math.max(0, turns.length - shown) + index;
            return turn.who === "me" ? (
              <Own key={key} turn={turn} />
            ) : (
              <Answer key={key} turn={turn} agent={chat.agent} />
            );
          })}
        </ol>
        <WaitingCalls agent={chat.agent} />
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

/** Calls of the agent for which its run stands still. */
function WaitingCalls({ agent }: { agent: string }) {
  const { time } = usePage();
  const waiting = (usePending().value.data ?? []).filter(({ agent_id }) => agent_id === agent);
  if (waiting.length === 0) return null;
  return (
    <ul class="stack">
      {waiting.map(({ call_id, server, tool, expires_at, may_decide, may_not_because }) => (
        <li key={call_id} class="chat-waiting">
          <Icon name="approvals" class="wait" />
          <span>
            {fill(words.waitingCall, { server, tool, left: tellLeft(Date.parse(expires_at), time.fine.value) })}
          </span>
          {may_decide ? (
            <a class="button plain small" href={link(["approvals", call_id])}>
              {words.lookAtIt}
            </a>
          ) : (
            <span class="note second">{may_not_because}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

const Queue = ({ chat }: { chat: Chat }) => (
  <ul class="stack">
    {chat.queue.value.map(({ text }, index) => (
      <li key={index} class="chat-queued row">
        <span class="note second">{words.queued}</span>
        <span class="cut">{text}</span>
        <span class="space" />
        <Button small look="quiet" onPress={() => chat.takeBack(index)}>
          {words.takeBack}
        </Button>
      </li>
    ))}
  </ul>
);
