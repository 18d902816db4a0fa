// Servers that somebody tries without a resource of their own: each is its opener's alone, by a handle, so many for one caller and
// in all, and gone when nobody used it for a while. Its headers are in this process's memory and nowhere else.
import { randomBytes } from "node:crypto";
import * as z from "zod";
import type { Identity } from "../../lib/auth/roles.ts";
import type { Clock, Timer } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import type { CommandServers } from "./command-servers.ts";
import { toExported, type Exported } from "./export.ts";
import { TesterProblem } from "./problem.ts";
import type { Target } from "./session.ts";
import type { Sessions } from "./sessions.ts";

export interface TransientBounds {
  maxPerCaller: number;
  max: number;
  idleTtlMs: number;
}

export const transientBounds: TransientBounds = { maxPerCaller: 4, max: 32, idleTtlMs: 10 * 60_000 };
const sweepEveryMs = 15_000;
const openLimits = { idleTimeoutMs: 15_000, totalTimeoutMs: 15_000 };

/** Those that HTTP or MCP sets itself. */
const ownHeaders =
  /^(host|connection|content-length|content-type|transfer-encoding|upgrade|te|trailer|keep-alive|accept|mcp-.*|last-event-id|proxy-.*)$/i;
const headerName = z
  .string()
  .max(128)
  .regex(/^[-A-Za-z0-9_]+$/, { error: "a header's name has letters, digits, hyphens and underscores" })
  .refine((name) => !ownHeaders.test(name), { error: "this header is set by the protocol itself" });
const headerValue = z
  .string()
  .max(8_192)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, { error: "one line of text was expected" });
const url = z
  .string()
  .max(2_048)
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
    error: "an http:// or https:// URL was expected",
  })
  .refine((text) => !URL.canParse(text) || (new URL(text).username === "" && new URL(text).password === ""), {
    error: "a URL holds no user and password; give them as a header",
  });
const text = z.string().max(4_096);
const ttlMs = z.int().min(1_000).max(transientBounds.idleTtlMs).optional();

export const transientBody = z
  .object({
    url: url.optional(),
    headers: z.record(headerName, headerValue).optional(),
    command: text.min(1).optional(),
    args: z.array(text).max(64).optional(),
    env: z.record(z.string().max(128), z.string().max(32_768)).optional(),
    transport: z.enum(["stdio", "streamable-http"]).optional(),
    ttl_ms: ttlMs,
  })
  .refine((body) => (body.url === undefined) !== (body.command === undefined), {
    error: "exactly one of url and command is needed",
  })
  .refine(({ headers, url: remote }) => remote !== undefined || headers === undefined, {
    error: "headers go with url",
  })
  .refine(({ headers = {} }) => Object.keys(headers).length <= 32, { error: "at most 32 headers are possible" });
export type TransientBody = z.output<typeof transientBody>;

interface Transient {
  readonly handle: string;
  readonly subject: string;
  readonly target: Target;
  readonly exported: Exported;
  readonly ttlMs: number;
  usedAt: number;
  /** What stands behind it besides the session. */
  remove(): Promise<void>;
}

export interface TransientsParts {
  sessions: Sessions;
  /** Absent where no commands are run. */
  commands: CommandServers;
  clock: Clock;
  bounds?: TransientBounds | undefined;
}

export const transientKey = (handle: string): string => `transient/${handle}`;

export class Transients {
  readonly #parts: TransientsParts;
  readonly #bounds: TransientBounds;
  readonly #known = new Map<string, Transient>();
  /** Subjects whose server is being opened. */
  readonly #opening: string[] = [];
  #timer: Timer | undefined;

  constructor(parts: TransientsParts) {
    this.#parts = parts;
    this.#bounds = parts.bounds ?? transientBounds;
  }

  /** The caller's own; used with it. */
  find(subject: string, handle: string): Transient | undefined {
    const found = this.#known.get(handle);
    if (found === undefined || found.subject !== subject) return undefined;
    found.usedAt = this.#parts.clock.now();
    return found;
  }

