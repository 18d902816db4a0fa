// An agent on its two ports: it binds them, and drains and closes in the right order.
import { systemClock } from "../lib/process/clock.ts";
import { listen, type RunningServer } from "../lib/process/http-server.ts";
import { createAgent, type AgentOptions } from "./agent.ts";
import type { Health } from "./health/health.ts";

/** For answers that are on their way out. */
const closeGraceMs = 1_000;

export interface RuntimeOptions extends Omit<AgentOptions, "clock" | "onDraining"> {
  host: string;
  /** Of the admin port, where it is another. */
  adminHost?: string | undefined;
  /** 0 takes a free one; so does adminPort. */
  port: number;
  adminPort: number;
}

export interface Runtime {
  /** Where /mcp and the admin routes are, without a path. */
  readonly url: string;
  readonly adminUrl: string;
  readonly health: Health;
  /** Ends all calls in flight in good order (AGT-12), soon when the signal aborts; `close` comes after it. */
  drain(options: { delayMs: number; signal: AbortSignal }): Promise<void>;
  close(): Promise<void>;
}

/** Starts the agent. Rejects when a port cannot be bound or the configuration contradicts itself; nothing stays open then. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { host: hostname, log } = options;
  const servers: RunningServer[] = [];
  const onDraining = () => servers.forEach((server) => server.setDraining());
  const agent = await createAgent({ ...options, onDraining, clock: systemClock });
  const close = async () => {
    await agent.close();
    await Promise.all(servers.map((server) => server.close({ graceMs: closeGraceMs })));
  };
  try {
    const mcp = await listen(agent.mcpApp.fetch, { port: options.port, hostname, log });
    servers.push(mcp);
    const admin = await listen(agent.adminApp.fetch, {
      port: options.adminPort,
      hostname: options.adminHost ?? hostname,
      log,
    });
    servers.push(admin);
    const timeoutMs = options.config.drainTimeoutMs;
    return {
      url: mcp.url,
      adminUrl: admin.url,
      health: agent.health,
      drain: (drainOptions) => agent.drain.run({ ...drainOptions, timeoutMs }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
