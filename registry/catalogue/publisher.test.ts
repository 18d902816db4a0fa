import { afterEach, describe, expect, it, vi } from "vitest";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { sampleServer } from "../testing/listed.ts";
import { MemorySource } from "../testing/memory-source.ts";
import type { Listing } from "./listing.ts";
import { createPublisher, type Publisher } from "./publisher.ts";

const publishers: Publisher[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(publishers.splice(0).map((publisher) => publisher.stop()));
});

function start(source: MemorySource, list: () => Listing): Publisher {
  const publisher = createPublisher({ source, list, log: silentLog() });
  publishers.push(publisher);
  publisher.start();
  return publisher;
}

const { entry, agent } = sampleServer();
const listing = (...texts: string[]): Listing => ({
  servers: texts.map((text) => ({ agent, entry, text })),
  conflicts: [],
});
const textOf = (publisher: Publisher) => Buffer.from(publisher.current()?.identity.body ?? "").toString();

describe("CAT-8 publishing changes", () => {
  it("changes of a moment are rendered once", async () => {
    const source = new MemorySource();
    const list = vi.fn<() => Listing>(() => listing("1"));
    const publisher = start(source, list);
    for (let times = 0; times < 100; times += 1) source.set({});
    await vi.waitFor(() => expect(textOf(publisher)).toBe('{"servers":[1]}'));
    expect(list).toHaveBeenCalledOnce();
  });

  it("a change that comes while rendering is rendered afterwards", async () => {
    const source = new MemorySource();
    let version = 0;
    const publisher = start(source, () => {
      version += 1;
      const rendered = listing(String(version));
      if (version === 1) queueMicrotask(() => source.set({}));
      return rendered;
    });
    await vi.waitFor(() => expect(textOf(publisher)).toBe('{"servers":[2]}'));
  });

  it("a rendering that fails leaves the last document, and the next change is tried again", async () => {
    const source = new MemorySource();
    const list = vi.fn<() => Listing>(() => listing("1"));
    const publisher = start(source, list);
    await vi.waitFor(() => expect(textOf(publisher)).toBe('{"servers":[1]}'));
    list.mockImplementationOnce(() => {
      throw new Error("faulty");
    });
    source.set({});
    await vi.waitFor(() => expect(list).toHaveBeenCalledTimes(2));
    expect(textOf(publisher)).toBe('{"servers":[1]}');
    list.mockImplementation(() => listing("2"));
    source.set({});
    await vi.waitFor(() => expect(textOf(publisher)).toBe('{"servers":[2]}'));
  });
});

describe("CAT-9 before the first sync", () => {
  it("nothing is rendered, whatever is known already", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const source = new MemorySource({ state: { phase: "starting", since: 0 } });
    const list = vi.fn<() => Listing>(() => listing("1"));
    const publisher = start(source, list);
    source.set({});
    await vi.advanceTimersByTimeAsync(1_000);
    expect(list).not.toHaveBeenCalled();
    expect(publisher.current()).toBeUndefined();
  });
});
