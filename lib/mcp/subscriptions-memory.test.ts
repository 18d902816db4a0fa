// What a reader that stands still costs, measured on the heap. The SDKs alone hold 83 MB after as many changes.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, test } from "vitest";
import { type ServedTable, serveChangingTable } from "./changing-table.fixture.ts";
import { getStream, listen, openIn, subscribe } from "./subscription-wire.fixture.ts";

const updates = 200_000;
const maxGrowthBytes = 5 * 1024 * 1024;

let served: ServedTable;

afterEach(() => served.stop());

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

async function observeHeap(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}

async function follow2025(uri: string): Promise<Response> {
  const session = await openIn(served);
  await subscribe(served, session, uri);
  return await getStream(served, session);
}

const follow2026 = (uri: string): Promise<Response> => listen(served, { resourceSubscriptions: [uri] });

test.each([
  ["2025", follow2025],
  ["2026", follow2026],
])("MGM-2 a stopped reader of the %s era holds at most 5 MB after 200,000 changes", async (_era, follow) => {
  served = await serveChangingTable();
  const stopped = await follow("note://a");
  const reading = await follow("note://a");
  const reader = reading.body?.getReader();
  const read = (async () => {
    while ((await reader?.read())?.done === false);
  })();
  const before = await observeHeap();
  for (let count = 0; count < updates; count += 1) {
    served.put("note://a", String(count));
    if (count % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  expect((await observeHeap()) - before).toBeLessThan(maxGrowthBytes);
  await Promise.all([stopped.body?.cancel(), reader?.cancel(), read]);
});
