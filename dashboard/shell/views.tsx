// Which view belongs to which address. The list of agents comes with the page; the others are loaded when they are first opened, so that
// the first load stays small; approvals at the latest soon after the page is there, since a call that waits is not to wait for them.
import type { ComponentType } from "preact";
import { LatePart } from "../parts/late-part.tsx";
import type { IconName } from "../parts/icon.tsx";
import { AgentsView } from "../views/agents/agents-view.tsx";
import { shellWords as words } from "../words/shell.ts";
import type { Route } from "../route/route.ts";

type View = ComponentType;
type Loader = () => Promise<View>;

const late = {
  agent: async () => (await import("../views/agent/agent-view.tsx")).AgentView,
  approvals: async () => (await import("../views/approvals/approvals-view.tsx")).ApprovalsView,
  create: async () => (await import("../views/create/create-view.tsx")).CreateView,
  servers: async () => (await import("../views/servers/servers-view.tsx")).ServersView,
  discover: async () => (await import("../views/discover/discover-view.tsx")).DiscoverView,
  tester: async () => (await import("../views/tester/tester-view.tsx")).TesterView,
  policies: async () => (await import("../views/policies/policies-view.tsx")).PoliciesView,
  calls: async () => (await import("../views/calls/calls-view.tsx")).CallsView,
  directory: async () => (await import("../views/directory/directory-view.tsx")).DirectoryView,
} as const satisfies Record<string, Loader>;
type LateName = keyof typeof late;

const isLate = (name: string): name is LateName => Object.hasOwn(late, name);

/** What was loaded stays. */
const loaded = new Map<LateName, View>();

async function load(name: LateName): Promise<View> {
  const found = await late[name]();
  loaded.set(name, found);
  return found;
}

/** Loads what somebody may need in a hurry. What fails is tried again, and told, when it is opened. */
export const loadAhead = (): void => void load("approvals").catch(() => undefined);

const LateView = ({ name }: { name: LateName }) => (
  <LatePart load={() => load(name)} known={loaded.get(name)}>
    {(View) => <View />}
  </LatePart>
);

export function CurrentView({ route: { path } }: { route: Route }) {
  const [first = "agents", second] = path;
  if (first === "agents") {
    if (second === "new") return <LateView key="create" name="create" />;
    return second === undefined ? <AgentsView /> : <LateView key={second} name="agent" />;
  }
  if (isLate(first) && first !== "create" && first !== "agent") return <LateView key={first} name={first} />;
  return (
    <div class="empty">
      <h1 tabIndex={-1}>{words.noView}</h1>
    </div>
  );
}

export const viewNames = [
  "agents",
  "approvals",
  "servers",
  "discover",
  "tester",
  "policies",
  "calls",
  "directory",
] as const;
export type ViewName = (typeof viewNames)[number];

/** Groups of the navigation, always in this order. */
export const viewGroups: readonly (readonly ViewName[])[] = [
  ["agents", "approvals"],
  ["servers", "discover", "tester"],
  ["policies", "calls", "directory"],
];

export const viewIcons = {
  agents: "agents",
  approvals: "approvals",
  servers: "servers",
  discover: "search",
  tester: "tester",
  policies: "policies",
  calls: "calls",
  directory: "directory",
} as const satisfies Record<ViewName, IconName>;
