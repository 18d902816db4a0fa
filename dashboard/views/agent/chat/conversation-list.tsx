// The person's conversations with the agent, newest on top, as links; and how to begin or forget one.
import { useState } from "preact/hooks";
import { usePage } from "../../../page.ts";
import { Age } from "../../../parts/age.tsx";
import { Button } from "../../../parts/button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { FilterField } from "../../../parts/field.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { useAction } from "../../../parts/use-action.ts";
import { ValueText } from "../../../parts/value-text.tsx";
import type { ShownConversation } from "../../../data/conversations.ts";
import { link } from "../../../route/route.ts";
import { chatWords as words } from "../../../words/chat.ts";
import { fill } from "../../../words/fill.ts";
import { tellClock } from "../../../words/times.ts";
import type { Chat } from "./open-chat.ts";

interface ConversationListProps {
  agent: string;
  scope: "shared" | "connection" | "request";
  conversations: readonly ShownConversation[];
  /** Why the agent could not be asked for them. */
  message: string | undefined;
  chat: Chat;
  onNew(): void;
}

const kept = { shared: words.keptForAll, connection: words.keptByAgent, request: words.keptNot } as const;

const filteredFrom = 10;

const fits = (query: string) => {
  const sought = query.toLowerCase().split(/\s+/).filter(Boolean);
  return ({ title }: ShownConversation) => sought.every((word) => title.toLowerCase().includes(word));
};

export function ConversationList({ agent, scope, conversations, message, chat, onNew }: ConversationListProps) {
  const current = chat.sessionId.value;
  const [query, setQuery] = useState("");
  const list = conversations.filter(({ session_id }) => session_id !== null);
  return (
    <section class="chat-list-pane" aria-label={words.conversations}>
      {scope === "connection" && (
        <Button icon="plus" onPress={onNew}>
          {words.newConversation}
        </Button>
      )}
      {list.length >= filteredFrom && <FilterField label={words.filter} value={query} onInput={setQuery} />}
      <ul>
        {list.filter(fits(query)).map((conversation) => (
          <li key={conversation.session_id}>
            <ConversationLink
              agent={agent}
              conversation={conversation}
              isCurrent={conversation.session_id === current}
            />
          </li>
        ))}
      </ul>
      {message !== undefined && (
        <p class="note warn">
          <ValueText text={message} />
        </p>
      )}
      <p class="note third">{fill<string>(kept[scope], { agent })}</p>
      {(current !== undefined || scope === "shared") && chat.turns.value.length > 0 && (
        <Forget chat={chat} isShared={scope === "shared"} onForgotten={onNew} />
      )}
    </section>
  );
}

interface ConversationLinkProps {
  agent: string;
  conversation: ShownConversation;
  isCurrent: boolean;
}

function ConversationLink({ agent, conversation, isCurrent }: ConversationLinkProps) {
  const { session_id, title, last_at, answering } = conversation;
  const { chats } = usePage();
  const unseenAt = chats.find(agent, session_id ?? "")?.unseenAt.value;
  return (
    <a
      class="chat-conversation"
      href={link(["agents", agent], { session: session_id ?? undefined })}
      {...(isCurrent && { "aria-current": "true" as const })}
    >
      <span class="cut">{title === "" ? words.untitled : title}</span>
      {answering ? (
        <span class="note accent row">
          <Icon name="ring" class="spin" /> {words.answering}
        </span>
      ) : unseenAt === undefined ? (
        <span class="note second">
          <Age at={last_at} />
        </span>
      ) : (
        <span class="note accent strong">{fill(words.answeredAt, { time: tellClock(unseenAt) })}</span>
      )}
    </a>
  );
}

function Forget({ chat, isShared, onForgotten }: { chat: Chat; isShared: boolean; onForgotten(): void }) {
  const { connection } = usePage();
  const [isAsking, setAsking] = useState(false);
  const action = useAction<"forget">();
  const isLive = connection.state.value.kind === "live";
  const forget = () =>
    action.run("forget", async () => {
      await chat.forget();
      setAsking(false);
      onForgotten();
    });
  return (
    <>
      <button type="button" class="text-button note" onClick={() => setAsking(true)}>
        {words.forget}
      </button>
      {isAsking && (
        <Dialog title={words.forget} onClose={() => setAsking(false)}>
          <p>{isShared ? words.forgetShared : words.forgetSure}</p>
          {action.problem !== undefined && <p class="bad">{action.problem.message}</p>}
          <div class="row">
            <Button onPress={() => setAsking(false)}>{words.cancel}</Button>
            <span class="space" />
            {isLive && (
              <Button look="red" onPress={forget}>
                {words.forgetYes}
              </Button>
            )}
          </div>
        </Dialog>
      )}
    </>
  );
}
