// A built agent, a built gateway and a real API server, each gone at each step from the question to the call: asked, written, decided,
// used, called. A tool server counts what reaches it: never twice for one yes, never without one, and nobody is asked again of
// what was decided and not used. The API server goes away as seen by the gateway: every connection is reset for a while.
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { ask } from "../../agent-runtime/testing/client.ts";
import type { AgentProcess } from "../../agent-runtime/testing/process.ts";
import { renderTestConfig, renderTestServer } from "../../agent-runtime/testing/run-config.ts";
import { startToolServer, textResult, type ToolServer } from "../../agent-runtime/testing/servers.ts";
import { hashOf } from "../../gateway/approvals/testing/scene.ts";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import { startFaultProxy, type FaultProxy } from "../faults/proxy.ts";
import { startModelMock, type ModelMock } from "../models/model-mock.ts";
import { startBuiltAgent } from "./agents/built-agent.ts";
import { agent as agentManifest, instance } from "./attacks/manifests.ts";
import { startGateway, type GatewayProcess } from "./gateway-process.ts";
import { watchNamespace, type WatchedNamespace } from "./watched-namespace.ts";

const victims = ["agent", "gateway", "API server"] as const;
/** After what, or before it, the victim is gone. */
const steps = ["written", "decided while it is gone", "decided", "before the use", "used", "called"] as const;
type Victim = (typeof victims)[number];
type Step = (typeof steps)[number];
const awayMs = 1_500;

const approvalSchema = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    argumentsHash: z.string(),
    decision: z.object({ verdict: z.string(), at: z.string() }).optional(),
  }),
});
const messagesSchema = z.array(z.looseObject({ role: z.string(), content: z.unknown() }));

