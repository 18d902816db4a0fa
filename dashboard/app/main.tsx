// The approvals as an MCP App (UI-2): greets the host that shows this page, puts together what the dashboard's cards work with from what the
// host calls for it, and tells the host how tall it is. It has no network of its own.
import "../style/tokens.css";
import "../style/base.css";
import "../style/parts.css";
import "../style/schema-form.css";
import "../style/approvals.css";
import "../style/app.css";
import { render } from "preact";
import { signal } from "@preact/signals";
import { toProblem } from "../connect/problem.ts";
import { createResources } from "../connect/resources.ts";
import { CardPageProvider, type CardPage } from "../page.ts";
import type { Caller } from "../session/caller.ts";
import { createAnnouncer } from "../shell/announcer.ts";
import { createSettings } from "../shell/settings.ts";
import { createPageTime, type PageTime } from "../time.ts";
import { createVerdictDesk } from "../views/approvals/verdict-desk.ts";
import { appWords as words } from "../words/app.ts";
import { fill } from "../words/fill.ts";
import { ApprovalsApp } from "./approvals-app.tsx";
import { createHostConnection, type HostConnection } from "./host-connection.ts";
import { applyHostContext, hostContextSchema, initializedSchema } from "./host-context.ts";
import { openHostLink, type HostLink } from "./host-link.ts";
import { createMemoryRouter } from "./memory-router.ts";

const revision = "2026-01-26";
const greetTimeoutMs = 20_000;

/** Settings of a page that keeps nothing: its place in a host may have no storage. */
const noStorage = { getItem: () => null, setItem: () => undefined };
/** What a host knows of the gateway, it does not say; the cards ask for none of it. */
const noConfig = { version: "", instance: "", namespace: "", build: "", local: false };

/** What the host says before it is greeted is not for us. */
interface Heard {
  connection: HostConnection | undefined;
  page: CardPage | undefined;
}

function hearHost(heard: Heard, method: string, params: unknown): void {
  if (method === "ui/notifications/tool-result") heard.connection?.take(params);
  if (method === "ui/notifications/host-context-changed") {
    const context = hostContextSchema.safeParse(params);
    if (context.success) applyHostContext(context.data, document.documentElement);
  }
}

async function greetHost(link: HostLink) {
  const answer = await link.ask(
    "ui/initialize",
    {
      protocolVersion: revision,
      appInfo: { name: "pallas-approvals", title: "Pallas approvals", version: "1.0.0" },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    },
    greetTimeoutMs,
  );
  const { hostInfo, hostCapabilities, hostContext } = initializedSchema.parse(answer);
  if (hostContext !== undefined) applyHostContext(hostContext, document.documentElement);
  return { name: hostInfo?.name ?? "", callsTools: hostCapabilities.serverTools !== undefined };
}

function openCards(link: HostLink, callsTools: boolean, time: PageTime): CardPage & { connection: HostConnection } {
  const caller = signal<Caller | undefined>(undefined);
  const connection = createHostConnection({
    ...{ link, callsTools, time },
    isVisible: () => document.visibilityState === "visible",
    onCaller: (told) => (caller.value = told),
  });
  const announcer = createAnnouncer(time);
  return {
    ...{ caller, connection, announcer, time },
    config: noConfig,
    resources: createResources(connection, time),
    router: createMemoryRouter(),
    settings: createSettings(noStorage),
    verdicts: createVerdictDesk({ connection, time, announcer, me: () => caller.peek()?.name }),
  };
}

/** Each time that it is another one. */
function tellSize(link: HostLink): void {
  let told = "";
  new ResizeObserver(() => {
    const { width, height } = document.documentElement.getBoundingClientRect();
    const size = { width: Math.ceil(width), height: Math.ceil(height) };
    if (told === JSON.stringify(size)) return;
    told = JSON.stringify(size);
    link.tell("ui/notifications/size-changed", size);
  }).observe(document.documentElement);
}

async function start(place: HTMLElement): Promise<void> {
  const time = createPageTime();
  const heard: Heard = { connection: undefined, page: undefined };
  const link = openHostLink({
    ...{ own: window, host: window.parent, time },
    onTold: (method, params) => hearHost(heard, method, params),
    onAsked(method) {
      if (method === "ui/resource-teardown") heard.page?.verdicts.clear();
      return ["ping", "ui/resource-teardown"].includes(method) ? {} : undefined;
    },
  });
  const { name, callsTools } = await greetHost(link);
  const page = openCards(link, callsTools, time);
  heard.page = page;
  heard.connection = page.connection;
  // Only from here on, hosts take what the page asks for.
  link.tell("ui/notifications/initialized", {});
  page.connection.open();
  document.addEventListener("visibilitychange", () => page.connection.refresh());
  const cannotDecide = callsTools ? undefined : fill(words.cannotDecide, { host: name === "" ? words.thisHost : name });
  render(
    <CardPageProvider value={page}>
      <ApprovalsApp cannotDecide={cannotDecide} onRefresh={page.connection.refresh} />
    </CardPageProvider>,
    place,
  );
  tellSize(link);
}

const place = document.getElementById("page");
if (place === null) throw new Error("expected an element with the id page, found none");
if (window.parent === window) {
  place.textContent = words.noHost;
} else {
  start(place).catch((error: unknown) => {
    place.textContent = fill(words.notStarted, { reason: toProblem(error).message });
  });
}
