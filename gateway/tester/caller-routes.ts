// What belongs to a caller, over all servers that it tries, and below one server for that one alone: what they said, what they ask,
// and the roots they are shown.
import * as z from "zod";
import { ringBounds } from "./entries.ts";
import { TesterProblem } from "./problem.ts";
import { reads, takes, type Asked, type Route } from "./route.ts";
import type { Session } from "./session.ts";

/** `key` is of the server that the path names. */
interface AskedOfSome extends Asked {
  key?: string;
}

const maxRoots = 32;
const answer = z.object({ action: z.enum(["accept", "decline", "cancel"]), content: z.unknown().optional() });
const root = z.object({
  uri: z
    .string()
    .max(2_048)
    .regex(/^file:\/\//, { error: "must start with file://" }),
  name: z.string().max(256).optional(),
});
const roots = z.object({ roots: z.array(root).max(maxRoots) });

function sessionsOf({ sessions, caller, key }: AskedOfSome): readonly Session[] {
  if (key === undefined) return sessions.of(caller.subject);
  const session = sessions.find(caller.subject, key);
  return session === undefined ? [] : [session];
}

const entriesOf = (kind: "notifications" | "progress") => (asked: AskedOfSome) => ({
  entries: sessionsOf(asked)
    .flatMap((session) => session[kind].list())
    .toSorted((a, b) => b.id - a.id)
    .slice(0, ringBounds.maxEntries),
});

/** An id of somebody else's question reads like one that does not exist. */
function respond(asked: AskedOfSome, body: z.output<typeof answer>): object {
  const id = asked.path("question");
  for (const { questions } of sessionsOf(asked)) if (questions.answer(id, body)) return { ok: true };
  throw new TesterProblem(404, "no question of this id waits for you; it may have been answered, or have expired");
}

export const callerRoutes: readonly Route<AskedOfSome>[] = [
  reads(
    { method: "GET", path: "/api/roots", role: "viewer", summary: "The roots that servers are shown" },
    (asked) => ({
      roots: asked.sessions.rootsOf(asked.caller.subject),
    }),
  ),
  takes(
    { method: "PUT", path: "/api/roots", role: "caller", summary: "Shows all your servers other roots" },
    roots,
    (asked, body) => {
      asked.sessions.setRoots(asked.caller.subject, body.roots);
      return body;
    },
  ),
  reads(
    { method: "GET", path: "/api/logs/notifications", role: "viewer", summary: "What servers said, the newest first" },
    entriesOf("notifications"),
  ),
  reads(
    { method: "GET", path: "/api/logs/progress", role: "viewer", summary: "Progress of calls, the newest first" },
    entriesOf("progress"),
  ),
  reads(
    { method: "GET", path: "/api/elicitations", role: "viewer", summary: "What servers ask and nobody answered yet" },
    (asked) => ({ entries: sessionsOf(asked).flatMap(({ questions }) => questions.list()) }),
  ),
  takes(
    {
      method: "POST",
      path: "/api/elicitations/:question/respond",
      role: "caller",
      summary: "Answers what a server asks, by hand",
    },
    answer,
    respond,
  ),
];
