// One agent: who it is and how it stands, and below that its parts as tabs, of which the chat is the first. The others are loaded when they
// are first opened.
import type { ComponentType, JSX } from "preact";
import { agentInfoResource, agentInfoUri, type AgentInfo } from "../../data/agent-info.ts";
import { agentsResource, agentsUri } from "../../data/agents.ts";
import { usePage, useResource } from "../../page.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { LatePart } from "../../parts/late-part.tsx";
import { colourOf, Mark, type MarkState } from "../../parts/mark.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Gone, LoadedView, useGoneAt } from "../../parts/view-states.tsx";
import { ValueText } from "../../parts/value-text.tsx";
import { link } from "../../route/route.ts";
import { agentWords as words } from "../../words/agent.ts";
import { fill } from "../../words/fill.ts";
import { stateOf } from "../agents/agent-rows.ts";
import { ChatTab } from "./chat/chat-tab.tsx";

type TabView = ComponentType<{ name: string }>;

const lateTabs = {
  runs: async (): Promise<TabView> => (await import("./tabs/runs-tab.tsx")).RunsTab,
  tools: async (): Promise<TabView> => (await import("./tabs/tools-tab.tsx")).ToolsTab,
  policy: async (): Promise<TabView> => (await import("./tabs/policy-tab.tsx")).PolicyTab,
  definition: async (): Promise<TabView> => (await import("./tabs/definition-tab.tsx")).DefinitionTab,
} as const;
const tabNames = ["chat", "runs", "tools", "policy", "definition"] as const;

/** Of the agent in the address. */
export function AgentView(): JSX.Element {
  const { router } = usePage();
  const [, name = "", tab] = router.route.value.path;
  const current = tabNames.find((each) => each === tab) ?? "chat";
  const info = useResource(agentInfoUri(name), agentInfoResource);
  const isGone = info.value.problem?.kind === "gone";
  const isShown = info.value.data !== undefined && !isGone;
  const goneAt = useGoneAt(name, isShown);
  const back = { backTo: words.agents, backHref: link(["agents"]) };
  return (
    <>
      {!isShown && (
        <h1 class="agent-name" tabIndex={-1}>
          {name}
        </h1>
      )}
      <LoadedView what={words.what} from={info} gone={<Gone what={words.agent} {...{ name, goneAt, ...back }} />}>
        {(facts) => (
          <>
            <Head facts={facts} />
            <Tabs
              label={fill(words.tabs, { agent: name })}
              tabs={tabNames.map((each) => ({
                href: link(each === "chat" ? ["agents", name] : ["agents", name, each]),
                word: words[each],
                isCurrent: each === current,
              }))}
            />
            {current === "chat" ? (
              <ChatTab facts={facts} />
            ) : (
              <LatePart key={current} load={lateTabs[current]}>
                {(Tab) => <Tab name={name} />}
              </LatePart>
            )}
          </>
        )}
      </LoadedView>
    </>
  );
}

function Head({ facts }: { facts: AgentInfo }) {
  const { origin } = usePage();
  // The list says more of how it stands now than what it is does.
  const listed = useResource(agentsUri, agentsResource).value.data?.find(({ id }) => id === facts.id) ?? facts;
  const state = stateOf(listed);
  const why = state === "ready" ? undefined : (listed.reason ?? listed.message);
  return (
    <>
      <div class="head agent-head">
        <a class="button quiet agent-back" href={link(["agents"])} aria-label={words.back}>
          <Icon name="back" />
        </a>
        <h1 class="agent-name" tabIndex={-1}>
          {facts.id}
        </h1>
        <Mark state={state} />
        <span class="mono second cut agent-model">{facts.model}</span>
        <span class="space" />
        <CopyButton word={words.copyUrl} text={`${origin}/proxy/${facts.id}/mcp`} />
      </div>
      {why !== undefined && <Why state={state} why={why} servers={facts.servers} />}
    </>
  );
}

/** In its own words; and the way to the server that it names first, where that is one of the agent's. */
function Why({ state, why, servers }: { state: MarkState; why: string; servers: readonly string[] }) {
  const server = servers.find((each) => why.startsWith(`${each}: `));
  return (
    <p class="agent-why">
      <span class={colourOf(state)}>
        <ValueText text={why} />
      </span>{" "}
      {server !== undefined && <a href={link(["servers", server])}>{fill(words.lookAt, { server })}</a>}
    </p>
  );
}
