// The fault proxy itself, in front of the real API server: without rules it changes nothing, and each fault is the one
// that its name says.
import { EventEmitter, once } from "node:events";
import { request } from "node:https";
import { connect, createServer } from "node:net";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing, createNamespace, type TestNamespace } from "../cluster/cluster.ts";
import { parseApiRequest } from "../faults/api-request.ts";
import { FaultRules, maxRules } from "../faults/fault-rules.ts";
import { createJournal } from "../faults/journal.ts";
import { startFaultProxy, type FaultProxy } from "../faults/proxy.ts";
import { portOf, startLink } from "../faults/link.ts";
import { readBody } from "../faults/upstream.ts";
import { splitLines } from "../faults/watch-stream.ts";

const apps = "/apis/apps/v1/namespaces/n/deployments";

describe("an API request as RBAC names it", () => {
  it.each([
    ["GET", apps, "list deployments n -"],
    ["GET", `${apps}?watch=1`, "watch deployments n -"],
    ["GET", `${apps}/d`, "get deployments n d"],
    ["POST", apps, "create deployments n new"],
    ["PATCH", `${apps}/d/status?force=true`, "patch deployments/status n d"],
    ["PATCH", `${apps}/d?dryRun=All`, "patch deployments n d, no write"],
    ["PUT", `${apps}/d`, "update deployments n d"],
    ["DELETE", `${apps}/d`, "delete deployments n d"],
    ["DELETE", apps, "deletecollection deployments n -"],
    ["GET", "/api/v1/namespaces/n", "get namespaces n n"],
    ["PUT", "/api/v1/namespaces/n/finalize", "update namespaces/finalize n n"],
    ["GET", "/api/v1/nodes", "list nodes - -"],
    ["GET", "/version", "list  - -"],
  ])("%s %s", (method, target, expected) => {
    const { verb, resource, namespace, name, isWrite } = parseApiRequest(method, target, '{"metadata":{"name":"new"}}');
    const isSafe = ["get", "list", "watch"].includes(verb);
    const said = `${verb} ${resource} ${namespace ?? "-"} ${name ?? "-"}${isWrite || isSafe ? "" : ", no write"}`;
    expect(said).toBe(expected);
  });
});

describe("limits of the fault proxy", () => {
  it("takes as many rules as the limit and refuses one more", () => {
    const rules = new FaultRules();
    const rule = { match: {}, action: { kind: "drop" } } as const;
    for (let count = 0; count < maxRules; count += 1) rules.add(rule);
    expect(() => rules.add(rule)).toThrow(`at most ${maxRules} fault rules`);
    rules.clear();
    expect(() => rules.add(rule)).not.toThrow();
  });

  it("remembers as many calls as the journal's limit and forgets the oldest of one more", () => {
    const journal = createJournal(2);
    for (const name of ["a", "b"]) journal.add(parseApiRequest("GET", `${apps}/${name}`));
    expect(journal.records.map(({ name }) => name)).toEqual(["a", "b"]);
    journal.add(parseApiRequest("GET", `${apps}/c`));
    expect(journal.records.map(({ name }) => name)).toEqual(["b", "c"]);
  });

  it("cuts lines wherever chunks end, up to the limit and not past it", async () => {
    const lines = async (...chunks: string[]) => {
      const read: string[] = [];
      for await (const line of splitLines(streamOf(chunks), 5)) read.push(line.toString());
      return read;
    };
    expect(await lines("ab\ncd", "e\n", "12345", "\n")).toEqual(["ab\n", "cde\n", "12345\n"]);
    await expect(lines("12345", "6\n")).resolves.toEqual(["123456\n"]);
    await expect(lines("123456", "\n")).rejects.toThrow("at most 5 bytes");
  });

  it("relays as many connections as the limit and resets one more", async () => {
    const echo = createServer((socket) => socket.pipe(socket)).listen({ port: 0, host: "127.0.0.1" });
    await once(echo, "listening");
    const link = await startLink(portOf(echo.address()), 1);
    const answer = async () => {
      const socket = connect({ port: link.port, host: "127.0.0.1" });
      socket.write("ping");
      const said = await once(socket, "data").then(String, String); // an error while it waits is what it resolves to
      return { socket, said };
    };
    const kept = await answer();
    expect(kept.said).toBe("ping");
    expect((await answer()).said).toMatch(/ECONNRESET|EPIPE/);
    kept.socket.destroy();
    await link.close();
    echo.close();
  });

  it("reads bodies up to the limit and refuses a longer one", async () => {
    expect((await readBody(streamOf(["ab", "cd"]), 4)).toString()).toBe("abcd");
    await expect(readBody(streamOf(["ab", "cde"]), 4)).rejects.toThrow("at most 4 bytes");
  });
});

