// The wire in front of the proxy: relays TCP, and can go dark like a network that drops every packet. Neither end of a
// dark connection hears anything, not even of the other's end. What a client said into the dark arrives after healing
// even when the client has closed the connection meanwhile, but not when it has reset it. Knows nothing of TLS or HTTP.

import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { PassThrough } from "node:stream";

export interface Link {
  readonly port: number;
  /** All connections go dark, new ones too; `outgoing`: only what clients say is lost, and they hear everything. */
  partition(direction?: "both" | "outgoing"): void;
  /** What was sent meanwhile arrives now, as TCP would have it after a short outage. */
  heal(): void;
  /** The connections of now stay dark for ever, new ones work: what a lost NAT entry looks like. */
  blackHole(): void;
  /** TCP RST to the client whose relayed connection has this port at our end; with no port to all. */
  reset(port?: number): void;
  close(): Promise<void>;
}

const defaultMaxConnections = 2_000;

/** What a client may say into the dark. */
const maxHeldBytes = 4 * 1024 * 1024;

interface Wire {
  readonly client: Socket;
  readonly server: Socket;
  /** On its way from the client; read also in the dark, so that a reset is noticed there. */
  readonly said: PassThrough;
  dark: boolean;
}

/** Relays what connects to a free loopback port to `targetPort`, also on loopback; past the limit it answers with RST. */
export async function startLink(targetPort: number, maxConnections = defaultMaxConnections): Promise<Link> {
  const wires = new Set<Wire>();
  let isPartitioned = false;

  const attach = ({ client, server, said }: Wire): void => {
    said.pipe(server);
    if (client.destroyed) server.resume();
    else server.pipe(client);
  };
  const detach = ({ client, server, said }: Wire, direction: "both" | "outgoing" = "both"): void => {
    said.unpipe(server);
    if (direction === "outgoing") return;
    server.unpipe(client);
    server.pause();
  };
  const listener = createServer({ pauseOnConnect: true }, (client) => {
    if (wires.size >= maxConnections) return void client.resetAndDestroy();
    const server = connect({ port: targetPort, host: "127.0.0.1" });
    const wire: Wire = { client, server, said: new PassThrough({ highWaterMark: maxHeldBytes }), dark: false };
    wires.add(wire);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on("error", () => undefined); // its end, which follows, is what counts
    }
    client.pipe(wire.said);
    client.once("close", (hadError) => {
      const isLight = !isPartitioned && !wire.dark;
      if (hadError || isLight) server.destroy();
    });
    server.once("close", () => {
      client.destroy();
      wires.delete(wire);
    });
    if (!isPartitioned) attach(wire);
  });
  listener.listen({ port: 0, host: "127.0.0.1" });
  await once(listener, "listening");

  return {
    port: portOf(listener.address()),
    partition(direction) {
      isPartitioned = true;
      for (const wire of wires) detach(wire, direction);
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
      for (const { client, server } of wires) {
        if (port !== undefined && server.localPort !== port) continue;
        client.resetAndDestroy();
        server.destroy();
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
