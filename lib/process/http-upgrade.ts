// WebSockets on the server's own port. A request for one passes the same handler as any other, so that the same guards judge it,
// and what they refuse is answered with a proper status and closed. The route that takes it gets the bare connection, for a
// WebSocket library of the program's own. It speaks no WebSocket itself.
import { ServerResponse } from "node:http";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";

const retryAfterSeconds = "5";

/** A connection that belongs to the route from now on. */
export interface UpgradedConnection {
  incoming: IncomingMessage;
  socket: Socket;
  /** What came after the request's headers already. */
  head: Buffer;
  /** Aborts when the server drains: say goodbye (code 1001) and end the connection, which is cut off with the server's grace. */
  draining: AbortSignal;
}

/** What a route finds as `c.env.upgrade` where a client asks for a WebSocket. */
export interface Upgrade {
  /**
   * Hands the connection to `open`, which writes the answer 101 (`ws`, made with `noServer`: `handleUpgrade(incoming, socket,
   * head, …)`). Return what this returns: where there is no room, or the server drains, it is a refusal and `open` is not called.
   */
  accept(open: (connection: UpgradedConnection) => void): Response;
  /** Whether a route has taken it. */
  readonly isAccepted: boolean;
}

/** Whether a request asks for a WebSocket; any other upgrade, as to h2c, is not taken up, and the request served as it is. */
export function isWebSocketRequest({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket";
}

export interface UpgradeGate {
  /** A response on the bare socket of an upgrade, and the upgrade that may take its place. Ends the connection after the answer. */
  begin(incoming: IncomingMessage, socket: Socket, head: Buffer): { outgoing: ServerResponse; upgrade: Upgrade };
  /** From now on nobody is let in, and those inside are told. */
  drain(): void;
}

/** Lets in `maxUpgraded` connections at a time, so that they never take all that the server may have. */
export function createUpgradeGate({ maxUpgraded }: { maxUpgraded: number }): UpgradeGate {
  const draining = new AbortController();
  let inside = 0;
  return {
    begin(incoming, socket, head) {
      // Node has taken its own listener off; without one a reset would end the process.
      socket.on("error", () => socket.destroy());
      const outgoing = new ServerResponse(incoming);
      outgoing.shouldKeepAlive = false;
      outgoing.assignSocket(socket);
      outgoing.once("finish", () => socket.destroySoon());
      let isAccepted = false;
      const accept: Upgrade["accept"] = (open) => {
        if (draining.signal.aborted) {
          return refuse("the server is shutting down: connect again, its successor will answer");
        }
        if (inside >= maxUpgraded) return refuse(`there are ${maxUpgraded} WebSockets already: try again later`);
        isAccepted = true;
        inside += 1;
        socket.once("close", () => (inside -= 1));
        outgoing.detachSocket(socket);
        open({ incoming, socket, head, draining: draining.signal });
        return RESPONSE_ALREADY_SENT;
      };
      const upgrade: Upgrade = {
        accept,
        get isAccepted() {
          return isAccepted;
        },
      };
      return { outgoing, upgrade };
    },
    drain: () => draining.abort(new Error("the server is shutting down")),
  };
}

function refuse(message: string): Response {
  const headers = { "Retry-After": retryAfterSeconds };
  return Response.json({ error: "unavailable", message }, { status: 503, headers });
}