describe.skipIf(clusterMissing())("MGM-6 a crash at each step", { timeout: 120_000 }, () => {
  let [space, proxy, gateway, agent, bank, model]: [
    WatchedNamespace?,
    FaultProxy?,
    GatewayProcess?,
    AgentProcess?,
    ToolServer?,
    ModelMock?,
  ] = [];
  let folder: string;
  let amount = 0;
  let onPaid: () => void = () => undefined;
  const paid: { amount: number; at: number }[] = [];
  const there = <Value>(value: Value | undefined): Value => value ?? expect.fail("it has not started");

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pallas-crash-"));
    space = await watchNamespace("approvals-crash");
    await space.apply(instance({ gateway: {} }), agentManifest({}, "clerk"));
    await space.waitFor("pallasinstance", "team", "condition=GatewayAvailable");
    await space.waitFor("pallasagent", "clerk", "condition=Available");
    proxy = await startFaultProxy({ upstream: cluster() });
    gateway = await startGateway(space, "team", { server: proxy });
    const path = `/api/v1/namespaces/${space.name}/serviceaccounts/clerk-agent/token`;
    const body = { spec: { audiences: [`pallas:${space.name}/team`] } };
    const { token } = JSON.parse((await callApi(cluster(), { method: "POST", path, body })).body).status;
    await writeFile(join(folder, "token"), token);
    await writeLive();
    bank = await startToolServer({
      pay(args) {
        paid.push({ amount: Number(args["amount"]), at: Date.now() });
        onPaid();
        return textResult(`paid ${Number(args["amount"])}`);
      },
    });
    model = await startModelMock(({ body: asked }) => {
      const messages = messagesSchema.parse(Reflect.get(Object(asked), "messages"));
      const last = messages.at(-1);
      const told = JSON.stringify(last?.content);
      // It makes a call again of which it is told that nobody knows what became of it: a yes that is left is used then.
      if (last?.role === "tool" && !told.includes("interrupted")) return { text: `told: ${told}` };
      const said = messages.flatMap(({ content }) => JSON.stringify(content).match(/pay (\d+)/g) ?? []).at(-1) ?? "";
      return { toolCalls: [{ name: "bank__pay", arguments: { amount: Number(said.slice(4)) } }] };
    });
    await startAgent();
  }, 180_000);
  afterAll(async () => {
    await agent?.stop();
    await Promise.all([bank?.stop(), model?.close()]);
    await gateway?.[Symbol.asyncDispose]();
    await proxy?.stop();
    await space?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  /** As the kubelet does when the operator has written another. */
  async function writeLive() {
    const rules = [{ name: "pay", match: { tools: ["pay"] }, action: "ask" }];
    const live = {
      schema: 1,
      severalPods: false,
      policy: { name: "payments", generation: 1, rules, default: "allow" },
      approvals: { url: there(gateway).url, timeoutMs: 120_000 },
    };
    await writeFile(join(folder, "live.new"), JSON.stringify(live));
    await rename(join(folder, "live.new"), join(folder, "live.json"));
  }
  async function startAgent() {
    const { agent: self } = renderTestConfig();
    agent = await startBuiltAgent(
      there(model),
      {
        agent: { ...self, name: "clerk", namespace: there(space).name, instance: "team" },
        servers: [renderTestServer("bank", there(bank).url)],
        // The conversation is the same after a restart, as it is for who sends its id.
        scope: "shared",
        policy: true,
      },
      {
        PALLAS_LIVE_CONFIG: join(folder, "live.json"),
        PALLAS_GATEWAY_TOKEN: join(folder, "token"),
        PALLAS_HISTORIES_DIR: join(folder, "histories"),
      },
    );
  }

  /** Gone, and back. */
  const strikes: Record<Victim, () => Promise<void>> = {
    async agent() {
      const before = there(agent);
      before.kill("SIGKILL");
      await before.exited;
      await startAgent();
    },
    async gateway() {
      gateway = await there(gateway).restart();
      await writeLive();
    },
    async "API server"() {
      const { faults } = there(proxy);
      const away = faults.add({ match: {}, action: { kind: "reset" } });
      faults.resetAll();
      await delay(awayMs);
      away.remove();
    },
  };

  async function listApprovals(argumentsHash: string) {
    const { items } = JSON.parse(await there(space).kubectl("get", "pallasapprovals", "-o", "json"));
    return z
      .array(approvalSchema)
      .parse(items)
      .filter(({ spec }) => spec.argumentsHash === argumentsHash);
  }
  const patch = async (name: string, argumentsHash: string, verdict: "approve" | "denyContinue") => {
    const decision = { verdict, argumentsHash, by: "a-person", at: new Date().toISOString() };
    const spec = JSON.stringify({ spec: { decision } });
    await there(space).kubectl("patch", "pallasapproval", name, "--type=merge", "-p", spec);
  };

  /** Says yes to the first question, and no to each that comes after it. */
  async function answer(
    argumentsHash: string,
    { victim, step, strike }: { victim: Victim; step: Step; strike(): void },
    signal: AbortSignal,
  ) {
    let isFirst = true;
    while (!signal.aborted) {
      const waiting = (await listApprovals(argumentsHash)).filter(({ spec }) => spec.decision === undefined);
      for (const { metadata } of waiting) {
        if (isFirst && step === "decided while it is gone") strike();
        // Else it may have used the yes, and called, before it is gone: which steps that is depends on the machine.
        if (isFirst && step === "decided" && victim === "agent") there(agent).kill("SIGSTOP");
        await patch(metadata.name, argumentsHash, isFirst ? "approve" : "denyContinue");
        if (isFirst && step === "decided") strike();
        isFirst = false;
      }
      await delay(100);
    }
  }

  const cases = victims.flatMap((victim) => steps.map((step) => [victim, step] as const));
  it.each(cases)("%s, %s", async (victim, step) => {
    amount += 1;
    const argumentsHash = hashOf({ amount });
    let struck: Promise<void> | undefined;
    const strike = () => void (struck ??= strikes[victim]());
    const on = {
      written: { resource: "pallasapprovals", verb: "create", kind: "call-after" },
      "before the use": { resource: "pallasapprovals/status", verb: "patch", kind: "call-before" },
      used: { resource: "pallasapprovals/status", verb: "patch", kind: "call-after" },
    } as const;
    if (step === "written" || step === "before the use" || step === "used") {
      const { resource, verb, kind } = on[step];
      there(proxy).faults.add({ match: { resource, verb }, action: { kind, run: strike }, times: 1 });
    }
    onPaid = step === "called" ? strike : () => undefined;
    const over = new AbortController();
    const answering = answer(argumentsHash, { victim, step, strike }, over.signal);
    // Whoever calls the agent sends the message again when they hear nothing.
    const told = await vi.waitFor(
      async () => {
        await struck;
        return (await ask(`${there(agent).url}/mcp`, { message: `pay ${amount}` })).text;
      },
      { timeout: 90_000, interval: 200 },
    );
    over.abort();
    await answering;
    expect(struck, "the step was reached").toBeDefined();
    await struck;

    const asked = await listApprovals(argumentsHash);
    const calls = paid.filter((each) => each.amount === amount);
    // What an agent had used when it went is lost with it, and asked about once more; everything else goes on.
    const isLost = victim === "agent" && ["before the use", "used"].includes(step);
    const isUnheard = victim === "agent" && step === "called";
    expect({ calls: calls.length, asked: asked.length }).toEqual({
      calls: isLost ? 0 : 1,
      asked: isLost || isUnheard ? 2 : 1,
    });
    expect(told).toContain(isLost || isUnheard ? "told" : `paid ${amount}`);
    const yes = asked.find(({ spec }) => spec.decision?.verdict === "approve")?.spec.decision?.at ?? "";
    for (const { at } of calls) expect(at).toBeGreaterThanOrEqual(Date.parse(yes));
  });
});
