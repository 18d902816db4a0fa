// Connections of the kernel's own transport to the test API server: straight, or through a gate that can be shut as a
// broken network would be, with connections open and nothing coming through.
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { KubeConfig } from "@kubernetes/client-node";
import { onTestFinished } from "vitest";
import { createTransport, type Transport } from "../../lib/kube/transport.ts";
import { cluster } from "../cluster/cluster.ts";

/** Closed when the test ends. `port` stands in for the API server's own. */
export function connectToCluster(port?: number): Transport {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(cluster().kubeconfigPath);
  if (port !== undefined) {
    kubeConfig.clusters = kubeConfig.clusters.map((entry) => {
      const server = new URL(entry.server);
      server.port = String(port);
      return { ...entry, server: server.origin };
    });
  }
  const transport = createTransport({ kubeConfig, userAgent: "kernel-test/1" });
  onTestFinished(() => transport.close());
  return transport;
}

export interface Gate {
  readonly port: number;
  /** From now on nothing passes in either direction, and nobody is told. */
  shut(): void;
  /** New connections pass again; those from before are reset. */
  open(): void;
}

export async function openGate(): Promise<Gate> {
  const target = Number(new URL(cluster().url).port);
  const sockets = new Set<Socket>();
  let isShut = false;
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (chunk) => !isShut && to.write(chunk));
      from.on("error", () => from.destroy());
      from.on("close", () => !isShut && to.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected the gate to listen on a TCP port");
  return {
    port: address.port,
    shut: () => (isShut = true),
    open() {
      for (const socket of sockets) socket.destroy();
      sockets.clear();
      isShut = false;
    },
  };
}
