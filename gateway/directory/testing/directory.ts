// A directory for tests, without a gateway around it: registrations in memory, time that stands still, callers who say who they are in a
// header, and the instance's own resources as a case sets them.
import { Hono } from "hono";
import type { PallasAgent } from "../../../crds/agent.ts";
import type { PallasRegistration } from "../../../crds/registration.ts";
import type { Identity, Role } from "../../../lib/auth/roles.ts";
import { defined } from "../../../lib/process/defined.ts";
import { createLogger } from "../../../lib/process/log.ts";
import { createMemoryBudget } from "../../../lib/process/memory-budget.ts";
import { ManualClock } from "../../../lib/process/testing/manual-clock.ts";
import type { GatewayRoutes } from "../../name-caller.ts";
import { Catalogue, type OwnResources } from "../catalogue.ts";
import { Directory } from "../directory.ts";
import { createDirectoryRoutes } from "../routes.ts";
import type { RegistrationStore } from "../store.ts";

export interface MemoryStore extends RegistrationStore {
  /** How often something was written. */
  writes(): number;
  set(registrations: readonly PallasRegistration[]): void;
}

export function createMemoryStore(first: readonly PallasRegistration[] = []): MemoryStore {
  let registrations = first;
  let writes = 0;
  const listeners = new Set<() => void>();
  const set = (next: readonly PallasRegistration[]) => {
    registrations = next;
    for (const listener of listeners) listener();
  };
  const without = (name: string) => registrations.filter(({ metadata }) => metadata.name !== name);
  return {
    list: () => registrations,
    async put(registration) {
      // As slow as an API server in that whoever comes meanwhile is under way as well.
      await Promise.resolve();
      writes += 1;
      set([...without(registration.metadata.name), registration]);
    },
    async remove(name) {
      await Promise.resolve();
      writes += 1;
      set(without(name));
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    writes: () => writes,
    set,
  };
}

export const person = (role: Role | undefined, subject = `person ${role ?? "nobody"}`): Identity => ({
  kind: "person",
  subject,
  name: subject,
  groups: [],
  ...defined({ role }),
});

const identities = new Map<string, Identity>([
  ...(["viewer", "caller", "approver", "operator", "admin"] as const).map((role): [string, Identity] => [
    role,
    person(role),
  ]),
  ["other", person("caller", "another caller")],
  // Who registers as caller, once that role is gone.
  ["former", person("viewer", "person caller")],
  ["nobody", person(undefined)],
  ["clerk", { kind: "agent", agent: "clerk", subject: "agent clerk", name: "agent:clerk" }],
]);

export interface TestDirectory {
  directory: Directory;
  store: MemoryStore;
  clock: ManualClock;
  own: { agents: PallasAgent[] };
  logs: Record<string, unknown>[];
  /** @param as one of the identities; default caller */
  ask(method: string, path: string, body?: unknown, as?: string): Promise<Response>;
  /** The answer's JSON; throws where the status is another. */
  json(
    method: string,
    path: string,
    body?: unknown,
    options?: { as?: string; status?: number },
  ): ReturnType<Response["json"]>;
}

export interface TestDirectoryOptions {
  store?: MemoryStore;
  servers?: ReturnType<OwnResources["listServers"]>;
}

export function createTestDirectory({
  store = createMemoryStore(),
  servers = [],
}: TestDirectoryOptions = {}): TestDirectory {
  const clock = new ManualClock();
  const logs: Record<string, unknown>[] = [];
  const log = createLogger({ logger: "test", destination: { write: (line) => void logs.push(JSON.parse(line)) } });
  const own: TestDirectory["own"] = { agents: [] };
  const resources: OwnResources = {
    listAgents: () => own.agents,
    listServers: () => servers,
    getServerAddress: (name) => ({ url: `http://${name}.agents.svc:8080/mcp` }),
  };
  const catalogue = new Catalogue({ store, own: resources, version: "1.0.0", log, clock });
  const directory = new Directory({ catalogue, store, namespace: "agents", instance: "ouranos", clock });
  const app = new Hono<GatewayRoutes>();
  app.use(async (c, next) => {
    const identity = identities.get(c.req.header("x-caller") ?? "");
    if (identity === undefined) return c.text("nobody", 401);
    c.set("caller", identity);
    return await next();
  });
  app.route("/", createDirectoryRoutes({ directory, budget: createMemoryBudget(64 * 1024 * 1024), log }));
  const ask: TestDirectory["ask"] = async (method, path, body, as = "caller") => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const headers = { "x-caller": as, "content-type": "application/json" };
    return await app.request(path, { method, headers, ...(body !== undefined && { body: text }) }, {});
  };
  return {
    ...{ directory, store, clock, own, logs, ask },
    async json(method, path, body, { as, status } = {}) {
      const response = await ask(method, path, body, as);
      const text = await response.text();
      if (status === undefined ? !response.ok : response.status !== status) {
        throw new Error(`expected ${status ?? "success"} of ${method} ${path}, found ${response.status}: ${text}`);
      }
      return JSON.parse(text);
    },
  };
}
