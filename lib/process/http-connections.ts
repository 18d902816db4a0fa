/**
 * Knows a server's open sockets and the responses in flight, so that a server can drain and close without losing an answer.
 */
import type { Server, ServerResponse } from "node:http";
import { Server as NetServer } from "node:net";
import type { Socket } from "node:net";
import { systemClock } from "./clock.ts";
import type { Logger } from "./log.ts";

/** At most one line per this time says that connections were refused. */
const refusalLogIntervalMs = 10_000;

export interface Connections {
  /** Counts a response as in flight until it is sent or its client has gone. */
  begin(outgoing: ServerResponse): void;
  /** Lets every response whose headers are not yet sent end its connection. */
  drain(): void;
  /** Stops accepting; resolves when nothing is in flight, or after `graceMs` with the number of responses cut off. */
  close(graceMs: number): Promise<{ cutOff: number }>;
}

/** Call before the server listens. */
export function trackConnections(server: Server, log: Logger): Connections {
  const sockets = new Set<Socket>();
  const inFlight = new Set<ServerResponse>();
  const progress = new EventTarget();
  let draining = false;

  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  logRefusals(server, log);

  const destroyIdleSockets = () => {
    const busy = new Set([...inFlight].map((outgoing) => outgoing.socket));
    for (const socket of sockets) if (!busy.has(socket)) socket.destroy();
  };

  return {
    begin(outgoing) {
      inFlight.add(outgoing);
      if (draining) outgoing.shouldKeepAlive = false;
      outgoing.once("close", () => {
        inFlight.delete(outgoing);
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
      await waitUntilEmpty(inFlight, progress, graceMs, destroyIdleSockets);
      const cutOff = inFlight.size;
      for (const socket of sockets) socket.destroy();
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

function logRefusals(server: Server, log: Logger): void {
  let refused = 0;
  let loggedAtMs = -Infinity;
  server.on("drop", () => {
    refused += 1;
    if (systemClock.now() - loggedAtMs < refusalLogIntervalMs) return;
    log.warn({ refused, maxConnections: server.maxConnections }, "connections refused at the limit");
    loggedAtMs = systemClock.now();
    refused = 0;
  });
}
