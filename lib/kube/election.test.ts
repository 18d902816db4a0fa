import { describe, expect, test } from "vitest";
import { ApiError, CallRefused, TransportError } from "./api-error.ts";
import { createElection, LeadershipLost } from "./election.ts";
import { createElectionScene } from "./testing/election-scene.ts";
import { MemoryLeases, type LeaseView } from "./testing/memory-leases.ts";
import { silentLog } from "./testing/silent-log.ts";

const writes = (view: LeaseView) => view.calls.filter(({ method }) => method !== "GET");

describe("OPR-6 one leader by Lease", () => {
  test("the first makes the lease and leads, the second waits as long as it is renewed", async () => {
    const { clock, leases, enter } = createElectionScene();
    const first = enter("first");
    await clock.advance(0);
    const second = enter("second");
    await clock.advance(10 * 60_000);
    expect(first.election.isLeader).toBe(true);
    expect(second.lead).not.toHaveBeenCalled();
    expect(writes(second.view)).toEqual([]);
    expect(leases.lease?.spec).toMatchObject({
      holderIdentity: "first",
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
    });
    expect(leases.lease?.spec["renewTime"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  });

  test("of two that come at once only one leads", async () => {
    const { clock, enter } = createElectionScene();
    const both = [enter("first"), enter("second")];
    await clock.advance(60_000);
    expect(both.filter(({ lead }) => lead.mock.calls.length > 0)).toHaveLength(1);
  });

  test.each(["cut", "silent"] as const)("a leader whose connection is %s is replaced within 17 s", async (state) => {
    const { clock, enter, untilLeads, leases } = createElectionScene();
    const first = enter("first");
    await clock.advance(0);
    const second = enter("second");
    await clock.advance(31_900); // The last renewal was just now: the worst case.
    first.view.state = state;
    const waitedMs = await untilLeads(second);
    expect(waitedMs).toBeGreaterThanOrEqual(13_000);
    expect(waitedMs).toBeLessThanOrEqual(17_000);
    expect(leases.lease?.spec).toMatchObject({ holderIdentity: "second", leaseTransitions: 1 });
    expect(first.election.isLeader).toBe(false);
    first.view.state = "up";
    await clock.advance(5_000 + 2_000);
    expect(first.outcome).toBeInstanceOf(LeadershipLost);
  });

  test("time without answers is no standstill: after an outage the leader goes on, though another asks first", async () => {
    const { clock, enter } = createElectionScene();
    const first = enter("first");
    await clock.advance(0);
    const second = enter("second");
    await clock.advance(10_000);
    first.view.state = "cut";
    await clock.advance(2_000); // The other has seen the last renewal.
    second.view.state = "cut";
    await clock.advance(60_000);
    second.view.state = "up";
    await clock.advance(5_000);
    first.view.state = "up";
    await clock.advance(5_000);
    expect(first.election.isLeader).toBe(true);
    expect(second.lead).not.toHaveBeenCalled();
  });

  test("a leader that does not come back from an outage is replaced 17 s after it", async () => {
    const { clock, enter, untilLeads } = createElectionScene();
    const first = enter("first");
    await clock.advance(0);
    const second = enter("second");
    await clock.advance(10_000);
    first.view.state = second.view.state = "cut";
    await clock.advance(60_000);
    second.view.state = "up";
    expect(await untilLeads(second)).toBeLessThanOrEqual(17_000);
  });

  test.each([-3_600_000, 0, 3_600_000])(
    "a holder whose clock is %i ms off is believed for its 15 s",
    async (skewMs) => {
      const { clock, leases, enter, untilLeads } = createElectionScene();
      const renewTime = new Date(clock.wallNow() + skewMs).toISOString();
      leases.put({ holderIdentity: "other", leaseDurationSeconds: 15, renewTime });
      const waitedMs = await untilLeads(enter("me"));
      expect(waitedMs).toBeGreaterThanOrEqual(15_000);
      expect(waitedMs).toBeLessThanOrEqual(15_100);
    },
  );

  test.each([-3_600_000, 3_600_000])(
    "a leader whose wall clock is set by %i ms leads on, and writes its new time",
    async (byMs) => {
      const { clock, leases, enter } = createElectionScene();
      const first = enter("first");
      await clock.advance(0);
      const second = enter("second");
      await clock.advance(5_000);
      clock.setWall(byMs);
      expect(first.election.isLeader).toBe(true);
      first.view.state = "cut";
      await clock.advance(13_000);
      expect([first.election.isLeader, second.election.isLeader]).toEqual([false, false]);
      first.view.state = "up";
      await clock.advance(5_000);
      expect([first.election.isLeader, second.election.isLeader]).toEqual([true, false]);
      expect(Date.parse(String(leases.lease?.spec["renewTime"]))).toBeGreaterThan(clock.wallNow() - 2_001);
      expect(Date.parse(String(leases.lease?.spec["renewTime"]))).toBeLessThanOrEqual(clock.wallNow());
    },
  );

  test("a change beside the record is no sign of life", async () => {
    const { clock, leases, enter, untilLeads } = createElectionScene();
    const spec = { holderIdentity: "other", leaseDurationSeconds: 15 };
    leases.put(spec);
    const me = enter("me");
    await clock.advance(10_000);
    leases.put(spec, { labels: { touched: "yes" } });
    expect(await untilLeads(me)).toBeLessThanOrEqual(5_100);
    expect(leases.lease?.metadata).toMatchObject({ labels: { touched: "yes" } });
  });

  test("a server that is away is asked again and again", async () => {
    const { clock, enter, untilLeads } = createElectionScene();
    const me = enter("me");
    me.view.state = "cut";
    await clock.advance(60_000);
    me.view.state = "up";
    expect(await untilLeads(me)).toBeLessThanOrEqual(2_050);
  });
});

describe("I11 OPR-6 leadership ends before anyone may take over", () => {
  test("without renewals nothing is written after 10 s", async () => {
    const { clock, enter, master } = createElectionScene();
    const me = enter("me");
    await clock.advance(0);
    expect(await master()).toBe(1);
    me.view.state = "silent";
    await clock.advance(9_999);
    expect(me.election.isLeader).toBe(true);
    await clock.advance(2);
    expect(me.election.isLeader).toBe(false);
    expect(await master()).toBe(0);
    await expect(me.election.fence(me.view).request({ method: "PATCH", path: "/apis" })).rejects.toThrow(CallRefused);
  });

  test("OPR-7 after an outage it goes on within 2 s, with the same work, when nobody has led since", async () => {
    const { clock, enter, leases, untilLeads, master } = createElectionScene();
    const me = enter("me");
    await clock.advance(1_000);
    const { acquireTime } = leases.lease?.spec ?? {};
    me.view.state = "cut";
    await clock.advance(60 * 60_000);
    expect(me.election.isLeader).toBe(false);
    me.view.state = "up";
    expect(await untilLeads(me)).toBeLessThanOrEqual(2_050);
    expect(await master()).toBe(1);
    expect(me.lead).toHaveBeenCalledOnce();
    expect(me.lead.mock.calls[0]?.[0]).toMatchObject({ aborted: false });
    expect(leases.lease?.spec).toMatchObject({ holderIdentity: "me", leaseTransitions: 0, acquireTime });
    await clock.advance(60_000);
    expect(me.outcome).toBeUndefined();
  });

  test.each<[string, (leases: MemoryLeases) => void]>([
    ["leads", (leases) => leases.put({ holderIdentity: "other", leaseDurationSeconds: 15, leaseTransitions: 1 })],
    ["has led and given it back", (leases) => leases.put({ holderIdentity: "", leaseTransitions: 1 })],
    ["may have led: the lease is gone", (leases) => (leases.lease = undefined)],
    ["has led, and someone put our name back", (leases) => leases.put({ holderIdentity: "me", leaseTransitions: 2 })],
  ])("after an outage it ends, and leaves the lease alone, when another %s", async (_title, change) => {
    const { clock, enter, leases } = createElectionScene();
    const me = enter("me");
    await clock.advance(1_000);
    me.view.state = "cut";
    await clock.advance(20_000);
    change(leases);
    const left = structuredClone(leases.lease);
    me.view.state = "up";
    await clock.advance(2_000);
    expect(me.outcome).toBeInstanceOf(LeadershipLost);
    expect(me.lead.mock.calls[0]?.[0]).toMatchObject({ aborted: true });
    expect(leases.lease).toEqual(left);
  });

  test("another that takes it between the look and the renewal keeps it", async () => {
    const { clock, enter, leases } = createElectionScene();
    const me = enter("me");
    await clock.advance(1_000);
    me.view.state = "cut";
    await clock.advance(20_000);
    me.view.state = "up";
    // Before the look it arms itself for the call after it.
    me.view.before = () => (me.view.before = () => leases.put({ holderIdentity: "other", leaseDurationSeconds: 15 }));
    await clock.advance(2_000);
    expect(me.election.isLeader).toBe(false);
    await clock.advance(2_000);
    expect(me.outcome).toBeInstanceOf(LeadershipLost);
    expect(leases.lease?.spec["holderIdentity"]).toBe("other");
  });

  test("work that ignores its end does not keep the program for more than 5 s", async () => {
    const { clock, enter, leases } = createElectionScene();
    const me = enter("me", () => new Promise(() => undefined));
    await clock.advance(0);
    leases.put({ holderIdentity: "other", leaseDurationSeconds: 15 });
    await clock.advance(2_000 + 4_900);
    expect(me.outcome).toBeUndefined();
    await clock.advance(200);
    expect(me.outcome).toBeInstanceOf(LeadershipLost);
  });

  test("a lease that another took is lost at the next renewal", async () => {
    const { clock, leases, enter } = createElectionScene();
    const me = enter("me");
    await clock.advance(0);
    leases.put({ holderIdentity: "thief", leaseDurationSeconds: 15 });
    await clock.advance(2_001);
    expect(me.outcome).toMatchObject({ name: "LeadershipLost", message: "the lease n/l was taken by thief" });
    expect(leases.lease?.spec["holderIdentity"]).toBe("thief");
  });

  test("after a standstill of 20 s not even a renewal is sent before a look", async () => {
    const { clock, enter } = createElectionScene();
    const me = enter("me");
    await clock.advance(1_000);
    const before = me.view.calls.length;
    const fenced = me.election.fence(me.view);
    clock.stall(20_000);
    expect(me.election.isLeader).toBe(false);
    await expect(fenced.request({ method: "PATCH", path: "/apis" })).rejects.toThrow(CallRefused);
    await clock.advance(100);
    expect(me.view.calls.slice(before).map(({ method }) => method)).toEqual(["GET", "PUT"]);
    expect(me.election.isLeader).toBe(true);
  });

  test("a standstill while the renewal is under way counts from before it was sent", async () => {
    const { clock, enter } = createElectionScene();
    const me = enter("me");
    await clock.advance(1_000);
    const before = me.view.calls.length;
    me.view.before = () => clock.stall(20_000);
    await clock.advance(1_100);
    // That renewal was too late to count: another look, another renewal.
    await clock.advance(2_000);
    expect(me.view.calls.slice(before, before + 3).map(({ method }) => method)).toEqual(["PUT", "GET", "PUT"]);
    expect(me.lead).toHaveBeenCalledOnce();
  });

  test.each<[string, (leases: MemoryLeases, view: LeaseView) => void]>([
    ["a renewal whose answer was lost", (_leases, view) => (view.state = "deaf")],
    ["one renewal that failed", (_leases, view) => (view.state = "cut")],
    ["a lease deleted by hand", (leases) => (leases.lease = undefined)],
    ["a holder removed by hand", (leases) => leases.put({ holderIdentity: "" })],
  ])("%s does not end it", async (_title, problem) => {
    const { clock, leases, enter } = createElectionScene();
    const me = enter("me");
    await clock.advance(1_000);
    problem(leases, me.view);
    await clock.advance(1_500);
    me.view.state = "up";
    await clock.advance(60_000);
    expect(me.outcome).toBeUndefined();
    expect(me.election.isLeader).toBe(true);
    expect(leases.lease?.spec["holderIdentity"]).toBe("me");
  });
});

describe("OPR-6 stop drains, then gives the lease back", () => {
  test("the lease is renewed until the work has ended, and free right after", async () => {
    const { clock, leases, enter, untilLeads, master } = createElectionScene();
    const drained = Promise.withResolvers<void>();
    const first = enter("first", () => drained.promise);
    await clock.advance(0);
    const second = enter("second");
    await clock.advance(1_000);
    first.stop.abort(new Error("stop"));
    await clock.advance(60_000);
    expect(first.lead.mock.calls[0]?.[0]).toMatchObject({ aborted: true });
    expect(first.election.isLeader).toBe(true);
    expect(second.lead).not.toHaveBeenCalled();
    drained.resolve();
    await clock.advance(0);
    expect(leases.lease?.spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
    expect(first.outcome).toBe("ended");
    expect(await master()).toBe(0);
    expect(await untilLeads(second)).toBeLessThanOrEqual(2_000);
  });

  test("work that fails gives the lease back too", async () => {
    const { clock, leases, enter } = createElectionScene();
    const me = enter("me", () => Promise.reject(new Error("boom")));
    await clock.advance(0);
    expect(me.outcome).toMatchObject({ message: "boom" });
    expect(leases.lease?.spec["holderIdentity"]).toBe("");
  });

  test("who waits for the lease ends at once and leaves it alone", async () => {
    const { clock, leases, enter } = createElectionScene();
    leases.put({ holderIdentity: "other", leaseDurationSeconds: 15 });
    const me = enter("me");
    await clock.advance(1_000);
    me.stop.abort();
    await clock.advance(0);
    expect(me.outcome).toBe("ended");
    expect(me.lead).not.toHaveBeenCalled();
    expect(leases.lease?.spec["holderIdentity"]).toBe("other");
  });

  test("a stop during the claim gives it back without leading", async () => {
    const { clock, leases, enter } = createElectionScene();
    leases.put({ holderIdentity: "" });
    const me = enter("me");
    me.view.before = () => me.stop.abort();
    await clock.advance(5_000);
    expect(me.outcome).toBe("ended");
    expect(me.lead).not.toHaveBeenCalled();
    expect(leases.lease?.spec["holderIdentity"]).toBe("");
  });

  test("a lease that somebody touched is given back too", async () => {
    const { clock, leases, enter } = createElectionScene();
    const me = enter("me");
    await clock.advance(100);
    leases.put({ ...leases.lease?.spec }, { labels: { touched: "yes" } });
    me.stop.abort();
    await clock.advance(0);
    expect(leases.lease?.spec["holderIdentity"]).toBe("");
    expect(leases.lease?.metadata).toMatchObject({ labels: { touched: "yes" } });
  });

  test("a lease that another took meanwhile is left alone", async () => {
    const { clock, leases, enter } = createElectionScene();
    const me = enter("me");
    await clock.advance(100);
    leases.put({ holderIdentity: "thief", leaseDurationSeconds: 15 });
    me.stop.abort();
    await clock.advance(0);
    expect(me.outcome).toBe("ended");
    expect(leases.lease?.spec["holderIdentity"]).toBe("thief");
  });

  /** Stops a leader whose write ended (or not) as told, so long ago; says who holds the lease then. */
  const stopAfterWrite = async (write: () => Promise<unknown>, agoMs: number) => {
    const { clock, leases, enter, untilLeads } = createElectionScene();
    const me = enter("me");
    await clock.advance(0);
    const fenced = me.election.fence({ ...leases.view(), request: write });
    fenced.request({ method: "PATCH", path: "/apis" }).catch(() => undefined);
    await clock.advance(agoMs);
    me.stop.abort();
    await clock.advance(0);
    expect(me.outcome).toBe("ended");
    return { holder: leases.lease?.spec["holderIdentity"], takeoverMs: await untilLeads(enter("next")) };
  };
  const lostAnswer = () => Promise.reject(new TransportError("gone", { cause: undefined, timedOut: true }));

  test.each<[string, () => Promise<unknown>, number]>([
    ["is still under way", () => new Promise(() => undefined), 60_000],
    ["was given up just now", lostAnswer, 4_999],
    ["was aborted just now", () => Promise.reject(new Error("stopping")), 0],
  ])("a lease is not given back when a write %s: it might land under another leader", async (_title, write, agoMs) => {
    const { holder, takeoverMs } = await stopAfterWrite(write, agoMs);
    expect(holder).toBe("me");
    expect(takeoverMs).toBeGreaterThanOrEqual(10_000);
  });

  test.each<[string, () => Promise<unknown>, number]>([
    ["was given up long ago", lostAnswer, 5_000],
    ["was refused by the server", () => Promise.reject(new ApiError({ status: 422, reason: "", message: "" })), 0],
    ["was never sent", () => Promise.reject(new CallRefused("late")), 0],
    ["was answered", () => Promise.resolve({}), 0],
  ])("a lease is given back when a write %s", async (_title, write, agoMs) => {
    const { holder, takeoverMs } = await stopAfterWrite(write, agoMs);
    expect(holder).toBe("");
    expect(takeoverMs).toBeLessThanOrEqual(2_000);
  });

  test("a server that is away does not keep the program from ending", async () => {
    const { clock, enter } = createElectionScene();
    const me = enter("me");
    await clock.advance(0);
    me.view.state = "silent";
    me.stop.abort();
    await clock.advance(2_001);
    expect(me.outcome).toBe("ended");
  });
});

test("a timing in which leaders could overlap is refused", () => {
  const options = { transport: new MemoryLeases().view(), namespace: "n", name: "l", identity: "me", log: silentLog() };
  expect(() => createElection({ ...options, timing: { renewDeadlineMs: 15_000 } })).toThrow(
    /leaseMs > renewDeadlineMs/,
  );
});
