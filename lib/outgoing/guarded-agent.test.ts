import { once } from "node:events";
import { createServer, get as getPlain, type IncomingMessage } from "node:http";
import { get as getSecure } from "node:https";
import type { LookupFunction } from "node:net";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { openGuardedAgent } from "./guarded-agent.ts";

afterEach(() => vi.unstubAllEnvs());

async function ask(url: string, lookup?: LookupFunction): Promise<string> {
  const { protocol } = new URL(url);
  const agent = await openGuardedAgent(protocol, { lookup });
  onTestFinished(() => agent.destroy());
  const get = protocol === "https:" ? getSecure : getPlain;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent, signal: AbortSignal.timeout(5_000) }, resolve).on("error", reject);
  });
  return Buffer.concat(await answer.toArray()).toString();
}

async function serve(): Promise<string> {
  const server = createServer((request, response) => response.end(`answers ${request.url}`)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected a TCP port");
  return `http://127.0.0.1:${address.port}`;
}

const resolveTo =
  (address: string): LookupFunction =>
  (_name, _options, callback) =>
    callback(null, [{ address, family: 4 }]);

const refused = "link-local or metadata address";

describe.each(["http", "https"])("SEC-5 over %s no connection is made", (scheme) => {
  test.each(["169.254.169.254", "0xa9fea9fe", "[::ffff:a9fe:a9fe]", "[fe80::1]"])("to the literal %s", (host) =>
    expect(ask(`${scheme}://${host}/`)).rejects.toThrow(refused),
  );

  test("to a name that leads to a refused address", () =>
    expect(ask(`${scheme}://trap.example/`, resolveTo("169.254.169.254"))).rejects.toThrow(
      `trap.example leads to 169.254.169.254, a ${refused}`,
    ));

  test.each(["http://169.254.169.254:80", "http://trap.example:80"])("to the proxy %s", async (proxy) => {
    vi.stubEnv(`${scheme.toUpperCase()}_PROXY`, proxy);
    await expect(ask(`${scheme}://a.example/`, resolveTo("169.254.169.254"))).rejects.toThrow(refused);
  });
});

describe("what may be called", () => {
  test("is reached by a name that leads to a good address", async () => {
    const { port } = new URL(await serve());
    expect(await ask(`http://good.example:${port}/a`, resolveTo("127.0.0.1"))).toBe("answers /a");
  });

  test("is asked for through the proxy of the environment, and directly at loopback", async () => {
    const url = await serve();
    vi.stubEnv("HTTP_PROXY", url);
    expect(await ask("http://a.example/x")).toBe("answers http://a.example/x");
    expect(await ask(`${url}/x`)).toBe("answers /x");
  });
});