async function* streamOf(chunks: string[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
}

interface OpenWatch {
  /** Complete lines so far, as `TYPE name`. */
  readonly events: string[];
  /** Incomplete line. */
  rest(): string;
  /** "end" or the error's code, once it is over. */
  over(): string | undefined;
  close(): void;
}

/** Resolves when the server has accepted the watch. */
async function openWatch(proxy: FaultProxy, path: string): Promise<OpenWatch> {
  const ca = await readFile(proxy.caPath);
  const accepted = new EventEmitter();
  const events: string[] = [];
  let rest = "";
  let over: string | undefined;
  const headers = { authorization: `Bearer ${proxy.token}` };
  const outgoing = request(`${proxy.url}${path}`, { headers, ca, agent: false }, (response) => {
    response.setEncoding("utf8");
    response.on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) events.push(describeEvent(line));
    });
    response.once("end", () => (over ??= "end"));
    response.once("error", (error: NodeJS.ErrnoException) => (over ??= error.code ?? error.message));
    accepted.emit("open");
  });
  outgoing.once("error", (error: NodeJS.ErrnoException) => (over ??= error.code ?? error.message));
  outgoing.end();
  await new Promise((resolve) => accepted.once("open", resolve));
  return { events, rest: () => rest, over: () => over, close: () => outgoing.destroy() };
}

function describeEvent(line: string): string {
  try {
    const { type, object } = JSON.parse(line);
    return `${type} ${object.metadata.name ?? object.code}`;
  } catch {
    return "unreadable";
  }
}

