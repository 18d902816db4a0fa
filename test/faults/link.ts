// The wire in front of the proxy: relays TCP, and can go dark like a network that drops every packet. Neither end of a
// dark connection hears anything, not even of the other's end. Knows nothing of TLS or HTTP.

import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

export interface Link {
  readonly port: number;
  /** All connections go dark, new ones too. */
  partition(): void;
  /** What was sent meanwhile arrives now, as TCP would have it after a short outage. */
  heal(): void;
  /** The connections of now stay dark for ever, new ones work: what a lost NAT entry looks like. */
  blackHole(): void;
  /** TCP RST to the client whose relayed connection has this port at our end; with no port to all. */
  reset(port?: number): void;
  close(): Promise<void>;
}

const defaultConnectionLimit = 2_000;

interface Wire {
  readonly client: Socket;
  readonly server: Socket;
  dark: boolean;
}

/** Relays what connects to a free loopback port to `targetPort`, also on loopback; past the limit it answers with RST. */
export async function startLink(targetPort: number, connectionLimit = defaultConnectionLimit): Promise<Link> {
  const wires = new Set<Wire>();
  let isPartitioned = false;

  const attach = ({ client, server }: Wire): void => {
    client.pipe(server);
    server.pipe(client);
  };
  const detach = ({ client, server }: Wire): void => {
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.unpipe(to);
      from.pause();
    }
  };
  const listener = createServer({ pauseOnConnect: true }, (client) => {
    if (wires.size >= connectionLimit) return void client.resetAndDestroy();
    const wire: Wire = { client, server: connect({ port: targetPort, host: "127.0.0.1" }), dark: false };
    wires.add(wire);
    for (const [socket, other] of [
      [client, wire.server],
      [wire.server, client],
    ] as const) {
      socket.setNoDelay(true);
      socket.on("error", () => undefined); // its end, which follows, is what counts
      socket.once("close", () => {
        other.destroy();
        wires.delete(wire);
      });
    }
    if (!isPartitioned) attach(wire);
  });
  listener.listen({ port: 0, host: "127.0.0.1" });
  await once(listener, "listening");

  return {
    port: portOf(listener.address()),
    partition() {
      isPartitioned = true;
      for (const wire of wires) detach(wire);
    },
    heal() {
      isPartitioned = false;
      for (const wire of wires) if (!wire.dark) attach(wire);
    },
    blackHole() {
      for (const wire of wires) {
        wire.dark = true;
        detach(wire);
      }
    },
    reset(port) {
      for (const wire of wires) {
        if (port === undefined || wire.server.localPort === port) wire.client.resetAndDestroy();
      }
    },
    async close() {
      const closed = once(listener, "close");
      listener.close();
      for (const { client, server } of wires) {
        client.destroy();
        server.destroy();
      }
      await closed;
    },
  };
}

export function portOf(address: AddressInfo | string | null): number {
  if (typeof address === "object" && address !== null) return address.port;
  throw new Error(`expected a listening TCP port, found ${JSON.stringify(address)}`);
}
