// Serves one table on `/mcp` in both eras of MCP (AGT-6): its sessions, its subscriptions, its end.
// Host and Origin checks, authentication and metrics belong to whoever mounts the app.
import type { Hono } from "hono";
import { systemClock, type Clock } from "../process/clock.ts";
import { createMemoryBudget, deriveBudgetBytes, type MemoryBudget } from "../process/memory-budget.ts";
import { createDispatcher } from "./dispatch.ts";
import type { McpExtension } from "./extension.ts";
import { type KeptSubscriptions, keepSubscriptionsInMemory } from "./kept-subscriptions.ts";
import type { Leg } from "./serve-2025.ts";
import type { StreamLeg } from "./serve-2026.ts";
import { serveEras, type EraOptions, type EraVariables } from "./serve-eras.ts";
import type { SessionLimits } from "./sessions.ts";
import { createSubscriptionHub } from "./subscription-hub.ts";
import type { McpTable } from "./table.ts";

export interface ServeOptions extends Omit<EraOptions, "bodyBudget"> {
  /** Default: one of this endpoint's own, by the memory of the process. */
  bodyBudget?: MemoryBudget;
  /** Of the 2025 era. */
  sessions: SessionLimits;
  /**
   * For tables whose calls need no session: whether an initialize opens one now. It is asked each time, and sessions that
   * are open stay. Whoever names none is then served all the same, and so is, while none are opened, whoever names one that
   * is not known here: each POST stands alone, and dropping it cancels. Default: every call needs a session.
   */
  opensSessions?: () => Promise<boolean>;
  /**
   * Whether a session that is not open here is taken up again without a new initialize: one that idled out, made room, or
   * was opened by a process before this one (AGT-5). Default: none is. When it rejects, the request gets 503.
   */
  isResumable?: (id: string) => Promise<boolean>;
  /** Called when an initialize has opened a session, before its client knows the id. It must not throw. */
  onSessionOpen?: (id: string) => void;
  /** Called when a client has ended its session with DELETE, which is answered after it; 500 when it rejects. */
  onSessionDelete?: (id: string) => Promise<void>;
  /**
   * Where subscriptions of sessions are kept for when they are resumed. Default: in memory, so that they outlive what
   * `sessions` ends, and not the process.
   */
  keptSubscriptions?: KeptSubscriptions;
  extension?: McpExtension;
  clock?: Clock;
}

/** What a middleware before the endpoint may say of a request. */
export type McpVariables = EraVariables;

export interface McpEndpoint {
  /** Mount at "/"; it serves /mcp. */
  app: Hono<McpVariables>;
  /** Ends all sessions and streams and aborts running calls; requests after it get 503. */
  close(): Promise<void>;
  /** Open sessions of the 2025 era. */
  sessionCount(): number;
}

/** Serves `table`. Throws when a name is used twice in it. */
export function serveMcp(table: McpTable, options: ServeOptions): McpEndpoint {
  const { log, sessions, clock = systemClock, bodyBudget = createMemoryBudget(deriveBudgetBytes()) } = options;
  const { isResumable = async () => false, onSessionDelete = async () => undefined, onSessionOpen } = options;
  const dispatcher = createDispatcher(table, log);
  const parts = { table, dispatcher, log, extension: options.extension };
  const { opensSessions } = options;
  const hub = createSubscriptionHub(table, clock);
  const keptSubscriptions =
    options.isResumable && hub ? (options.keptSubscriptions ?? keepSubscriptionsInMemory()) : undefined;
  const resumption = { isResumable, onSessionOpen, onSessionDelete, keptSubscriptions };
  // Each era's SDK takes some 10 MB, so that neither is loaded before somebody speaks it.
  let [leg2025, leg2026]: [Promise<Leg>?, Promise<StreamLeg>?] = [];
  let sessionCount = () => 0;
  const load2025 = async () => {
    const { createSessionLeg } = await import("./serve-2025.ts");
    const leg = createSessionLeg(parts, { limits: sessions, clock, opensSessions, hub, ...resumption });
    ({ sessionCount } = leg);
    return leg;
  };
  const isAlone = opensSessions ?? (async () => true);
  const load2026 = async () => (await import("./serve-2026.ts")).createStreamLeg({ ...parts, clock, isAlone, hub });
  let closed = false;
  const app = serveEras(
    {
      load2025: () => (leg2025 ??= load2025()),
      load2026: () => (leg2026 ??= load2026()),
      isClosed: () => closed,
    },
    { ...options, bodyBudget },
  );
  return {
    app,
    async close() {
      closed = true;
      hub?.close();
      await Promise.all([leg2025, leg2026].map(async (leg) => (await leg)?.close()));
    },
    sessionCount: () => sessionCount(),
  };
}
