// What hostile pods answer, over real connections, to the operator's question: each costs its own verdict only.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { expect, it, onTestFinished, vi } from "vitest";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { agentQuestion } from "./ask-health.ts";
import { createHealthPoller } from "./poller.ts";

const report = (agent: string, fields: object = {}) =>
  JSON.stringify({ status: "ok", timestamp: "2026-11-21T10:00:00Z", agent, providers: {}, downstreams: {}, ...fields });

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected a TCP port");
  return `http://127.0.0.1:${address.port}/health`;
}

const hostile: Readonly<Record<string, RequestListener>> = {
  endless: (_, response) => {
    const write = (): void => void (response.write("x".repeat(65_536)) && setImmediate(write));
    response.on("drain", write);
    write();
  },
  garbage: (_, response) => response.end(Buffer.alloc(2 * 1024 * 1024, 0xff)),
  types: (_, response) => response.end(report("types", { status: 1, providers: ["a"] })),
  deep: (_, response) => response.end(`${"[".repeat(100_000)}${"]".repeat(100_000)}`),
  hung: (_, response) => response.writeHead(200).flushHeaders(),
  elsewhere: (_, response) => response.writeHead(307, { location: "http://127.0.0.1:1/" }).end(),
  liar: (_, response) => response.end(report("sound", { status: "error", message: "down" })),
};

it("SEC-6 whatever hostile pods answer, each is an error of its own, and the others are asked on", async () => {
  const names = [...Object.keys(hostile), "sound"];
  const urls = new Map<string, string>();
  for (const name of names) {
    urls.set(`agents/${name}`, await serve(hostile[name] ?? ((_, response) => response.end(report("sound")))));
  }
  const pods = {
    of: (agent: string) => [{ url: urls.get(agent) ?? "", ready: true }],
    onChange(listener: (agent: string, initial: boolean) => void) {
      for (const agent of urls.keys()) listener(agent, false);
      return () => undefined;
    },
  };
  let soundAsked = 0;
  const question = agentQuestion();
  const poller = createHealthPoller({
    pods,
    onChange: () => undefined,
    log: silentLog(),
    intervalMs: 600,
    timeoutMs: 300,
    question: {
      ...question,
      ask(url, agent, signal) {
        if (agent === "sound") soundAsked += 1;
        return question.ask(url, agent, signal);
      },
    },
  });
  const stop = new AbortController();
  const running = poller.run(stop.signal);
  await vi.waitFor(() => {
    expect(names.map((name) => poller.of(`agents/${name}`)?.health)).toEqual([
      ...Object.keys(hostile).map(() => "error"),
      "ok",
    ]);
  });
  const before = soundAsked;
  await vi.waitFor(() => expect(soundAsked).toBeGreaterThan(before + 1));
  expect(poller.of("agents/sound")?.health).toBe("ok");
  stop.abort(new Error("stopped"));
  await running;
});
