// The tools of a server that an agent is offered, each with what it says of itself and what becomes of calls of it.
import type { JSX } from "preact";
import { matchesToolPattern } from "../../../../crds/tool-pattern.ts";
import type { ShownMount } from "../../../data/agent-parts.ts";
import type { AgentPolicy } from "../../../data/policies.ts";
import { serverPath, serverToolsSchema, type ServerTool } from "../../../data/servers.ts";
import { usePage } from "../../../page.ts";
import { Chip } from "../../../parts/mark.tsx";
import { Table, type Column } from "../../../parts/table.tsx";
import { useAnswer } from "../../../parts/use-answer.ts";
import { phone, useMedia } from "../../../parts/use-media.ts";
import { LoadingRows, ProblemBox } from "../../../parts/view-states.tsx";
import { link } from "../../../route/route.ts";
import { fill, plural } from "../../../words/fill.ts";
import { tabWords as words } from "../../../words/tabs.ts";
import { hintOf } from "../../servers/tool-hint.ts";
import { Outlook } from "./outlook.tsx";

const rowHeights = { phone: 72, plain: 44 } as const;
const keyOf = ({ name }: ServerTool): string => name;

/** As the agent does: what is denied is not offered, even where it is allowed too. */
function isOffered({ tools }: ShownMount, tool: string): boolean {
  const fits = (pattern: string) => matchesToolPattern(tool, pattern);
  return (tools?.allow?.some(fits) ?? true) && !(tools?.deny?.some(fits) ?? false);
}

interface MountToolsProps {
  agent: string;
  mount: ShownMount;
  policy: AgentPolicy | undefined;
}

export function MountTools({ agent, mount, policy }: MountToolsProps): JSX.Element {
  const { rest } = usePage();
  const { server, state } = mount;
  const { data, problem, again } = useAnswer(`${server} ${state}`, (signal) =>
    rest({ path: serverPath(server), schema: serverToolsSchema, signal }),
  );
  if (data === undefined && problem?.kind === "gone") return <p class="agent-mount-detail second">{words.notListed}</p>;
  if (data === undefined) {
    if (problem === undefined) return <LoadingRows rows={3} />;
    return <ProblemBox what={fill(words.toolsOf, { server })} problem={problem} again={again} />;
  }
  if (data.tools.length === 0) return <p class="agent-mount-detail second">{words.noTools}</p>;
  const offered = data.tools.filter(({ name }) => isOffered(mount, name));
  const left = data.tools.length - offered.length;
  return (
    <div class="agent-mount-tools">
      <OfferedTools agent={agent} server={server} tools={offered} policy={policy} />
      {left > 0 && <p class="agent-mount-detail note second">{plural(words.notOffered, left)}</p>}
    </div>
  );
}

interface OfferedToolsProps {
  agent: string;
  server: string;
  tools: readonly ServerTool[];
  policy: AgentPolicy | undefined;
}

function OfferedTools({ agent, server, tools, policy }: OfferedToolsProps): JSX.Element {
  const isPhone = useMedia(phone);
  const columns: Column<ServerTool>[] = [
    {
      key: "tool",
      title: words.tool,
      render: ({ name, description }) => (
        <span class="agent-tool">
          <a class="whole-row mono cut" href={link(["tester", server, "tools", name])}>
            {name}
          </a>
          <span class="note second cut" title={description}>
            {description}
          </span>
        </span>
      ),
    },
    { key: "says", title: words.says, render: (tool) => <Says tool={tool} /> },
    {
      key: "judged",
      title: words.judged,
      render: ({ name, annotations }) => {
        const hints = { readOnly: annotations?.readOnlyHint, destructive: annotations?.destructiveHint };
        return <Outlook policy={policy} tool={{ server, tool: name, hints }} />;
      },
    },
  ];
  const rowHeight = isPhone ? rowHeights.phone : rowHeights.plain;
  return (
    <Table
      label={fill(words.toolsTable, { server, agent })}
      kind="agent-tools"
      rows={tools}
      {...{ keyOf, columns, rowHeight }}
    />
  );
}

function Says({ tool }: { tool: ServerTool }): JSX.Element {
  const hint = hintOf(tool, false);
  if (hint === "none" || hint === "changed") return <span class="note third">{words.hints.none}</span>;
  return <Chip look={hint === "reads" ? "neutral" : "warn"}>{words.hints[hint]}</Chip>;
}
