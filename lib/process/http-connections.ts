/**
 * Knows a server's open sockets and the responses in flight, so that a server can drain and close without losing an answer,
 * and has room for a new connection as long as one is idle.
 */
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
  /** Lets every response whose headers are not yet sent end its connection. */
  drain(): void;
  /** Stops accepting; resolves when nothing is in flight, or after `graceMs` with the number of responses cut off. */
  close(graceMs: number): Promise<{ cutOff: number }>;
}

/**
 * Call before the server listens. At the limit a new connection takes the place of the one that has been idle for longest:
 * who opens many and asks nothing keeps nobody out. One with a response in flight is never closed for another; where all
 * are, the new one is.
 */
export function trackConnections(server: Server, options: { maxConnections: number; log: Logger }): Connections {
  const { maxConnections, log } = options;
  /** With how many responses each has in flight: clients may send the next request before they have the answer. */
  const sockets = new Map<Socket, number>();
  /** The longest idle first. */
  const idle = new Set<Socket>();
  const inFlight = new Set<ServerResponse>();
  const progress = new EventTarget();
  const logLimit = createLimitLog(maxConnections, log);
  let draining = false;

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
  const count = (socket: Socket, by: 1 | -1) => {
    const before = sockets.get(socket);
    if (before === undefined) return;
    sockets.set(socket, before + by);
    if (before + by > 0) idle.delete(socket);
    else idle.add(socket);
  };

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
    drain() {
      draining = true;
      for (const outgoing of inFlight) if (!outgoing.headersSent) outgoing.shouldKeepAlive = false;
    },
    async close(graceMs) {
      this.drain();
      // http.Server's own close() destroys sockets whose last response is ended but not yet flushed: a slow reader would lose its tail.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      await waitUntilEmpty(inFlight, progress, graceMs, () => {
        for (const socket of idle) socket.destroy();
      });
      const cutOff = inFlight.size;
      for (const socket of sockets.keys()) socket.destroy();
      await closed;
      server.close(); // stops node's timer that looks for late senders
      if (cutOff > 0) log.warn({ cutOff, graceMs }, "requests cut off at the end of the grace");
      return { cutOff };
    },
  };
}

// Upgraded sockets (WebSockets) count as idle: whoever upgraded them says goodbye before the server closes.
function waitUntilEmpty(
  inFlight: ReadonlySet<unknown>,
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
      if (inFlight.size === 0) finish();
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
