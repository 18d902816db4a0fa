// Approvals on a real API server, by built gateways with the account and rights that the operator made: a call is asked about, answered
// by kubectl, and used once, in three writes; and so it stays when a gateway is killed at any step, when two of them are asked at
// once, and when the API server is away.
import { setTimeout as delay } from "node:timers/promises";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { parseApprovalLine, type ApprovalLine } from "../../crds/approval-wire.ts";
import { hashOf, questionOf } from "../../gateway/approvals/testing/scene.ts";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import { startFaultProxy, type FaultProxy } from "../faults/proxy.ts";
import { agent, instance } from "./attacks/manifests.ts";
import { startGateway, type GatewayProcess } from "./gateway-process.ts";
import { watchNamespace, type WatchedNamespace } from "./watched-namespace.ts";

const path = "/agent/approvals";
const approvals = { resource: "pallasapprovals" };
const statuses = { resource: "pallasapprovals/status" };

describe.skipIf(clusterMissing())("MGM-6 approvals in a cluster", { timeout: 120_000 }, () => {
  let space: WatchedNamespace;
  let proxy: FaultProxy;
  let gateway: GatewayProcess;
  let token: string;
  let amount = 0;

  beforeAll(async () => {
    space = await watchNamespace("approvals");
    await space.apply(instance({ gateway: {} }), agent({}, "clerk"));
    await space.waitFor("pallasinstance", "team", "condition=GatewayAvailable");
    await space.waitFor("pallasagent", "clerk", "condition=Available");
    proxy = await startFaultProxy({ upstream: cluster() });
    gateway = await startGateway(space, "team", { server: proxy });
    const account = `/api/v1/namespaces/${space.name}/serviceaccounts/clerk-agent/token`;
    const spec = { audiences: [`pallas:${space.name}/team`] };
    token = JSON.parse((await callApi(cluster(), { method: "POST", path: account, body: { spec } })).body).status.token;
  }, 120_000);
  afterEach(() => proxy.faults.clear());
  afterAll(async () => {
    await gateway?.[Symbol.asyncDispose]();
    await proxy?.stop();
    await space?.[Symbol.asyncDispose]();
  });

  const send = async (method: string, at: string, body?: unknown, to = gateway) =>
    await fetch(`${to.url}${at}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  /** The last line of a stream, and the name in its first; undefined where it broke. */
  async function follow(answer: Response, onName: (name: string) => void = () => undefined) {
    let last: ApprovalLine | undefined;
    try {
      for await (const line of createInterface({ input: Readable.from(answer.body ?? []) })) {
        last = parseApprovalLine(line);
        if (last.type === "waiting") onName(last.name);
      }
    } catch {
      return undefined;
    }
    return last;
  }
  /** A question of its own for each test. */
  const nextQuestion = () => {
    amount += 1;
    return { question: questionOf({ amount }), argumentsHash: hashOf({ amount }) };
  };
  const patch = async (name: string, argumentsHash: string, by = "system:admin", more: object = {}) => {
    const decision = { verdict: "approve", argumentsHash, by, at: new Date().toISOString(), ...more };
    await space.kubectl("patch", "pallasapproval", name, "--type=merge", "-p", JSON.stringify({ spec: { decision } }));
  };
  const use = (name: string, argumentsHash: string, id: string, to = gateway) =>
    send("POST", `${path}/${name}/use`, { use: id, argumentsHash }, to);
  /** Names of the approvals of a question. */
  async function namesOf(argumentsHash: string): Promise<string[]> {
    const { items } = JSON.parse(await space.kubectl("get", "pallasapprovals", "-o", "json"));
    return items
      .filter(({ spec }: { spec: { argumentsHash: string } }) => spec.argumentsHash === argumentsHash)
      .map(({ metadata }: { metadata: { name: string } }) => metadata.name);
  }
  /** Asks, and tells the name as soon as it is known. */
  async function ask(question: object) {
    const named = Promise.withResolvers<string>();
    const answer = await send("POST", path, question);
    if (answer.status !== 200) throw new Error(await answer.text());
    const last = follow(answer, named.resolve);
    return { name: await named.promise, last };
  }

  it("are answered by kubectl, and cost three writes", async () => {
    const { question, argumentsHash } = nextQuestion();
    const before = proxy.journal.length;
    const { name, last } = await ask(question);
    expect(name).toMatch(/^clerk-[0-9a-f]{12}-0$/);
    await patch(name, argumentsHash);
    expect(await last).toMatchObject({ type: "decided", decision: { by: "system:admin" } });
    const id = randomUUID();
    for (const _ of [1, 2]) expect((await use(name, argumentsHash, id)).status).toBe(200);
    expect((await use(name, argumentsHash, randomUUID())).status).toBe(409);
    const writes = proxy.journal.slice(before).filter(({ isWrite }) => isWrite);
    // The third is kubectl's, past the proxy.
    expect(writes.map(({ verb, resource }) => `${verb} ${resource}`)).toEqual([
      "create pallasapprovals",
      "patch pallasapprovals/status",
    ]);
    const { spec, status } = await space.get("pallasapproval", name);
    expect(status).toMatchObject({ usedBy: id });
    expect(spec).toMatchObject({
      agentRef: { name: "clerk" },
      agentUid: (await space.get("pallasagent", "clerk")).metadata.uid,
    });
  });

  it("count by kubectl only for whom the rule names, and are decided once", async () => {
    const { question, argumentsHash } = nextQuestion();
    const { name, last } = await ask({ ...question, policy: { ...question.policy, approvers: ["finance"] } });
    await patch(name, argumentsHash, "eve");
    await expect(patch(name, argumentsHash, "finance")).rejects.toThrow("decision cannot change");
    expect(await last).toMatchObject({
      decision: { verdict: "denyContinue", reason: expect.stringContaining("eve is none of its approvers") },
    });
  });

  it("of an agent may be 32, and no 33rd", async () => {
    const opened: string[] = [];
    let answer = await send("POST", path, nextQuestion().question);
    while (answer.status === 200) {
      const named = Promise.withResolvers<string>();
      void follow(answer, named.resolve);
      opened.push(await named.promise);
      answer = await send("POST", path, nextQuestion().question);
    }
    expect([answer.status, (await answer.json()).error]).toEqual([429, "full"]);
    expect(opened).toHaveLength(32);
    for (const name of opened) expect((await send("DELETE", `${path}/${name}`)).status).toBe(204);
  });

  it("are asked once when two gateways are asked at once, and used once when both use them", async () => {
    await using second = await startGateway(space, "team", { server: proxy });
    for (let round = 0; round < 20; round += 1) {
      const { question, argumentsHash } = nextQuestion();
      const named = [gateway, second].map(async (to) => {
        const name = Promise.withResolvers<string>();
        void follow(await send("POST", path, question, to), name.resolve);
        return await name.promise;
      });
      const [name = "", other] = await Promise.all(named);
      expect(other).toBe(name);
      await patch(name, argumentsHash);
      const used = await Promise.all(
        [gateway, second, gateway, second].map((to) => use(name, argumentsHash, randomUUID(), to)),
      );
      const told = await Promise.all(used.map(async (each) => `${each.status} ${(await each.json()).message ?? ""}`));
      const refused = `409 what was decided of approval "${name}" has been used: a yes is worth one call`;
      expect(told.toSorted((a, b) => a.localeCompare(b))).toEqual(["200 ", refused, refused, refused]);
    }
  });

  describe("when the gateway is killed", () => {
    const kill = async () => void (gateway = await gateway.restart());

    it("before it heard that the question was written: it is the one that waits then", async () => {
      const { question, argumentsHash } = nextQuestion();
      const killed = Promise.withResolvers<void>();
      const action = { kind: "call-after", run: () => void kill().then(killed.resolve, killed.reject) } as const;
      proxy.faults.add({ match: { ...approvals, verb: "create" }, action, times: 1 });
      const asked = send("POST", path, question).then(follow, () => undefined);
      await killed.promise;
      await asked;
      const { name, last } = await ask(question);
      expect(await namesOf(argumentsHash)).toEqual([name]);
      await patch(name, argumentsHash);
      expect(await last).toMatchObject({ type: "decided" });
      expect((await use(name, argumentsHash, randomUUID())).status).toBe(200);
    });

    it("while it waits, and it is decided meanwhile: nobody is asked again", async () => {
      const { question, argumentsHash } = nextQuestion();
      const { name, last } = await ask(question);
      const killing = kill();
      await patch(name, argumentsHash);
      await killing;
      expect((await last)?.type).not.toBe("decided");
      const again = await send("GET", `${path}/${name}`);
      expect(await follow(again)).toMatchObject({ type: "decided" });
      expect(await ask(question)).toMatchObject({ name });
      expect((await use(name, argumentsHash, randomUUID())).status).toBe(200);
      expect((await use(name, argumentsHash, randomUUID())).status).toBe(409);
      expect(await namesOf(argumentsHash)).toEqual([name]);
    });

    it.each(["call-before", "call-after"] as const)(
      "%s the use is written: it is used once, by the same use",
      async (kind) => {
        const { question, argumentsHash } = nextQuestion();
        const { name, last } = await ask(question);
        await patch(name, argumentsHash);
        await last;
        const killed = Promise.withResolvers<void>();
        const action = { kind, run: () => void kill().then(killed.resolve, killed.reject) };
        proxy.faults.add({ match: { ...statuses, verb: "patch" }, action, times: 1 });
        const id = randomUUID();
        await use(name, argumentsHash, id).catch(() => undefined);
        await killed.promise;
        expect((await use(name, argumentsHash, id)).status).toBe(200);
        expect((await use(name, argumentsHash, randomUUID())).status).toBe(409);
        expect(await namesOf(argumentsHash)).toEqual([name]);
      },
    );
  });

  describe("when the API server", () => {
    it("loses the answer to each write, everything goes on", async () => {
      const { question, argumentsHash } = nextQuestion();
      const lose = { kind: "lose-answer" } as const;
      proxy.faults.add({ match: { ...approvals, verb: "create" }, action: lose, times: 1 });
      const { name, last } = await ask(question);
      await patch(name, argumentsHash);
      expect(await last).toMatchObject({ type: "decided" });
      proxy.faults.add({ match: { ...statuses, verb: "patch" }, action: lose, times: 1 });
      expect((await use(name, argumentsHash, randomUUID())).status).toBe(200);
      expect((await use(name, argumentsHash, randomUUID())).status).toBe(409);
      expect(await namesOf(argumentsHash)).toEqual([name]);
    });

    it("is away, nothing is asked or used; what was decided meanwhile is used afterwards", async () => {
      const { question, argumentsHash } = nextQuestion();
      const { name, last } = await ask(question);
      const away = [approvals, statuses].map((match) => proxy.faults.add({ match, action: { kind: "reset" } }));
      proxy.faults.endWatches(approvals, "reset");
      await patch(name, argumentsHash);
      const other = nextQuestion();
      expect((await send("POST", path, other.question)).status).toBe(503);
      const id = randomUUID();
      expect((await use(name, argumentsHash, id)).status).toBe(503);
      await delay(1_000);
      for (const each of away) each.remove();
      expect(await last).toMatchObject({ type: "decided" });
      expect((await use(name, argumentsHash, id)).status).toBe(200);
      expect((await use(name, argumentsHash, randomUUID())).status).toBe(409);
    });
  });

  it("are collected when they were kept for as long as the instance says, and those that wait are not", async () => {
    const deployment = async () => JSON.stringify((await space.get("deployment", "team-gateway")).spec);
    const before = await deployment();
    const waiting = await ask(nextQuestion().question);
    const isOver = ({ status }: { status?: { conditions?: { type: string; status: string }[] } }) =>
      status?.conditions?.some((each) => ["Consumed", "Expired"].includes(each.type) && each.status === "True") ===
      true;
    const left = async () =>
      JSON.parse(await space.kubectl("get", "pallasapprovals", "-o", "json")).items.filter(isOver).length;
    expect(await left()).toBeGreaterThan(5);
    await space.apply(instance({ gateway: { approvals: { keep: "0s" } } }));
    await expect.poll(deployment, { timeout: 30_000 }).not.toBe(before);
    await using _ = await startGateway(space, "team", { server: proxy });
    // For a minute at least, for answers that were lost on the way.
    await expect.poll(left, { timeout: 90_000, interval: 1_000 }).toBe(0);
    expect((await send("DELETE", `${path}/${waiting.name}`)).status).toBe(204);
  });

  it("OPR-9 need no right that the gateway does not have", async () => {
    const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
    expect(metrics).not.toMatch(/^rest_client_requests_total\{.*code="40[13]".*\} [1-9]/m);
    expect(metrics).toMatch(/^pallas_gateway_approvals_total\{verdict="approve"\} [1-9]/m);
  });
});
