// Knows a server's open sockets, the responses in flight and the upgraded connections, so that a server can drain and close without losing an answer,
// and has room for a new connection as long as one is idle.
import type { Server, ServerResponse } from "node:http";
import { Server as NetServer } from "node:net";
import type { Socket } from "node:net";
import { systemClock } from "./clock.ts";
import type { Logger } from "./log.ts";

/** At most one line per this time says that the limit was reached. */
const limitLogIntervalMs = 10_000;

export interface Connections {
  /** Counts a response as in flight until it is sent or its client has gone. */
  begin(outgoing: ServerResponse): void;
  /** Counts an upgraded connection as in flight until it is closed. False, and nothing, where a response on it is in flight. */
  beginUpgrade(socket: Socket): boolean;
  /** Lets every response whose headers are not yet sent end its connection. */
  drain(): void;
  /** Stops accepting; resolves when nothing is in flight, or after `graceMs` with the number of responses and upgraded connections cut off. */
  close(graceMs: number): Promise<{ cutOff: number }>;
}

/**
 * Call before the server listens. At the limit a new connection takes the place of the one that has been idle for longest:
 * who opens many and asks nothing keeps nobody out. One with a response in flight is never closed for another; where all
 * are, the new one is.
 */
export function trackConnections(server: Server, options: { maxConnections: number; log: Logger }): Connections {
  const { sockets, idle, count } = trackSockets(server, options);
  const inFlight = new Set<ServerResponse>();
  const upgraded = new Set<Socket>();
  const progress = new EventTarget();
  let draining = false;

  return {
    begin(outgoing) {
      const { socket } = outgoing.req;
      inFlight.add(outgoing);
      count(socket, 1);
      if (draining) outgoing.shouldKeepAlive = false;
      outgoing.once("close", () => {
        inFlight.delete(outgoing);
        count(socket, -1);
        if (draining) progress.dispatchEvent(new Event("ended"));
      });
    },
    beginUpgrade(socket) {
      if ((sockets.get(socket) ?? 0) > 0) return false;
      upgraded.add(socket);
      count(socket, 1);
      socket.once("close", () => {
        upgraded.delete(socket);
        if (draining) progress.dispatchEvent(new Event("ended"));
      });
      return true;
    },
    drain() {
      draining = true;
      for (const outgoing of inFlight) if (!outgoing.headersSent) outgoing.shouldKeepAlive = false;
    },
    async close(graceMs) {
      this.drain();
      // http.Server's own close() destroys sockets whose last response is ended but not yet flushed: a slow reader would lose its tail.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      await waitUntilEmpty([inFlight, upgraded], progress, graceMs, () => {
        for (const socket of idle) socket.destroy();
      });
      const cutOff = inFlight.size + upgraded.size;
      for (const socket of sockets.keys()) socket.destroy();
      await closed;
      server.close(); // stops node's timer that looks for late senders
      if (cutOff > 0) options.log.warn({ cutOff, graceMs }, "requests cut off at the end of the grace");
      return { cutOff };
    },
  };
}

interface Sockets {
  /** With how much each has in flight: clients may send the next request before they have the answer. */
  readonly sockets: ReadonlyMap<Socket, number>;
  /** The longest idle first. */
  readonly idle: ReadonlySet<Socket>;
  /** What is closed counts no more. */
  count(socket: Socket, by: 1 | -1): void;
}

function trackSockets(server: Server, { maxConnections, log }: { maxConnections: number; log: Logger }): Sockets {
  const sockets = new Map<Socket, number>();
  const idle = new Set<Socket>();
  const logLimit = createLimitLog(maxConnections, log);
  const forget = (socket: Socket) => {
    sockets.delete(socket);
    idle.delete(socket);
  };
  server.on("connection", (socket) => {
    if (sockets.size >= maxConnections) {
      const [longestIdle] = idle;
      const closed = longestIdle ?? socket;
      logLimit(longestIdle === undefined ? "refused" : "closedIdle");
      forget(closed);
      closed.destroy();
      if (closed === socket) return;
    }
    sockets.set(socket, 0);
    idle.add(socket);
    socket.once("close", () => forget(socket));
  });
  return {
    sockets,
    idle,
    count(socket, by) {
      const before = sockets.get(socket);
      if (before === undefined) return;
      sockets.set(socket, before + by);
      if (before + by > 0) idle.delete(socket);
      else idle.add(socket);
    },
  };
}

function waitUntilEmpty(
  inFlight: readonly ReadonlySet<unknown>[],
  progress: EventTarget,
  graceMs: number,
  onProgress: () => void,
) {
  return new Promise<void>((resolve) => {
    const timer = setTimeout(finish, graceMs);
    progress.addEventListener("ended", check);
    check();
    function check(): void {
      onProgress();
      if (inFlight.every(({ size }) => size === 0)) finish();
    }
    function finish(): void {
      clearTimeout(timer);
      progress.removeEventListener("ended", check);
      resolve();
    }
  });
}

function createLimitLog(maxConnections: number, log: Logger): (what: "refused" | "closedIdle") => void {
  const counts = { refused: 0, closedIdle: 0 };
  let loggedAtMs = -Infinity;
  return (what) => {
    counts[what] += 1;
    if (systemClock.now() - loggedAtMs < limitLogIntervalMs) return;
    log.warn({ ...counts, maxConnections }, "connection limit reached");
    loggedAtMs = systemClock.now();
    Object.assign(counts, { refused: 0, closedIdle: 0 });
  };
}
