// A TLS server in front of a real API server, whose certificate authority can be replaced while clients are connected.
// What comes in decrypted goes out as it is: only who the server says it is changes.

import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:tls";
import type { Server, TLSSocket } from "node:tls";

import type { ApiAccess } from "../cluster/api-call.ts";
import { createAuthority } from "../cluster/certificates.ts";
import { portOf } from "./link.ts";

export interface TlsFront extends AsyncDisposable {
  readonly url: string;
  /** Handshakes since the last `renew` that clients broke off, because they do not trust the certificate. */
  readonly refusals: number;
  /** Restarts it on the same port with a certificate of a new authority. `caPath` keeps the old one until `publish`. */
  renew(): Promise<void>;
  /** Writes the authority of now to `caPath`. */
  publish(): Promise<void>;
}

/** Listens on a free loopback port, and writes its authority to `caPath`. */
export async function startTlsFront(upstream: Pick<ApiAccess, "url" | "caPath">, caPath: string): Promise<TlsFront> {
  const { port: upstreamPort } = new URL(upstream.url);
  const ca = await readFile(upstream.caPath);
  const sockets = new Set<TLSSocket>();
  let server: Server | undefined;
  let authority = createAuthority("front-1");
  let renewals = 1;
  let refusals = 0;

  const relay = (client: TLSSocket): void => {
    const target = connect({ host: "127.0.0.1", port: Number(upstreamPort), ca });
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => undefined); // its end, which follows, is what counts
      socket.once("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  };
  const listen = async (port: number): Promise<number> => {
    const { certificatePem: cert, keyPem: key } = authority.issue({ commonName: "front", serverNames: ["127.0.0.1"] });
    server = createServer({ cert, key }, relay);
    server.on("tlsClientError", () => (refusals += 1));
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return portOf(server.address());
  };
  const close = async (): Promise<void> => {
    if (server === undefined) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const publish = (): Promise<void> => writeFile(caPath, authority.certificatePem);

  await publish();
  const port = await listen(0);
  return {
    url: `https://127.0.0.1:${port}`,
    get refusals() {
      return refusals;
    },
    publish,
    async renew() {
      await close();
      renewals += 1;
      authority = createAuthority(`front-${renewals}`);
      refusals = 0;
      await listen(port);
    },
    [Symbol.asyncDispose]: close,
  };
}
