import { describe, expect, test } from "vitest";
import { ManualClock } from "../process/testing/manual-clock.ts";
import { createChangingTable } from "./changing-table.fixture.ts";
import { createSubscriptionHub, maxSubscriptions, maxUriChars } from "./subscription-hub.ts";
import { staticTools, type Requester, type ResourceChange } from "./table.ts";

const requester = { caller: { subject: "somebody" } };
const longUri = (reader: number, at: number) => `note://${reader}/${at}/`.padEnd(maxUriChars, "x");

/** A hub whose resources all may read. */
function open() {
  const { table, ...changing } = createChangingTable();
  const hub = createSubscriptionHub(
    { ...table, ...(table.resources && { resources: { ...table.resources, mayRead: () => true } }) },
    new ManualClock(),
  );
  if (hub === undefined) throw new Error("expected a hub for a table that changes");
  return { hub, changing };
}

/** Subscribes as long as it may, and says how often it could. */
function fill(hub: ReturnType<typeof open>["hub"], reader: number) {
  const own = hub.open(requester, hub.lists);
  let count = 0;
  try {
    for (; count < maxSubscriptions; count += 1) own.subscribe(longUri(reader, count));
  } catch (error) {
    return { own, count, error };
  }
  return { own, count, error: undefined };
}

describe("MGM-2 what all subscriptions take together", () => {
  test("is bounded, says so, and is given back with a subscription and with its reader", () => {
    const { hub } = open();
    const readers = [];
    let last = fill(hub, 0);
    for (let reader = 1; last.error === undefined; reader += 1) {
      readers.push(last.own);
      last = fill(hub, reader);
    }
    expect(last.error).toMatchObject({ code: -32000, message: expect.stringContaining("try again later") });
    const total = readers.length * maxSubscriptions + last.count;
    expect(total * maxUriChars).toBeLessThanOrEqual(16 * 1024 * 1024);
    expect((total + 1) * (maxUriChars + 128)).toBeGreaterThan(16 * 1024 * 1024);
    const first = readers[0];
    expect(() => last.own.subscribe("note://more".padEnd(maxUriChars, "y"))).toThrow("try again later");
    first?.unsubscribe(longUri(0, 0));
    first?.unsubscribe(longUri(0, 0));
    expect(last.own.subscribe("note://more".padEnd(maxUriChars, "y"))).toBe(true);
    expect(() => last.own.subscribe("note://most".padEnd(maxUriChars, "z"))).toThrow("try again later");
    first?.close();
    expect(fill(hub, 1_000)).toMatchObject({ count: maxSubscriptions - 1 });
  });

  test("there is none where nothing of a table changes, and nothing listens once it is closed", () => {
    const table = { server: { name: "s", version: "1" }, tools: staticTools([]), prompts: [] };
    expect(createSubscriptionHub(table, new ManualClock())).toBeUndefined();
    const { hub, changing } = open();
    expect(changing.listeners()).toBe(2);
    hub.close();
    expect(changing.listeners()).toBe(0);
  });
});

describe("MGM-2 a source that looks for changes only while somebody subscribes", () => {
  test("is asked with the first subscriber of a resource, and told when the last has gone or the endpoint closes", () => {
    const seen: string[] = [];
    const { table } = createChangingTable();
    const follow = (uri: string) => {
      seen.push(`+${uri}`);
      return () => void seen.push(`-${uri}`);
    };
    const resources = table.resources && { ...table.resources, follow };
    const hub = createSubscriptionHub({ ...table, ...(resources && { resources }) }, new ManualClock());
    const [one, two] = [hub?.open(requester, hub.lists), hub?.open(requester, hub.lists)];
    one?.subscribe("note://a");
    one?.subscribe("note://a");
    two?.subscribe("note://a");
    one?.subscribe("note://secret/x"); // It may not.
    one?.close();
    expect(seen).toEqual(["+note://a"]);
    two?.unsubscribe("note://a");
    two?.unsubscribe("note://a");
    expect(seen).toEqual(["+note://a", "-note://a"]);
    two?.subscribe("note://b");
    hub?.close();
    expect(seen.slice(2)).toEqual(["+note://b", "-note://b"]);
  });
});

describe("MGM-2 a source that says something else to each requester", () => {
  const subjectOf = ({ caller }: Requester) => (caller === "anyone" ? "" : caller.subject);
  const by = (subject: string) => ({ caller: { subject } });

  test("is asked with each subscription, for whom it is, and told when it ends", () => {
    const seen: string[] = [];
    const { table } = createChangingTable();
    const followOwn = (uri: string, who: Requester) => {
      seen.push(`+${uri} ${subjectOf(who)}`);
      return () => void seen.push(`-${uri} ${subjectOf(who)}`);
    };
    const resources = table.resources && { ...table.resources, followOwn };
    const hub = createSubscriptionHub({ ...table, ...(resources && { resources }) }, new ManualClock());
    const [ann, bob] = [hub?.open(by("ann"), hub.lists), hub?.open(by("bob"), hub.lists)];
    ann?.subscribe("note://a");
    ann?.subscribe("note://a");
    bob?.subscribe("note://a");
    bob?.subscribe("note://secret/x"); // They may not.
    expect(seen).toEqual(["+note://a ann", "+note://a bob"]);
    ann?.unsubscribe("note://a");
    ann?.close();
    expect(seen.slice(2)).toEqual(["-note://a ann"]);
    hub?.close();
    expect(seen.slice(3)).toEqual(["-note://a bob"]);
  });

  test("tells of a change those whom it is for, and everybody where it does not say", async () => {
    const clock = new ManualClock();
    const changed: ((change: ResourceChange) => void)[] = [];
    const { table } = createChangingTable();
    const changes = (tell: (change: ResourceChange) => void) => {
      changed.push(tell);
      return () => undefined;
    };
    const resources = table.resources && { ...table.resources, changes };
    const hub = createSubscriptionHub({ ...table, ...(resources && { resources }) }, clock);
    const heard: string[] = [];
    for (const subject of ["ann", "bob"]) {
      const own = hub?.open(by(subject), hub.lists);
      own?.subscribe("note://a");
      own?.subscriber.attach({
        isTaken: () => true,
        send: (notifications) => notifications.forEach(() => heard.push(subject)),
        endStalled: () => undefined,
      });
    }
    const tell = async (change: ResourceChange) => {
      heard.length = 0;
      changed[0]?.(change);
      await clock.advance(1_000);
      return heard;
    };
    expect(await tell({ uri: "note://a", isFor: (who) => subjectOf(who) === "bob" })).toEqual(["bob"]);
    expect(await tell({ uri: "note://a" })).toEqual(["ann", "bob"]);
    hub?.close();
  });
});

describe("MGM-2 a source that looks for changes of its tools only while somebody hears of them", () => {
  test("is asked with the first reader of that list, and told when the last has gone or the endpoint closes", () => {
    const seen: string[] = [];
    const { table } = createChangingTable();
    const follow = () => {
      seen.push("+");
      return () => void seen.push("-");
    };
    const hub = createSubscriptionHub({ ...table, tools: { ...table.tools, follow } }, new ManualClock());
    hub?.open(requester, new Set(["resources"]));
    expect(seen).toEqual([]);
    const [one, two] = [hub?.open(requester, new Set(["tools"])), hub?.open(requester, new Set(["tools"]))];
    one?.close();
    one?.close();
    expect(seen).toEqual(["+"]);
    two?.close();
    hub?.open(requester, new Set(["tools"]));
    expect(seen).toEqual(["+", "-", "+"]);
    hub?.close();
    expect(seen).toEqual(["+", "-", "+", "-"]);
  });
});
