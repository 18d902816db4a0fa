// Everything that "Go to" can go to, from what the gateway's resources list and the views that there are. Names of tools are asked for once
// something is typed.
import { useMemo } from "preact/hooks";
import { agentsResource, agentsUri } from "../data/agents.ts";
import type { ShownApproval } from "../data/approvals.ts";
import { serversResource, serversUri } from "../data/servers.ts";
import { usePage, useResource } from "../page.ts";
import { link } from "../route/route.ts";
import { useToolNames } from "../views/servers/tool-names.ts";
import { fill } from "../words/fill.ts";
import { goToWords as words } from "../words/goto.ts";
import { shellWords } from "../words/shell.ts";
import { tellLeft } from "../words/times.ts";
import type { Place } from "./find-places.ts";
import { viewNames } from "./views.tsx";
import { usePending } from "./waiting.ts";

export function usePlaces(isTyped: boolean): readonly Place[] {
  const now = usePage().time.fine.value;
  const pending = usePending().value.data;
  const agents = useResource(agentsUri, agentsResource).value.data;
  const servers = useResource(serversUri, serversResource).value.data;
  const tools = useToolNames(isTyped && servers !== undefined, servers ?? []);
  return useMemo(
    () => [
      ...(pending ?? []).map((call) => placeOfCall(call, now)),
      ...viewNames.map((name) => place("view", shellWords[name], "", [name])),
      ...(agents ?? []).map(({ id, description }) => place("agent", id, description, ["agents", id])),
      ...(servers ?? []).map(({ name, description }) => place("server", name, description, ["servers", name])),
      ...[...(tools ?? [])].flatMap(([server, names]) =>
        names.map((tool) =>
          place("tool", fill(words.callName, { server, tool }), "", ["tester", server, "tools", tool]),
        ),
      ),
    ],
    [pending, agents, servers, tools, now],
  );
}

const place = (kind: Place["kind"], name: string, about: string, path: readonly string[]): Place => ({
  kind,
  key: `${kind} ${path.join("/")}`,
  name,
  about,
  href: link(path),
});

function placeOfCall({ call_id: id, agent_id: agent, server, tool, expires_at: until }: ShownApproval, now: number) {
  const left = tellLeft(Date.parse(until), now);
  const about = agent === null ? fill(words.callAboutGateway, { left }) : fill(words.callAbout, { agent, left });
  return place("call", fill(words.callName, { server, tool }), about, ["approvals", id]);
}
