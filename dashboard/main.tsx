// The dashboard's entry: learns what gateway it belongs to, puts together what views work with, and draws the page. Everything below
// gets what it needs from here; two pages in one document would share nothing.
import "./style/tokens.css";
import "./style/base.css";
import "./style/parts.css";
import "./style/shell.css";
import "./style/views.css";
import { render } from "preact";
import { effect } from "@preact/signals";
import { App } from "./app.tsx";
import { createConnection } from "./connect/connection.ts";
import { createGatewayFetch } from "./connect/fetch.ts";
import { createResources } from "./connect/resources.ts";
import { createRest } from "./connect/rest.ts";
import { PageProvider, type Page } from "./page.ts";
import { createRouter } from "./route/route.ts";
import { followCaller } from "./session/follow-caller.ts";
import { configSchema, type PageConfig } from "./session/config.ts";
import { createSession } from "./session/session.ts";
import { createIssuerSignIn } from "./sign-in/issuer-sign-in.ts";
import { createAnnouncer } from "./shell/announcer.ts";
import { createSettings } from "./shell/settings.ts";
import { createPageTime } from "./time.ts";
import { createChats } from "./views/agent/chat/chats.ts";
import { createVerdictDesk } from "./views/approvals/verdict-desk.ts";
import { connectWords } from "./words/connect.ts";

const configTimeoutMs = 10_000;

async function readConfig(): Promise<PageConfig> {
  const response = await fetch("config.json", { signal: AbortSignal.timeout(configTimeoutMs), credentials: "omit" });
  return configSchema.parse(await response.json());
}

function openPage(config: PageConfig): Page {
  const { location, history, sessionStorage } = window;
  const time = createPageTime();
  const session = createSession({ location, history, storage: sessionStorage }, () => config.local);
  const fetchFromGateway = createGatewayFetch(location.origin, session, time);
  const connection = createConnection({
    origin: location.origin,
    fetch: fetchFromGateway,
    version: config.version,
    time,
  });
  const resources = createResources(connection, time);
  const announcer = createAnnouncer(time);
  const verdicts = createVerdictDesk({ connection, time, announcer, me: () => followed.caller.peek()?.name });
  const chats = createChats({ origin: location.origin, fetch: fetchFromGateway, config, time, announcer });
  const followed = followCaller({
    ...{ session, connection, resources },
    forget() {
      verdicts.clear();
      chats.clear();
    },
  });
  // What ends with the page, is not ended without a question.
  window.addEventListener("beforeunload", (event) => {
    if (chats.isBusy()) event.preventDefault();
  });
  const place = {
    location,
    history,
    storage: sessionStorage,
    crypto,
    fetch: fetch.bind(window),
    now: () => time.now(),
  };
  return {
    config,
    origin: location.origin,
    session,
    issuer: config.oidc && createIssuerSignIn(config.oidc, place, session),
    ...followed,
    connection,
    resources,
    rest: createRest(fetchFromGateway),
    fetch: fetchFromGateway,
    router: createRouter(window),
    time,
    announcer,
    settings: createSettings(window.localStorage),
    chats,
    verdicts,
  };
}

function followTheme({ settings }: Page): void {
  effect(() => {
    const theme = settings.theme.value;
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
    document.documentElement.dataset["rows"] = settings.compact.value ? "compact" : "wide";
  });
}

const place = document.getElementById("page");
if (place === null) throw new Error("expected an element with the id page, found none");

try {
  const page = openPage(await readConfig());
  followTheme(page);
  void page.issuer?.finish();
  render(
    <PageProvider value={page}>
      <App />
    </PageProvider>,
    place,
  );
} catch (error) {
  place.textContent = connectWords.unreachable;
  throw error;
}
