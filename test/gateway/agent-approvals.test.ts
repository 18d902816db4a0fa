// MGM-6 between an agent and its gateway: the agent's own way to ask and the gateway's real routes and approvals, over real HTTP; the gateway
// goes away before, while and after it is asked, and comes back on what it had stored.
import { Hono } from "hono";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createApprovers } from "../../agent-runtime/approvals/ask-approval.ts";
import type { JudgedRun } from "../../agent-runtime/policy/types.ts";
import { createTestLog } from "../../agent-runtime/testing/servers.ts";
import { createApprovalRoutes } from "../../gateway/approvals/routes.ts";
import { approve, createScene, hashOf, person, questionOf, timeoutMs } from "../../gateway/approvals/testing/scene.ts";
import type { GatewayRoutes } from "../../gateway/name-caller.ts";
import type { Asking } from "../../lib/mcp/asking.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { listen } from "../../lib/process/http-server.ts";

const bob = person("bob");

/** An agent, and its gateway that a test starts, stops and starts again at the same address. */
async function open({ started = true } = {}) {
  const scene = createScene();
  const { log } = createTestLog("SILENT");
  let stop: () => Promise<void> = async () => undefined;
  let port = 0;
  const start = async () => {
    const { routes, close } = createApprovalRoutes({ approvals: scene.approvals, clock: scene.clock });
    const app = new Hono<GatewayRoutes>();
    app.use(async (c, next) => {
      const agent = c.req.header("authorization")?.replace("Bearer ", "") ?? "";
      c.set("caller", { kind: "agent", agent, name: `agent:${agent}`, subject: agent });
      await next();
    });
    app.route("/", routes);
    const server = await listen(app.fetch, { port, hostname: "127.0.0.1", log });
    port = Number(new URL(server.url).port);
    stop = async () => {
      close();
      await server.close({ graceMs: 0 });
    };
  };
  await start();
  if (!started) await stop();
  const live = { schema: 1 as const, severalPods: false, approvals: { url: `http://127.0.0.1:${port}`, timeoutMs } };
  const approvers = createApprovers({
    readLive: async () => live,
    readGatewayToken: async () => "clerk",
    log,
    clock: systemClock,
  });
  onTestFinished(async () => {
    await approvers.close();
    await stop();
  });
  const cancelled = new AbortController();
  const ask = async (changes: Parameters<typeof questionOf>[1] = {}, asking?: Asking) => {
    const run: JudgedRun = {
      ...{ caller: "ann", role: "caller", chain: [], sessionHash: "a".repeat(64), onWaiting: () => undefined },
      signal: cancelled.signal,
      ...(asking && { asking }),
    };
    return await approvers.ask(questionOf({ amount: 40 }, changes), run);
  };
  const untilAsked = async (count = 1): Promise<string> => {
    await vi.waitFor(() => expect(scene.store.list()).toHaveLength(count), { timeout: 10_000 });
    return scene.store.list().at(-1)?.metadata.name ?? "";
  };
  return {
    ...{ scene, ask, untilAsked, start },
    stop: () => stop(),
    cancel: () => cancelled.abort(new Error("the caller is gone")),
  };
}

const yes = { kind: "decided", decision: { verdict: "approve", by: "bob" } };

describe("MGM-6 an agent and its gateway", () => {
  test("ask, decide and use with three writes, and the next equal call is asked about anew", async () => {
    const { scene, ask, untilAsked } = await open();
    const asked = ask();
    await scene.approvals.decide(await untilAsked(), approve(), bob);
    expect(await asked).toMatchObject(yes);
    expect(scene.store.writes).toEqual(["create", "decide", "setStatus"]);
    const again = ask();
    await scene.approvals.decide(await untilAsked(2), { ...approve(), verdict: "denyAbort" }, bob);
    expect(await again).toMatchObject({ decision: { verdict: "denyAbort" } });
  });

  test("get over a gateway that was away before it was asked", async () => {
    const { scene, ask, untilAsked, start } = await open({ started: false });
    const asked = ask();
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(scene.store.list()).toEqual([]);
    await start();
    await scene.approvals.decide(await untilAsked(), approve(), bob);
    expect(await asked).toMatchObject(yes);
  });

  test("get over one that is replaced while people are asked, and hear what was decided meanwhile", async () => {
    const { scene, ask, untilAsked, start, stop } = await open();
    const asked = ask();
    const name = await untilAsked();
    await stop();
    await scene.restart();
    await scene.approvals.decide(name, approve(), bob);
    await start();
    expect(await asked).toMatchObject(yes);
    expect(scene.store.list()).toHaveLength(1);
  });

  test("get over one that goes away once it has decided, and use what it decided once", async () => {
    const { scene, ask, untilAsked, start, stop } = await open();
    // The use is written, and its answer is lost with the gateway.
    scene.store.after = (write) => {
      if (write !== "setStatus") return;
      scene.store.after = () => undefined;
      void stop().then(async () => {
        await scene.restart();
        await start();
      });
    };
    const asked = ask();
    await scene.approvals.decide(await untilAsked(), approve(), bob);
    expect(await asked).toMatchObject(yes);
    expect(scene.store.writes.filter((write) => write === "setStatus")).toHaveLength(1);
  });

  test("what an agent that ended did not use is used by the same call of the next, and not asked about again", async () => {
    const { scene, ask, untilAsked } = await open();
    const question = questionOf();
    const waiting = scene.approvals.open(question, { agent: "clerk" });
    await waiting;
    await scene.approvals.decide(await untilAsked(), approve(), bob);
    expect(await ask()).toMatchObject(yes);
    expect(scene.store.list()).toHaveLength(1);
  });

  test("a caller that is gone takes its question along", async () => {
    const { scene, ask, untilAsked, cancel } = await open();
    const asked = ask();
    const name = await untilAsked();
    cancel();
    await expect(asked).rejects.toThrow("the caller is gone");
    await vi.waitFor(() => {
      const approval = scene.approvals.get(name);
      expect(approval && scene.approvals.stateOf(approval)).toBe("expired");
    });
  });

  test("MGM-7 the caller's own yes is written down as the caller's, and counts once", async () => {
    const { scene, ask } = await open();
    const asking: Asking = {
      can: { form: true, url: false, sampling: false },
      ask: async () => ({ action: "accept", content: { decision: "approve" } }),
    };
    const policy = { name: "careful", generation: 3, askCaller: true };
    expect(await ask({ policy }, asking)).toMatchObject({ decision: { verdict: "approve", by: "ann" } });
    expect(scene.store.writes).toEqual(["create", "decide", "setStatus"]);
    expect(scene.store.list()[0]?.spec.decision?.argumentsHash).toBe(hashOf({ amount: 40 }));
  });
});
