// One server or agent that an agent uses: whether it is reached, and why not; its tools on asking.
import { useState } from "preact/hooks";
import type { JSX } from "preact";
import type { ShownMount } from "../../../data/agent-parts.ts";
import type { AgentPolicy } from "../../../data/policies.ts";
import { Age } from "../../../parts/age.tsx";
import { Button } from "../../../parts/button.tsx";
import { Mark, type MarkState } from "../../../parts/mark.tsx";
import { ValueText } from "../../../parts/value-text.tsx";
import { link } from "../../../route/route.ts";
import { tabWords as words } from "../../../words/tabs.ts";
import { MountTools } from "./mount-tools.tsx";
import { Outlook } from "./outlook.tsx";

const states = { initializing: "starting", running: "ready", failed: "error" } as const satisfies Record<
  ShownMount["state"],
  MarkState
>;

interface MountCardProps {
  agent: string;
  mount: ShownMount;
  policy: AgentPolicy | undefined;
  /** Shows its tools at once. */
  isFirst: boolean;
}

export function MountCard({ agent, mount, policy, isFirst }: MountCardProps): JSX.Element {
  const { server: name, kind, state, detail, checked_at: checkedAt } = mount;
  const [isOpen, setOpen] = useState(isFirst);
  return (
    <section class="card agent-mount">
      <div class="row wrap agent-mount-head">
        <Mark state={states[state]} word={words.mounts[state]} />
        <h2>
          <a href={link(kind === "server" ? ["servers", name] : ["agents", name])}>{name}</a>
        </h2>
        <span class="note third">{kind === "server" ? words.server : words.agent}</span>
        {checkedAt !== undefined && (
          <span class="note third">
            {words.asked} <Age at={checkedAt} />
          </span>
        )}
        <span class="space" />
        {kind === "server" ? (
          <Button small look="quiet" onPress={() => setOpen(!isOpen)} expanded={isOpen}>
            {isOpen ? words.hideTools : words.showTools}
          </Button>
        ) : (
          <Outlook policy={policy} tool={{ server: name, tool: words.sendMessage, hints: {} }} />
        )}
      </div>
      {detail !== undefined && (
        <p class={state === "failed" ? "agent-mount-detail bad" : "agent-mount-detail second"}>
          <ValueText text={detail} />
        </p>
      )}
      {kind === "server" && isOpen && <MountTools agent={agent} mount={mount} policy={policy} />}
    </section>
  );
}