describe.skipIf(clusterMissing())("the fault proxy", () => {
  let namespace: TestNamespace;
  let proxy: FaultProxy;
  let maps: string;
  beforeAll(async () => {
    namespace = await createNamespace("faults");
    proxy = await startFaultProxy({ upstream: cluster() });
    maps = `/api/v1/namespaces/${namespace.name}/configmaps`;
  });
  afterAll(async () => {
    await proxy.stop();
    await namespace.remove();
  });

  const create = (name: string, by: Parameters<typeof callApi>[0] = proxy) =>
    callApi(by, { method: "POST", path: maps, body: { metadata: { name } }, timeoutMs: 3_000 });
  const names = async (path = maps): Promise<string[]> => {
    const items: { metadata: { name: string } }[] = JSON.parse((await callApi(proxy, { path })).body).items;
    return items.map(({ metadata }) => metadata.name).filter((name) => name !== "kube-root-ca.crt");
  };
  const only = (verb: string) => ({ verb, namespace: namespace.name, resource: "configmaps" });

  it("without rules passes calls through as the client's token, and writes them down", async () => {
    expect((await create("plain")).status).toBe(201);
    expect(proxy.journal.at(-1)).toMatchObject({
      ...{ method: "POST", path: maps, verb: "create", resource: "configmaps", name: "plain" },
      ...{ status: 201, reached: true, isWrite: true, fault: undefined },
    });
    expect((await callApi(proxy, { path: maps, token: "nobody" })).status).toBe(401);
    const { kubectl } = cluster();
    const listed = await kubectl([`--kubeconfig=${proxy.kubeconfigPath}`, "get", "cm", "-n", namespace.name]);
    expect(listed).toContain("plain");
  });

  it("passes on the body of a DELETE, and the next call on that connection is sound", async () => {
    const path = `${maps}/kept`;
    await create("kept");
    for (const uid of ["another", "one more"]) {
      const { status } = await callApi(proxy, { method: "DELETE", path, body: { preconditions: { uid } } });
      expect(status).toBe(409);
      expect((await callApi(proxy, { path })).status).toBe(200);
    }
  });

  it("answers with a status, as often as told, and leaves other calls alone", async () => {
    const action = { kind: "answer", status: 429, retryAfterSeconds: 3 } as const;
    const rule = proxy.faults.add({ match: only("list"), action, times: 2, skip: 1 });
    const seen = [];
    for (let call = 0; call < 4; call += 1) seen.push((await callApi(proxy, { path: maps })).status);
    expect(seen).toEqual([200, 429, 429, 200]);
    expect(rule.hits).toBe(2);
    rule.remove();
  });

  it.each([
    ["drop", /abort|timeout/i, false],
    ["reset", /ECONNRESET/, false],
    ["lose-answer", /ECONNRESET/, true],
    ["truncate-answer", /ECONNRESET|aborted/, true],
  ] as const)("%s: the client gets no answer; the write is applied: %s %s", async (kind, message, applied) => {
    const rule = proxy.faults.add({ match: only("create"), action: { kind }, times: 1 });
    await expect(create(kind)).rejects.toThrow(message);
    expect((await names()).includes(kind)).toBe(applied);
    rule.remove();
  });

  it.each([
    ["call-before", [404, 404]],
    ["call-after", [200, 200]],
  ] as const)("%s calls back at the k-th write, before the client knows", async (kind, expected) => {
    const seen: unknown[] = [];
    const run = async ({ name }: { name: string | undefined }) => {
      seen.push(name, (await callApi(cluster(), { path: `${maps}/${name}` })).status);
    };
    const match = { namespace: namespace.name, isWrite: true };
    const rule = proxy.faults.add({ match, action: { kind, run }, skip: 1, times: 2 });
    for (const number of [1, 2, 3, 4]) await create(`${kind}-${number}`);
    expect(seen).toEqual([`${kind}-2`, expected[0], `${kind}-3`, expected[1]]);
    rule.remove();
  });

  it("an error of a callback is not lost: stop rejects with it", async () => {
    const own = await startFaultProxy({ upstream: cluster() });
    const run = () => Promise.reject(new Error("the callback's own"));
    own.faults.add({ match: {}, action: { kind: "call-before", run } });
    await expect(callApi(own, { path: maps })).rejects.toThrow(/ECONNRESET/);
    await expect(own.stop()).rejects.toThrow("callbacks of fault rules failed");
  });

  it("serves a list as it was", async () => {
    const then = await proxy.snapshot();
    await create("later");
    const rule = proxy.faults.add({ match: only("list"), action: { kind: "stale-list", resourceVersion: then } });
    expect(await names()).not.toContain("later");
    rule.remove();
    expect(await names()).toContain("later");
  });

  it("a partition is silence both ways, and heals; what went dark alone stays dark", async () => {
    proxy.faults.partition();
    await expect(callApi(proxy, { path: maps, timeoutMs: 300 })).rejects.toThrow(/abort|timeout/i);
    const waiting = callApi(proxy, { path: maps });
    proxy.faults.heal();
    expect((await waiting).status).toBe(200);

    const watch = await openWatch(proxy, `${maps}?watch=1`);
    await expect.poll(() => watch.events).toContain("ADDED plain");
    proxy.faults.blackHole();
    await create("in-the-dark");
    proxy.faults.heal();
    const light = await openWatch(proxy, `${maps}?watch=1`);
    await expect.poll(() => light.events).toContain("ADDED in-the-dark");
    expect(watch.events).not.toContain("ADDED in-the-dark");
    expect(watch.over()).toBeUndefined();
    proxy.faults.resetAll();
    await expect.poll(() => light.over()).toBe("ECONNRESET");
    watch.close();
  });

  describe("on watches", () => {
    const struck = async (
      kind: "truncate-event" | "expire" | "silence" | "duplicate" | "garbage" | "split",
      name: string,
    ) => {
      const rule = proxy.faults.add({ match: { ...only("watch"), name }, action: { kind }, times: 1 });
      const watch = await openWatch(proxy, `${maps}?watch=1&resourceVersion=${await proxy.snapshot()}`);
      await create(`${name}-before`);
      await create(name);
      await expect.poll(() => rule.hits).toBe(1);
      await create(`${name}-after`);
      rule.remove();
      return watch;
    };

    it("truncate-event: half a line, then RST", async () => {
      const watch = await struck("truncate-event", "half");
      await expect.poll(() => watch.over()).toBe("ECONNRESET");
      expect(watch.events).toEqual(["ADDED half-before"]);
      expect(watch.rest()).toMatch(/^\{"type":"ADDED"/);
    });

    it("expire: ERROR 410, then the end", async () => {
      const watch = await struck("expire", "old");
      await expect.poll(() => watch.over()).toBe("end");
      expect(watch.events).toEqual(["ADDED old-before", "ERROR 410"]);
    });

    it("silence: nothing more, and still open", async () => {
      const watch = await struck("silence", "mute");
      const other = await openWatch(proxy, `${maps}?watch=1`);
      await expect.poll(() => other.events).toContain("ADDED mute-after");
      expect(watch.events).toEqual(["ADDED mute-before"]);
      expect(watch.over()).toBeUndefined();
      watch.close();
      other.close();
    });

    it.each([
      ["duplicate", "twice", ["ADDED twice-before", "ADDED twice", "ADDED twice", "ADDED twice-after"]],
      ["garbage", "trash", ["ADDED trash-before", "unreadable", "ADDED trash-after"]],
      ["split", "bytes", ["ADDED bytes-before", "ADDED bytes", "ADDED bytes-after"]],
    ] as const)("%s", async (kind, name, expected) => {
      const watch = await struck(kind, name);
      await expect.poll(() => watch.events).toEqual(expected);
      watch.close();
    });

    it("withhold: later ones pass, the event itself comes when released", async () => {
      const rule = proxy.faults.add({
        match: { ...only("watch"), name: "held" },
        action: { kind: "withhold" },
        times: 1,
      });
      const watch = await openWatch(proxy, `${maps}?watch=1&resourceVersion=${await proxy.snapshot()}`);
      await create("held");
      await create("passed");
      await expect.poll(() => watch.events).toEqual(["ADDED passed"]);
      rule.release();
      await expect.poll(() => watch.events).toEqual(["ADDED passed", "ADDED held"]);
      rule.remove();
      watch.close();
    });

    it("open watches can be told a bookmark, ended and reset", async () => {
      const path = `${maps}?watch=1&resourceVersion=${await proxy.snapshot()}`;
      for (const [how, end] of [
        ["orderly", "end"],
        ["reset", "ECONNRESET"],
      ] as const) {
        const watch = await openWatch(proxy, path);
        expect(proxy.faults.sendBookmark(only("watch"), "1")).toBe(1);
        await expect.poll(() => watch.events).toEqual(["BOOKMARK undefined"]);
        expect(proxy.faults.endWatches(only("watch"), how)).toBe(1);
        await expect.poll(() => watch.over()).toBe(end);
      }
    });
  });
});
