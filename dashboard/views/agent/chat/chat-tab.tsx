// The chat with an agent: conversations, the thread with its composer, and facts beside it. Which conversation is open stands in the address; one that has
// not begun has no name there, and gets it when the agent has named it.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { JSX } from "preact";
import type { AgentInfo } from "../../../data/agent-info.ts";
import { conversationsResource, conversationsUri, type ShownConversation } from "../../../data/conversations.ts";
import { usePage, useResource } from "../../../page.ts";
import { Button } from "../../../parts/button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { link } from "../../../route/route.ts";
import { chatWords as words } from "../../../words/chat.ts";
import { narrow, useMedia } from "../../../parts/use-media.ts";
import { Composer } from "./composer.tsx";
import { ConversationList } from "./conversation-list.tsx";
import { FactsPane } from "./facts-pane.tsx";
import { Thread } from "./thread.tsx";

const withoutFacts = "(max-width: 1200px)";

export function ChatTab({ facts }: { facts: AgentInfo }): JSX.Element {
  const { router, chats } = usePage();
  const { id: agent, scope = "connection" } = facts;
  const session = router.route.value.query.get("session");
  const conversations = useResource(conversationsUri(agent), conversationsResource).value.data;
  const [begun, setBegun] = useState(0);
  const isNamed = scope === "connection";
  const chat = useMemo(
    () => chats.open(agent, isNamed ? session : undefined, scope),
    [chats, agent, session, isNamed, scope, begun],
  );
  useEffect(() => chat.show(), [chat]);
  useEffect(() => {
    if (conversations !== undefined) chats.learn(agent, conversations.conversations);
  }, [chats, agent, conversations, chat, chat.isAnswering.value]);
  const named = chat.sessionId.value;
  useEffect(() => {
    // Its name goes into the address when the agent has told it: the link then means this conversation.
    if (named !== undefined && session === undefined) router.setQuery({ session: named });
  }, [named, session, router]);
  const listed = findListed(conversations?.conversations ?? [], named, scope === "shared");
  const isAnsweringElsewhere = listed?.answering === true && !chat.isAnswering.value;
  const startAnew = () => {
    if (isNamed) chats.startAnew(agent);
    setBegun((count) => count + 1);
    router.go(link(["agents", agent]));
  };
  const list = (
    <ConversationList
      agent={agent}
      scope={scope}
      conversations={conversations?.conversations ?? []}
      message={conversations?.message}
      chat={chat}
      onNew={startAnew}
    />
  );
  return (
    <div
      class="chat"
      onKeyDown={(event) => {
        if (!(event.ctrlKey || event.metaKey) || event.key !== ".") return;
        event.preventDefault();
        chat.stop();
      }}
    >
      <Aside word={words.conversations} media={narrow}>
        {list}
      </Aside>
      <div class="chat-middle">
        <Thread chat={chat} isAnsweringElsewhere={isAnsweringElsewhere} />
        <Composer chat={chat} />
      </div>
      <Aside word={words.facts} media={withoutFacts}>
        <FactsPane facts={facts} chat={chat} />
      </Aside>
    </div>
  );
}

const findListed = (list: readonly ShownConversation[], named: string | undefined, isShared: boolean) =>
  list.find(({ session_id }) => (isShared ? session_id === null : session_id === named));

/** A column where there is room for it, else a sheet behind a button. */
function Aside({ word, media, children }: { word: string; media: string; children: JSX.Element }) {
  const isSheet = useMedia(media);
  const [isOpen, setOpen] = useState(false);
  if (!isSheet) return children;
  return (
    <div class="chat-sheet-button">
      <Button small onPress={() => setOpen(true)}>
        {word}
      </Button>
      {isOpen && (
        <Dialog look="sheet" title={word} onClose={() => setOpen(false)}>
          {children}
        </Dialog>
      )}
    </div>
  );
}
