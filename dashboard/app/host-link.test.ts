import { describe, expect, it } from "vitest";
import { createFakeTime } from "../testing/fake-time.ts";
import { openHostLink } from "./host-link.ts";

type Message = Record<string, unknown>;

/** A host that only hears, and says what a test has it say. */
function openFakeHost() {
  const time = createFakeTime();
  const own = new EventTarget();
  const posted: Message[] = [];
  const told: [string, unknown][] = [];
  const host = { postMessage: (message: Message) => void posted.push(message) };
  const link = openHostLink({
    own,
    host,
    time,
    onTold: (method, params) => told.push([method, params]),
    onAsked: (method) => (method === "ping" ? {} : undefined),
  });
  const say = (data: unknown, source: unknown = host) =>
    own.dispatchEvent(Object.assign(new Event("message"), { data, source }));
  return { link, time, posted, told, say };
}

describe("the way to the host", () => {
  it("asks with an id of its own, and hears the answer to it", async () => {
    const { link, posted, say } = openFakeHost();
    const [one, two] = [link.ask("a", { x: 1 }, 1_000), link.ask("b", {}, 1_000)];
    expect(posted).toEqual([
      { jsonrpc: "2.0", id: 1, method: "a", params: { x: 1 } },
      { jsonrpc: "2.0", id: 2, method: "b", params: {} },
    ]);
    say({ jsonrpc: "2.0", id: 2, result: "second" });
    say({ jsonrpc: "2.0", id: 1, result: "first" });
    expect(await Promise.all([one, two])).toEqual(["first", "second"]);
  });

  it("gives an error of the host as a problem, in its words", async () => {
    const { link, say } = openFakeHost();
    const asked = link.ask("a", {}, 1_000);
    say({ jsonrpc: "2.0", id: 1, error: { code: -32_000, message: "denied by the person" } });
    await expect(asked).rejects.toMatchObject({ kind: "refused", message: "denied by the person" });
  });

  it("waits no longer than its deadline", async () => {
    const { link, time } = openFakeHost();
    const asked = link.ask("a", {}, 1_000);
    const settled = expect(asked).rejects.toMatchObject({ kind: "timeout" });
    time.advance(1_000);
    await settled;
  });

  it("hears nobody but its host, and nothing that is no message", async () => {
    const { link, say, told, time } = openFakeHost();
    const asked = link.ask("a", {}, 1_000);
    const settled = expect(asked).rejects.toMatchObject({ kind: "timeout" });
    say({ jsonrpc: "2.0", id: 1, result: "forged" }, {});
    say({ id: 1, result: "no version" });
    say("text");
    say({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params: {} }, {});
    time.advance(1_000);
    await settled;
    expect(told).toEqual([]);
  });

  it("answers what the host asks, and says what it does not know", () => {
    const { say, posted, told } = openFakeHost();
    say({ jsonrpc: "2.0", id: "h1", method: "ping" });
    say({ jsonrpc: "2.0", id: "h2", method: "tools/list" });
    say({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params: { a: 1 } });
    expect(posted).toEqual([
      { jsonrpc: "2.0", id: "h1", result: {} },
      { jsonrpc: "2.0", id: "h2", error: expect.objectContaining({ code: -32_601 }) },
    ]);
    expect(told).toEqual([["ui/notifications/tool-result", { a: 1 }]]);
  });

  it("asks at most 64 things at once", async () => {
    const { link, posted } = openFakeHost();
    const asked = Array.from({ length: 64 }, () => link.ask("a", {}, 1_000).catch(() => undefined));
    await expect(link.ask("a", {}, 1_000)).rejects.toMatchObject({ kind: "refused" });
    expect(posted).toHaveLength(64);
    link.close();
    await Promise.all(asked);
  });
});
