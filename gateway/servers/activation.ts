// Starting and stopping servers in the name of a caller: by writing spec.active and spec.listed, both at once, and then waiting for
// a while until what was started has listed its tools. Whether the caller may is judged before.
import { settledWithin, type Clock } from "../../lib/process/clock.ts";
import { WriteRefused, type GatewayWrites } from "../state/state.ts";
import type { CheckResult, ServerEntry } from "./entry.ts";
import type { ToolServers } from "./tool-servers.ts";

type Writes = Pick<GatewayWrites, "servers">;

export interface ActivationParts {
  servers: Pick<ToolServers, "onChange">;
  clock: Clock;
  /** How long the answer waits for the tools of what was started. */
  startWithinMs?: number;
}

/** Of the check of one server. */
const checkWithinMs = 5_000;
const defaultStartWithinMs = 20_000;

export interface Activation {
  activate(server: ServerEntry, writes: Writes): Promise<"activated" | "already_active">;
  /** For a call of its tools: it is listed for nobody by that. Does nothing where it is active. */
  start(server: ServerEntry, writes: Writes): Promise<void>;
  deactivate(server: ServerEntry, writes: Writes): Promise<"deactivated" | "not_active">;
  /** One that is not active is started for as long as it takes. */
  check(server: ServerEntry, writes: Writes): Promise<CheckResult>;
}

/** The name of the resource that is written. */
export function writable({ name, known }: ServerEntry): string {
  if (known.resource !== undefined) return known.resource.metadata.name;
  const message = `server "${name}" stands in the instance's spec.servers: change it there, or make it a PallasServer`;
  throw new WriteRefused(message, { kind: "taken" });
}

export function createActivation(parts: ActivationParts): Activation {
  const { servers, clock, startWithinMs = defaultStartWithinMs } = parts;
  const until = async (server: ServerEntry, isDone: () => boolean, withinMs: number): Promise<boolean> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      if (isDone()) resolve();
    };
    const stop = servers.onChange((name) => name === server.name && look());
    look();
    const isInTime = await settledWithin(promise, withinMs, clock);
    stop();
    return isInTime;
  };
  return {
    async activate(server, writes) {
      const spec = server.known.resource?.spec;
      if (spec === undefined || (spec.active && spec.listed)) return "already_active";
      await writes.servers.patch(writable(server), { spec: { active: true, listed: true } });
      await until(server, () => server.isActive && server.health.status === "healthy", startWithinMs);
      return "activated";
    },
    async start(server, writes) {
      if (server.isActive) return;
      await writes.servers.patch(writable(server), { spec: { active: true } });
      await until(server, () => server.isActive && server.health.status === "healthy", startWithinMs);
    },
    async deactivate(server, writes) {
      const name = writable(server);
      const spec = server.known.resource?.spec;
      if (spec !== undefined && !spec.active && !spec.listed) return "not_active";
      await writes.servers.patch(name, { spec: { active: false, listed: false } });
      return "deactivated";
    },
    async check(server, writes) {
      if (server.isActive) return await server.check(checkWithinMs);
      const name = writable(server);
      const startedAt = clock.now();
      await writes.servers.patch(name, { spec: { active: true } });
      try {
        const leftMs = () => Math.max(1, checkWithinMs - (clock.now() - startedAt));
        const latencyMs = () => Math.round(clock.now() - startedAt);
        const isStarted = await until(server, () => server.problem === undefined, leftMs());
        if (!isStarted) return { status: "unhealthy", latencyMs: latencyMs(), error: "Health check timed out" };
        return { ...(await server.check(leftMs())), latencyMs: latencyMs() };
      } finally {
        await writes.servers.patch(name, { spec: { active: false } });
      }
    },
  };
}
