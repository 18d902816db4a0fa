// What views work with, handed down as one context: the connection, resources, REST, who is signed in, the route, time, what is said to
// screen readers, and the person's settings. A view imports this and no module holds any of it.
import { createContext, h, type ComponentChildren, type JSX } from "preact";
import { useContext, useEffect, useMemo } from "preact/hooks";
import type { ReadonlySignal } from "@preact/signals";
import type { Connection } from "./connect/connection.ts";
import type { GatewayFetch } from "./connect/fetch.ts";
import type { Loaded, ResourceKind, Resources } from "./connect/resources.ts";
import type { Rest } from "./connect/rest.ts";
import type { Router } from "./route/route.ts";
import type { Caller } from "./session/caller.ts";
import type { PageConfig } from "./session/config.ts";
import type { Session } from "./session/session.ts";
import type { IssuerSignIn } from "./sign-in/issuer-sign-in.ts";
import type { Announcer } from "./shell/announcer.ts";
import type { Settings } from "./shell/settings.ts";
import type { PageTime } from "./time.ts";
import type { Chats } from "./views/agent/chat/chats.ts";
import type { VerdictDesk } from "./views/approvals/verdict-desk.ts";

export interface Page {
  readonly config: PageConfig;
  readonly origin: string;
  readonly session: Session;
  /** Where people can sign in beside bringing a token; undefined where none is configured. */
  readonly issuer: IssuerSignIn | undefined;
  /** Undefined until the gateway has said it. */
  readonly caller: ReadonlySignal<Caller | undefined>;
  /** How often somebody took another person's place without a sign-out in between. */
  readonly people: ReadonlySignal<number>;
  readonly connection: Connection;
  readonly resources: Resources;
  readonly rest: Rest;
  readonly fetch: GatewayFetch;
  readonly router: Router;
  readonly time: PageTime;
  readonly announcer: Announcer;
  readonly settings: Settings;
  /** Conversations with agents: answers go on while other views are looked at. */
  readonly chats: Chats;
  /** Verdicts that are being made: they outlive the view that they were pressed in. */
  readonly verdicts: VerdictDesk;
}

/** What cards and the parts in them work with: they stand in a host of MCP Apps as well, which has nothing else of a page. */
export type CardPage = Pick<
  Page,
  "config" | "caller" | "connection" | "resources" | "router" | "time" | "announcer" | "settings" | "verdicts"
>;

const PageContext = createContext<Page | undefined>(undefined);
const CardContext = createContext<CardPage | undefined>(undefined);
export const CardPageProvider = CardContext.Provider;

export function PageProvider({ value, children }: { value: Page; children: ComponentChildren }): JSX.Element {
  return h(PageContext.Provider, { value, children: h(CardContext.Provider, { value, children }) });
}

/** Throws outside of the page. */
export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error("expected to be inside of PageProvider, found no page");
  return page;
}

/** Throws outside of the page and of what takes its place. */
export function useCardPage(): CardPage {
  const page = useContext(CardContext);
  if (page === undefined) throw new Error("expected to be inside of CardPageProvider, found no page");
  return page;
}

/** A resource for as long as the component is there; subscribed to meanwhile. */
export function useResource<T>(uri: string, kind: ResourceKind<T>): ReadonlySignal<Loaded<T>> {
  const { resources } = useCardPage();
  // Taken hold of while rendering, so that the first paint can show what was kept.
  const used = useMemo(() => resources.use(uri, kind), [resources, uri, kind]);
  useEffect(() => used.release, [used]);
  return used.loaded;
}