  /** Connected to, with what it says of itself. Throws TesterProblem, and nothing is left open then. */
  async open(caller: Identity, body: TransientBody, signal: AbortSignal): Promise<object> {
    const { clock } = this.#parts;
    const { subject } = caller;
    this.#makeRoom(subject);
    this.#opening.push(subject);
    try {
      const handle = randomBytes(12).toString("hex");
      const { target, exported, remove } = await this.#start(caller, handle, body, signal);
      const { ttl_ms: ownTtlMs = this.#bounds.idleTtlMs } = body;
      const transient = { handle, subject, target, exported, ttlMs: ownTtlMs, usedAt: clock.now(), remove };
      this.#known.set(handle, transient);
      this.#timer ??= clock.schedule(sweepEveryMs, () => this.#sweep());
      return await this.#describe(transient, signal);
    } finally {
      this.#opening.splice(this.#opening.indexOf(subject), 1);
    }
  }

  /** Does nothing where the caller has none of this handle. */
  async end(subject: string, handle: string): Promise<void> {
    const transient = this.#known.get(handle);
    if (transient === undefined || transient.subject !== subject) return;
    this.#known.delete(handle);
    await this.#parts.sessions.end(subject, transientKey(handle));
    await transient.remove();
  }

  async close(): Promise<void> {
    this.#timer?.cancel();
    await Promise.all([...this.#known.values()].map(({ subject, handle }) => this.end(subject, handle)));
  }

  async #start(caller: Identity, handle: string, body: TransientBody, signal: AbortSignal) {
    const { url: remote, headers = {}, command, args = [], env = {} } = body;
    if (remote !== undefined) {
      const address = {
        url: remote,
        headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
        forwardInboundAuth: false,
      };
      return {
        target: { name: handle, url: remote, headers, isTransient: true },
        exported: toExported(`transient-${handle.slice(0, 8)}`, address),
        remove: async () => undefined,
      };
    }
    const run = { command: command ?? "", args, env };
    const { name, url: at, remove } = await this.#parts.commands.open(caller, run, signal);
    return {
      target: { name: handle, url: at, headers: {}, isTransient: true },
      exported: toExported(name, { url: at, headers: [], forwardInboundAuth: false }),
      remove,
    };
  }

  async #describe({ handle, subject, target, ttlMs: idleMs }: Transient, signal: AbortSignal): Promise<object> {
    const { sessions, clock } = this.#parts;
    try {
      return await sessions.open(subject, transientKey(handle), target).use(async (inspection) => {
        const { name, version, capabilities } = inspection.facts;
        const page = await inspection.list("tools", { ...openLimits, signal, cursor: undefined });
        return {
          handle,
          serverName: handle,
          tools: page["tools"],
          capabilities,
          ...(name !== undefined && { serverVersion: { name, ...defined({ version }) } }),
          expiresAt: clock.wallNow() + idleMs,
        };
      }, signal);
    } catch (error) {
      await this.end(subject, handle);
      throw error;
    }
  }

  #makeRoom(subject: string): void {
    const { maxPerCaller, max } = this.#bounds;
    const subjects = [...this.#opening, ...[...this.#known.values()].map((each) => each.subject)];
    if (subjects.filter((each) => each === subject).length >= maxPerCaller) {
      throw new TesterProblem(429, `you have ${maxPerCaller} transient servers already; delete one first`);
    }
    if (subjects.length >= max) {
      throw new TesterProblem(503, `${max} transient servers are open already; try again later`);
    }
  }

  #sweep(): void {
    const { clock, sessions } = this.#parts;
    for (const { subject, handle, usedAt, ttlMs: idleMs } of this.#known.values()) {
      const session = sessions.find(subject, transientKey(handle));
      const since = session === undefined ? usedAt : session.idleSince();
      if (since !== undefined && Math.max(since, usedAt) <= clock.now() - idleMs) void this.end(subject, handle);
    }
    this.#timer = this.#known.size === 0 ? undefined : clock.schedule(sweepEveryMs, () => this.#sweep());
  }
}
