// What a server offers: its tools with what they say of themselves, as many as there are, each a link to where it can be tried.
import { useMemo, useState } from "preact/hooks";
import type { JSX } from "preact";
import { serverPath, serverToolsSchema, type ServerTool, type ShownServer } from "../../data/servers.ts";
import { usePage } from "../../page.ts";
import { FilterField } from "../../parts/field.tsx";
import { Chip } from "../../parts/mark.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { useAnswer } from "../../parts/use-answer.ts";
import { LoadingRows, ProblemBox } from "../../parts/view-states.tsx";
import { link } from "../../route/route.ts";
import { fill } from "../../words/fill.ts";
import { serverWords as words } from "../../words/servers.ts";
import { hintOf } from "./tool-hint.ts";

const rowHeight = 44;
const filterFrom = 10;
const keyOf = ({ name }: ServerTool): string => name;

export function ServerTools({ server }: { server: ShownServer }): JSX.Element {
  const { rest } = usePage();
  const { name, tool_count: count, state, changed_tools: changed } = server;
  const key = [name, count, state, ...changed].join("\n");
  const { data, problem, again } = useAnswer(key, (signal) =>
    rest({ path: serverPath(name), schema: serverToolsSchema, signal }),
  );
  return (
    <section class="section servers-tools">
      <h2>{fill(words.toolsHeading, { n: data?.tools.length ?? count })}</h2>
      {problem !== undefined && <ProblemBox what={words.toolsWhat} problem={problem} again={again} />}
      {data === undefined ? (
        problem === undefined && <LoadingRows rows={3} />
      ) : (
        <ToolList server={server} tools={data.tools} />
      )}
    </section>
  );
}

function ToolList({ server, tools }: { server: ShownServer; tools: readonly ServerTool[] }): JSX.Element {
  const [query, setQuery] = useState("");
  const { name, state, changed_tools: changed } = server;
  const rows = useMemo(() => {
    const text = query.trim().toLowerCase();
    return tools.filter((tool) => `${tool.name}\n${tool.description}`.toLowerCase().includes(text));
  }, [tools, query]);
  if (tools.length === 0) return <p class="second">{state === "ready" ? words.noTools : words.noToolsOff}</p>;
  const columns: Column<ServerTool>[] = [
    {
      key: "tool",
      title: words.tool,
      render: (tool) => (
        <span class="servers-tool">
          <a class="whole-row mono cut" href={link(["tester", name, "tools", tool.name])}>
            {tool.name}
          </a>
          <span class="note second cut" title={tool.description}>
            {tool.description}
          </span>
        </span>
      ),
    },
    { key: "hint", title: words.says, render: (tool) => <Hint tool={tool} isChanged={changed.includes(tool.name)} /> },
  ];
  return (
    <>
      {tools.length >= filterFrom && <FilterField label={words.filterTools} value={query} onInput={setQuery} />}
      <Table
        label={fill(words.toolsTable, { name })}
        kind="servers-tools"
        {...{ rows, keyOf, columns, rowHeight }}
        asked={query}
        empty={<p class="pad second">{fill(words.noToolMatches, { query: query.slice(0, 80) })}</p>}
      />
      <p class="note third">{words.hintsNote}</p>
    </>
  );
}

function Hint({ tool, isChanged }: { tool: ServerTool; isChanged: boolean }): JSX.Element {
  const hint = hintOf(tool, isChanged);
  if (hint === "none") return <span class="note third">{words.hints.none}</span>;
  return <Chip look={hint === "reads" ? "neutral" : "warn"}>{words.hints[hint]}</Chip>;
}
