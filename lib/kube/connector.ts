/**
 * Opens connections that are reset when a call on them is given up. An orderly close would leave what was said to the
 * system, which goes on sending it for minutes: a write that timed out in a partition would arrive after healing, when
 * another process leads or a later write was made. A reset takes it back.
 */
import { connect, type Socket } from "node:net";
import { buildConnector } from "undici";
import type { TlsMaterial } from "./credentials.ts";

export interface ConnectorOptions {
  readonly tls: TlsMaterial;
  /** Of the TCP connection, and of the TLS handshake after it. */
  readonly timeoutMs: number;
  readonly keepAliveProbeMs: number;
}

const defaultPorts: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

export function createConnector({ tls, timeoutMs, keepAliveProbeMs }: ConnectorOptions): buildConnector.connector {
  const secure = buildConnector({ ...tls, allowH2: false, timeout: timeoutMs, keepAlive: false });
  return (target, callback) => {
    const { hostname: host, protocol } = target;
    const port = Number(target.port) || (defaultPorts[protocol] ?? 443);
    const wire = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveProbeMs });
    const late = setTimeout(() => wire.destroy(new Error(`no connection within ${timeoutMs} ms`)), timeoutMs);
    const fail = (error: Error) => {
      clearTimeout(late);
      callback(error, null);
    };
    wire.once("error", fail);
    wire.once("connect", () => {
      clearTimeout(late);
      wire.off("error", fail);
      if (protocol === "http:") return callback(null, resetWhenDestroyed(wire, wire));
      wire.on("error", () => undefined); // The TLS socket tells of it.
      secure({ ...target, httpSocket: wire }, (error, socket) => {
        if (error === null) return callback(null, resetWhenDestroyed(socket, wire));
        wire.destroy();
        callback(error, null);
      });
    });
  };
}

/** Node resets no TLS socket itself, only the TCP socket under it. What has its answer loses nothing by a reset. */
function resetWhenDestroyed(socket: Socket, wire: Socket): Socket {
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error) => {
    socket.destroy = destroy;
    if (!wire.destroyed) wire.resetAndDestroy();
    return destroy(error);
  };
  return socket;
}
