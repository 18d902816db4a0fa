// Opens connections that are reset when a call on them is given up. An orderly close would leave what was said to the
// system, which goes on sending it for minutes: a write that timed out in a partition would arrive after healing, when
// another process leads or a later write was made. A reset takes it back.
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
      resetWhenDestroyed(wire);
      if (protocol === "http:") return callback(null, wire);
      wire.on("error", () => undefined); // The TLS socket tells of it.
      secure({ ...target, httpSocket: wire }, (...outcome) => {
        if (outcome[1] === null) wire.destroy();
        callback(...outcome);
      });
    });
  };
}

/**
 * Node resets no TLS socket, but the TCP socket under it, which is destroyed with it. Nothing is lost by it where an
 * answer has come.
 */
function resetWhenDestroyed(wire: Socket): void {
  const destroy = wire.destroy.bind(wire);
  wire.destroy = () => {
    wire.destroy = destroy; // As a reset calls it.
    return wire.resetAndDestroy();
  };
}
