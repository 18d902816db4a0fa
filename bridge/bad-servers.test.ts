// What servers do that nobody wants, each by a real process: what it costs its clients, and what is said of it.
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { Client } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, it, onTestFinished, vi } from "vitest";
import { startBridge } from "./testing/bridge-under-test.ts";
import { openRawSession, tryOpenSession } from "./testing/raw-session.ts";

/** A registry of packages that has none. */
async function startEmptyRegistry(): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(404, { "content-type": "application/json" }).end('{"error":"Not found"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
}

it("DSC-6: a package that does not exist is said to be missing, by its name", async () => {
  const env = [{ name: "npm_config_registry", value: await startEmptyRegistry() }];
  const command = ["npx", "-y", "no-such-server@1.0.0"];
  const { url, health } = await startBridge({ target: { kind: "command", command, env } });
  const refused = await tryOpenSession(url);
  expect(refused.status).toBe(503);
  await vi.waitFor(async () => expect((await health()).status).toBe("down"), { timeout: 30_000 });
  expect((await health()).message).toMatch(
    /^the server's process exited with code 1 before it answered initialize; it wrote to standard error: npm error 404 .*'no-such-server@1\.0\.0'/,
  );
}, 60_000);

it("a program that is not there, or no folder, is named", async () => {
  const { health } = await startBridge({ target: { kind: "command", command: ["/no/such/program"], env: [] } });
  await vi.waitFor(async () => expect((await health()).status).toBe("down"));
  expect((await health()).message).toMatch(/cannot be started: there is no program \/no\/such\/program on its PATH/);
});

it("DSC-6: a server that wants to be root is down with the system's own words", async () => {
  const { health } = await startBridge({ mode: "root" });
  await vi.waitFor(async () => expect((await health()).status).toBe("down"));
  expect((await health()).message).toMatch(
    /wrote to standard error: Error: EACCES: permission denied, open '\/etc\/shadow'/,
  );
});

it("DSC-6: what a server prints before its first message does no harm, and is counted", async () => {
  const { url, metric } = await startBridge({ mode: "banner" });
  expect(await (await openRawSession(url)).say("echo")).toMatchObject({ calls: 1 });
  // Of the session's process and of the one that was looked at.
  await vi.waitFor(async () => expect(await metric("pallas_bridge_stray_lines_total")).toBe(6));
});

it("DSC-6: all that a server forks ends with its session, and with a killed server", async () => {
  const { url, health } = await startBridge({ sessions: { max: 3 } });
  const [first, second] = [await openRawSession(url), await openRawSession(url)];
  const fork = async (session: typeof first) => {
    const pids = await session.say("fork", { count: 20 });
    return Array.isArray(pids) ? pids.map(Number) : [];
  };
  const [ofFirst, ofSecond] = [await fork(first), await fork(second)];
  expect([ofFirst, ofSecond].map((pids) => pids.filter(isAlive).length)).toEqual([20, 20]);
  await first.end();
  expect(ofFirst.filter(isAlive)).toEqual([]);
  expect(ofSecond.filter(isAlive)).toHaveLength(20);
  await second.call("die");
  await vi.waitFor(() => expect(ofSecond.filter(isAlive)).toEqual([]));
  expect((await health()).processes).toBeLessThanOrEqual(2);
});

it("DSC-6: names with two underscores or control sequences pass as they are, and are in no log", async () => {
  const { url, adminUrl, logLines } = await startBridge();
  const red = "\u001B[31mred\u001B[0m\u202Eder";
  const session = await openRawSession(url);
  const [listed] = await session.request("tools/list");
  const names = listed?.result?.["tools"];
  expect(names).toEqual(expect.arrayContaining([expect.objectContaining({ name: "list__all" })]));
  expect(names).toEqual(expect.arrayContaining([expect.objectContaining({ name: red })]));
  for (const name of ["list__all", red]) expect((await session.call(name)).result).toBeDefined();
  const client = new Client({ name: "c", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["list__all", red]));
  expect((await client.callTool({ name: "list__all", arguments: {} })).content).toHaveLength(1);
  const pages = await Promise.all(
    ["/health", "/metrics", "/stderr"].map(async (path) => await (await fetch(adminUrl + path)).text()),
  );
  const shown = [...pages, ...logLines].join("\n");
  for (const part of ["list__all", "\u001B", String.raw`\u001b`, "\u202E"]) expect(shown).not.toContain(part);
});

it.each(["perSession", "shared"] as const)(
  "DSC-6: a server killed by somebody else costs each call in flight one error, and the next is answered: %s",
  async (processes) => {
    const { url } = await startBridge({ sessions: { processes } });
    const session = await openRawSession(url);
    const other = await openRawSession(url);
    const { pid } = Object(await session.say("echo"));
    const running = [1, 2, 3].map(
      async () => await session.request("tools/call", { name: "slow", arguments: { ms: 60_000 } }),
    );
    const ofOther = other.call("slow", { ms: processes === "shared" ? 60_000 : 1_000 });
    await vi.waitFor(async () =>
      expect(JSON.stringify(await session.say("seen")).match(/60000/g)?.length).toBeGreaterThan(2),
    );
    process.kill(Number(pid), "SIGKILL");
    for (const messages of await Promise.all(running)) {
      expect(messages.map(({ error }) => error?.message)).toEqual([
        "The server's process was ended by SIGKILL during the call; the next call starts it anew",
      ]);
    }
    expect((await ofOther).error === undefined).toBe(processes === "perSession");
    expect(await session.say("echo")).toMatchObject({ calls: 1 });
    expect((await other.call("echo")).result).toBeDefined();
  },
);

it("DSC-6: 256 sessions share a process, and the next is refused with the cure", async () => {
  const { url, health, metric } = await startBridge({ sessions: { processes: "shared", max: 1 } });
  for (let opened = 0; opened < 256; opened += 32) {
    await Promise.all(Array.from({ length: 32 }, async () => await openRawSession(url)));
  }
  const refused = await tryOpenSession(url);
  expect([refused.status, await refused.text()]).toEqual([
    503,
    expect.stringContaining("This server has 256 sessions open: end one, or try again later"),
  ]);
  expect(await metric("pallas_bridge_sessions")).toBe(256);
  expect((await health()).processes).toBe(1);
});

it("DSC-6: a flood of sessions at once starts no more processes than there may be", async () => {
  const { url, health, metric } = await startBridge({ sessions: { max: 3 } });
  const answers = await Promise.all(Array.from({ length: 40 }, async () => await tryOpenSession(url)));
  expect(answers.filter(({ ok }) => ok)).toHaveLength(3);
  expect(answers.filter(({ status }) => status === 503)).toHaveLength(37);
  expect((await health()).processes).toBe(3);
  // The one that was looked at made room.
  expect(await metric('pallas_bridge_starts_total{outcome="ok"}')).toBeLessThanOrEqual(4);
});

function isAlive(pid: number): boolean {
  try {
    return !execFileSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).startsWith("Z");
  } catch {
    return false;
  }
}
