import { describe, expect, it } from "vitest";
import { ApiError } from "../lib/kube/api-error.ts";
import { Store } from "../lib/kube/store.ts";
import type { Transport } from "../lib/kube/transport.ts";
import { ManualClock } from "../lib/process/testing/manual-clock.ts";
import type { WatchedAgent, WatchedInstance } from "../plan/parse-watched.ts";
import { createOwnerGuard } from "./owner-guard.ts";
import { makeAgent } from "./render/testing/resources.ts";

const signal = new AbortController().signal;
const onListenerError = (error: unknown): void => expect.fail(String(error));

function setUp() {
  const clock = new ManualClock();
  const agents = new Store<WatchedAgent>({ indexes: {}, onListenerError });
  const instances = new Store<WatchedInstance>({ indexes: {}, onListenerError });
  let asked = 0;
  const gone = new ApiError({ status: 404, reason: "NotFound", message: "gone" });
  const transport: Pick<Transport, "request"> = {
    async request() {
      asked += 1;
      throw gone;
    },
  };
  const guard = createOwnerGuard({
    transport,
    caches: { agents: { store: agents }, instances: { store: instances } },
    clock,
  });
  /** An agent that the server made so long ago, as it stands in the cache. */
  const watched = (ageMs: number): WatchedAgent => {
    const agent = makeAgent("echo");
    const creationTimestamp = new Date(clock.wallNow() - ageMs).toISOString();
    const metadata = { name: "echo", namespace: "agents", uid: "u", resourceVersion: "1", creationTimestamp };
    return {
      apiVersion: agent.apiVersion,
      kind: agent.kind,
      metadata,
      parsed: { ok: true, value: agent },
      status: undefined,
    };
  };
  const confirm = (owner: WatchedAgent, action: "create" | "update" = "create") =>
    guard.confirm({ owner, signal }, action).then(
      () => "believed",
      () => "gone",
    );
  return { clock, agents, guard, watched, confirm, asked: () => asked };
}

describe("OPR-7 whether an owner is believed to be there", () => {
  it("a new one that a watch tells of is, for one reconcile, without a call", async () => {
    const { agents, guard, watched, confirm, asked } = setUp();
    const owner = watched(1_000);
    agents.upsert(owner);
    const reconciling = { owner, signal };
    await guard.confirm(reconciling, "create");
    await guard.confirm(reconciling, "create");
    expect(asked()).toBe(0);
    expect(await confirm(owner, "update")).toBe("believed");
    expect(await confirm(owner)).toBe("gone");
    expect(asked()).toBe(1);
  });

  it.each([
    ["is of a first list", 1_000, true],
    ["was made long ago", 10_000, false],
  ])("one that %s is asked for", async (_title, ageMs, initial) => {
    const { agents, watched, confirm } = setUp();
    const owner = watched(ageMs);
    if (initial) agents.replace([owner], { initial });
    else agents.upsert(owner);
    expect(await confirm(owner)).toBe("gone");
  });

  it.each([
    [9_999, "believed"],
    [10_000, "gone"],
  ])("one that was heard of %i ms ago is %s", async (waitedMs, outcome) => {
    const { clock, agents, watched, confirm } = setUp();
    const owner = watched(0);
    agents.upsert(owner);
    await clock.advance(waitedMs);
    expect(await confirm(owner)).toBe(outcome);
  });

  it("one that was deleted since is asked for", async () => {
    const { agents, watched, confirm } = setUp();
    const owner = watched(0);
    agents.upsert(owner);
    agents.remove(owner);
    expect(await confirm(owner)).toBe("gone");
  });
});
