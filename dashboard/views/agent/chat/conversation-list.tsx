// The person's conversations with the agent, newest on top, as links; and how to begin or forget one.
import { useState } from "preact/hooks";
import { usePage } from "../../../page.ts";
import { Age } from "../../../parts/age.tsx";
import { Button } from "../../../parts/button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { useAction } from "../../../parts/use-action.ts";
import type { ShownConversation } from "../../../data/conversations.ts";
import { link } from "../../../route/route.ts";
import { chatWords as words } from "../../../words/chat.ts";
import { fill } from "../../../words/fill.ts";
import type { Chat } from "./chats.ts";

interface ConversationListProps {
  agent: string;
  scope: "shared" | "connection" | "request";
  conversations: readonly ShownConversation[];
  chat: Chat;
  onNew(): void;
}

const kept = { shared: words.keptForAll, connection: words.keptByAgent, request: words.keptNot } as const;

export function ConversationList({ agent, scope, conversations, chat, onNew }: ConversationListProps) {
  const current = chat.sessionId.value;
  return (
    <section class="chat-list-pane" aria-label={words.conversations}>
      {scope === "connection" && (
        <Button icon="plus" onPress={onNew}>
          {words.newConversation}
        </Button>
      )}
      <ul>
        {conversations
          .filter(({ session_id }) => session_id !== null)
          .map(({ session_id, title, last_at, answering }) => (
            <li key={session_id}>
              <a
                class="chat-conversation"
                href={link(["agents", agent], { session: session_id ?? undefined })}
                {...(session_id === current && { "aria-current": "true" as const })}
              >
                <span class="cut">{title === "" ? words.untitled : title}</span>
                <span class={answering ? "note accent" : "note second"}>
                  {answering ? words.answering : <Age at={last_at} />}
                </span>
              </a>
            </li>
          ))}
      </ul>
      <p class="note third">{fill<string>(kept[scope], { agent })}</p>
      {(current !== undefined || scope === "shared") && chat.turns.value.length > 0 && (
        <Forget chat={chat} isShared={scope === "shared"} onForgotten={onNew} />
      )}
    </section>
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
