// Every route of the tester with every role.
import { describe, expect, it, test } from "vitest";
import { roles, type Role } from "../../lib/auth/roles.ts";
import { callerRoutes } from "./caller-routes.ts";
import { callRoute, serverRoutes } from "./server-routes.ts";
import { addressOf, serveTester } from "./testing/served-tester.ts";
import { startTried } from "./testing/tried-servers.ts";
import { transientRoutes } from "./transient-routes.ts";

/** Who may do the least, by what is asked. */
const least: Record<string, Role> = {
  "GET info": "viewer",
  "GET tools": "viewer",
  "GET resources": "viewer",
  "GET resource-templates": "viewer",
  "GET prompts": "viewer",
  "GET export": "viewer",
  "POST call": "caller",
  "POST resource/read": "caller",
  "POST resource/subscribe": "caller",
  "POST resource/unsubscribe": "caller",
  "POST prompt/get": "caller",
  "POST ping": "caller",
  "POST logging-level": "caller",
  "GET roots": "viewer",
  "PUT roots": "caller",
  "GET logs/notifications": "viewer",
  "GET logs/progress": "viewer",
  "GET elicitations": "viewer",
  "POST elicitations/:question/respond": "caller",
  "POST transient": "caller",
  "DELETE transient/:handle": "caller",
};
const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path.replace(/^\/api\//, "")}`;

test("DSC-9 every route has its role in this table, and the table has no other", () => {
  const names = [...serverRoutes, callRoute, ...callerRoutes, ...transientRoutes].map(nameOf);
  expect([...new Set(names)].toSorted()).toEqual(Object.keys(least).toSorted());
});

const isEnough = (role: Role | "none" | "agent", needed: Role) =>
  role !== "none" && role !== "agent" && roles.indexOf(role) >= roles.indexOf(needed);

describe("DSC-9 a route of the tester", () => {
  const bodies: Record<string, object> = {
    call: { tool: "echo" },
    "resource/read": { uri: "test://1" },
    "resource/subscribe": { uri: "test://1" },
    "resource/unsubscribe": { uri: "test://1" },
    "prompt/get": { name: "greet", arguments: { name: "Ann" } },
    "logging-level": { level: "info" },
    "elicitations/:question/respond": { action: "cancel" },
  };

  it.each(["none", "agent", ...roles] as const)("lets %s do what the role may, and nothing more", async (role) => {
    const server = await startTried("2025");
    const { ask } = await serveTester({ tried: addressOf(server.url) });
    const asRole = role === "none" ? { headers: { "x-role": "" } } : { role };
    const opened = await ask("/api/transient", { body: { url: server.url } });
    const handle = String(opened.body["handle"]);
    const of = (path: string) => path.replace(":question", "none");
    const cases = [
      ...serverRoutes.flatMap((route) =>
        ["/api/servers/tried/", `/api/transient/${handle}/`].map((prefix) => ({
          route,
          path: `${prefix}${route.path}`,
        })),
      ),
      { route: callRoute, path: `/api/transient/${handle}/call` },
      ...[...callerRoutes, ...transientRoutes].map((route) => ({ route, path: route.path })),
    ];
    for (const { route, path } of cases) {
      const needed = least[nameOf(route)] ?? "admin";
      const body = {
        roots: { roots: [] },
        "/api/roots": { roots: [] },
        "/api/transient": { url: server.url },
        ...bodies,
      }[route.path.replace("/api/elicitations", "elicitations")];
      const isBodied = route.method === "POST" || route.method === "PUT";
      const { status } = await ask(of(path), {
        method: route.method,
        ...(isBodied && { body: body ?? {} }),
        ...asRole,
      });
      // The question is nobody's.
      const asAllowed = path.includes(":question") ? 404 : (route.status ?? 200);
      expect([path, status]).toEqual([path, isEnough(role, needed) ? asAllowed : 403]);
    }
  });
});

describe("DSC-9 to a command", () => {
  it.each(roles)("as %s: operators and above may run one, where any are run", async (role) => {
    const { ask } = await serveTester({});
    const { status } = await ask("/api/transient", { body: { command: "npx", args: ["-y", "x"] }, role });
    expect(status).toBe(isEnough(role, "operator") ? 422 : 403);
  });
});
