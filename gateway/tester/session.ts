// One caller's own connection to one server that it tries: opened when first used, opened anew when the server has lost it, with what
// the server said and asks kept beside it, for this caller alone. How many there are, and for how long, is not its business.
import type { Ask } from "../../lib/mcp/asking.ts";
import type { CallOptions } from "../../lib/mcp/open-connection.ts";
import { inspectMcp, type Inspection, type InspectOptions } from "../../lib/mcp/inspect.ts";
import { McpError } from "../../lib/mcp/mcp-error.ts";
import type { Root } from "../../lib/mcp/witness.ts";
import type { Clock } from "../../lib/process/clock.ts";
import { createRing, renderNotification, type Entry, type NewEntry, type Ring, type Stamp } from "./entries.ts";
import { TesterProblem, toProblem } from "./problem.ts";
import { createQuestions, type Questions } from "./questions.ts";

/** Where a server is reached, and with what. */
export interface Target {
  /** As its entries and questions name it. */
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it is one caller's alone. */
  readonly isTransient?: boolean;
}

export interface SessionParts {
  target: Target;
  /** In place of the network, and the memory that answers share. */
  connect: Pick<InspectOptions, "clientName" | "clientVersion" | "openFetch" | "memory" | "connectTimeoutMs">;
  roots: () => readonly Root[];
  stamp: Stamp;
  /** Hears of each entry. */
  onEntry: (entry: Entry) => void;
  clock: Clock;
}

export interface Session {
  readonly target: Target;
  readonly notifications: Ring;
  readonly progress: Ring;
  readonly questions: Questions;
  /** When it was last used, by the clock's `now`; undefined while something runs. */
  idleSince(): number | undefined;
  /** Asks the server. Throws TesterProblem with what went wrong. */
  use<T>(request: (inspection: Inspection) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Keeps what was asked, and what came of it. */
  note(entry: NewEntry): void;
  /** Says that the roots are others. */
  tellRoots(): void;
  close(): Promise<void>;
}

/** Requests of one session at a time; one that waits for a person counts. */
const maxRunning = 8;
const maxResponseBytes = 4 * 1024 * 1024;

export type Limits = Pick<CallOptions, "idleTimeoutMs" | "totalTimeoutMs">;

export function createSession({ target, connect, roots, stamp, onEntry, clock }: SessionParts): Session {
  const notifications = createRing();
  const progress = createRing();
  const questions = createQuestions(target.name, clock);
  const closing = new AbortController();
  let running = 0;
  let usedAt = clock.now();

  const note = (entry: NewEntry) => {
    const stamped = stamp(entry);
    if (stamped.kind === "notification") notifications.push(stamped);
    if (stamped.kind === "progress") progress.push(stamped);
    onEntry(stamped);
  };
  /** Whoever follows live hears that something is asked; what it is, they are told when they list the questions. */
  const ask: Ask = (question, asked) => {
    const answered = questions.ask(question, asked);
    onEntry(stamp(renderNotification(target.name, question.method, {})));
    return answered;
  };
  const connection = keepOpen(() =>
    inspectMcp({
      ...connect,
      url: target.url,
      headers: target.headers,
      signal: closing.signal,
      maxResponseBytes,
      listener: {
        onNotification: (method, params) => note(renderNotification(target.name, method, params)),
        ask,
        roots,
      },
    }),
  );
  return {
    target,
    notifications,
    progress,
    questions,
    idleSince: () => (running > 0 ? undefined : usedAt),
    async use(request, signal) {
      if (closing.signal.aborted) throw new TesterProblem(503, `the session with ${target.name} has just ended`);
      if (running >= maxRunning) {
        throw new TesterProblem(429, `${maxRunning} requests to ${target.name} are running already; let one end first`);
      }
      running += 1;
      try {
        signal.throwIfAborted();
        return await connection.ask(request);
      } catch (error) {
        throw toProblem(error);
      } finally {
        running -= 1;
        usedAt = clock.now();
      }
    },
    note,
    tellRoots: () =>
      void connection
        .current()
        ?.then((inspection) => inspection.tellRoots())
        .catch(() => undefined),
    async close() {
      closing.abort(new McpError("cancelled", `the session with ${target.name} has ended`));
      await connection.drop();
    },
  };
}

interface KeptOpen {
  current(): Promise<Inspection> | undefined;
  ask<T>(request: (inspection: Inspection) => Promise<T>): Promise<T>;
  drop(): Promise<void>;
}

/** A connection that is opened when something is asked, and opened anew when the server has lost it. */
function keepOpen(open: () => Promise<Inspection>): KeptOpen {
  let current: Promise<Inspection> | undefined;
  const drop = async (dropped = current) => {
    if (current === dropped) current = undefined;
    await (await dropped?.catch(() => undefined))?.close();
  };
  const connected = () =>
    (current ??= open().catch((error: unknown) => {
      current = undefined;
      throw error;
    }));
  const askOnce = async <T>(request: (inspection: Inspection) => Promise<T>) => {
    const inspection = await connected();
    const on = current;
    try {
      return await request(inspection);
    } catch (error) {
      if (error instanceof McpError && error.kind === "session-lost") await drop(on);
      throw error;
    }
  };
  return {
    current: () => current,
    /** What found its session lost was not run, and is asked once more in a new one. */
    async ask(request) {
      try {
        return await askOnce(request);
      } catch (error) {
        if (!(error instanceof McpError && error.kind === "session-lost")) throw error;
        return await askOnce(request);
      }
    },
    drop: () => drop(),
  };
}
