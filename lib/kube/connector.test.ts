import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { KubeConfig } from "@kubernetes/client-node";
import { expect, onTestFinished, test } from "vitest";
import { createTransport } from "./transport.ts";

/** Takes connections and says nothing; `wires` are these, still unread. */
async function startSilentServer() {
  const wires: Socket[] = [];
  const server = createServer({ pauseOnConnect: true }, (wire) => void wires.push(wire));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const config = new KubeConfig();
  config.loadFromClusterAndUser({ name: "c", server: `http://127.0.0.1:${port}`, skipTLSVerify: true }, { name: "u" });
  const transport = createTransport({ kubeConfig: config, userAgent: "test/1" });
  onTestFinished(async () => {
    await transport.close();
    for (const wire of wires) wire.destroy();
    server.close();
  });
  return { wires, transport, close: () => server.close() };
}

const write = { method: "PATCH", path: "/apis", body: {} } as const;

test("I11 OPR-6 what was said of a call that is given up is taken back: its connection is reset", async () => {
  const { wires, transport } = await startSilentServer();
  await expect(transport.request({ ...write, timeoutMs: 200 })).rejects.toMatchObject({ timedOut: true });
  const [wire] = wires;
  expect(wire).toBeDefined();
  const failed = once(wire ?? process, "error");
  wire?.resume();
  expect(await failed).toMatchObject([{ code: "ECONNRESET" }]);
});

test("a server that is not there fails the call at once", async () => {
  const { transport, close } = await startSilentServer();
  close();
  await expect(transport.request({ ...write, timeoutMs: 5_000 })).rejects.toThrow(/ECONNREFUSED/);
});
