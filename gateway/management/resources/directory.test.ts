// The directory as a list of the management server, by a clock that stands still.
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import type { PallasRegistration } from "../../../crds/registration.ts";
import { kinds } from "../../../crds/kinds.ts";
import { createLogger } from "../../../lib/process/log.ts";
import { ManualClock } from "../../../lib/process/testing/manual-clock.ts";
import { sampleAgent } from "../../../plan/testing/resources.ts";
import { Catalogue } from "../../directory/catalogue.ts";
import { createMemoryStore } from "../../directory/testing/directory.ts";
import { registrationManifestOf } from "../../testing/resources.ts";
import { person } from "../testing/management.ts";
import { readFamily } from "../testing/read-family.ts";
import { createDirectoryList, maxDirectoryItems } from "./directory.ts";

const endpoint = {
  ...{ id: "e1", name: "mcp", transport: "Http", protocol: "MCP", address: "http://x.example.com/mcp" },
  ...{ livenessModel: "Ephemeral", ttlSeconds: 60 },
};
const registered = (name: string, spec: object = {}): PallasRegistration =>
  kinds.PallasRegistration.manifest.parse(registrationManifestOf(name, { endpoints: [endpoint], ...spec }));
const listed = z.object({ items: z.array(z.looseObject({ name: z.string() })), totalCount: z.number() });

function start(registrations: readonly PallasRegistration[]) {
  const clock = new ManualClock();
  const store = createMemoryStore(registrations);
  const agents = [sampleAgent("clerk"), sampleAgent("boss")];
  const own = { listAgents: () => agents, listServers: () => [], getServerAddress: () => undefined };
  const log = createLogger({ logger: "test", level: "SILENT" });
  const catalogue = new Catalogue({ store, own, version: "1", log, clock });
  onTestFinished(() => catalogue.close());
  const family = createDirectoryList({ catalogue, clock });
  const read = async (identity = person("viewer")) => listed.parse(await readFamily(family, identity));
  return { clock, store, catalogue, family, read };
}

test("MGM-2 the directory is listed as /discover/agents says it, with cards as they were submitted", async () => {
  const card =
    '{"serverInfo": {"name":"com.example/x",  "version":"1"},"endpoints":{"streamableHttp":"http://x.example.com/mcp"}}';
  const { read } = start([
    registered("x", { card, name: "com.example/x" }),
    registered("y", { labels: { team: "a" } }),
  ]);
  const { items, totalCount } = await read();
  expect(totalCount).toBe(4);
  expect(items.map(({ name, kind }) => [name, kind])).toEqual([
    ["boss", "agent"],
    ["clerk", "agent"],
    ["com.example/x", "registration"],
    ["y", "registration"],
  ]);
  expect(items[2]).toMatchObject({
    ownerId: "alice",
    card: expect.stringContaining('"name":"com.example/x",  "vers'),
  });
  expect(items[3]).toMatchObject({ labels: { team: "a" }, endpoints: [{ isLive: true, liveness: "unknown" }] });
});

test("agents that somebody does not see are not in it, and whoever has no role reads nothing", async () => {
  const { read, family } = start([registered("x")]);
  const narrow = await read(person("viewer", { agents: ["boss"] }));
  expect(narrow.items.map(({ name }) => name)).toEqual(["boss", "x"]);
  expect(await readFamily(family, person(undefined))).toBeUndefined();
});

test("whoever follows hears when an endpoint dies, beats, comes or goes, and else nothing", async () => {
  const { clock, store, catalogue, family } = start([registered("x")]);
  let told = 0;
  const take = () => [told, (told = 0)][0];
  const stop = family.follow?.("", () => void (told += 1));
  await clock.advance(60_000);
  expect(take()).toBe(0);
  await clock.advance(3_000);
  expect(take()).toBe(1);
  catalogue.beat({ key: "x/e1" });
  await clock.advance(3_000);
  expect(take()).toBe(1);
  store.set([registered("x"), registered("y")]);
  await clock.advance(3_000);
  expect(take()).toBe(1);
  stop?.();
  store.set([]);
  await clock.advance(3_000);
  expect([take(), clock.pending]).toEqual([0, []]);
});

test.each([
  [maxDirectoryItems, maxDirectoryItems],
  [maxDirectoryItems + 1, maxDirectoryItems],
])("of %i entries %i are listed, and all are counted", async (count, shown) => {
  const { read } = start(Array.from({ length: count - 2 }, (_, n) => registered(`r${n}`, { endpoints: [] })));
  const { items, totalCount } = await read();
  expect([items.length, totalCount]).toEqual([shown, count]);
});

test("of cards larger than there is room for the last are left out, and said to be", async () => {
  const card = (n: number) =>
    JSON.stringify({
      serverInfo: { name: `com.example/x${n}`, version: "1", description: "X".repeat(30_000) },
      endpoints: { streamableHttp: "http://x.example.com/mcp" },
    });
  const count = 120;
  const { read } = start(
    Array.from({ length: count }, (_, n) =>
      registered(`x${n}`, { card: card(n), name: `com.example/x${n}`, description: "x" }),
    ),
  );
  const { items } = await read();
  expect(items).toHaveLength(count + 2);
  expect(items.find(({ name }) => name === "com.example/x0")).toHaveProperty("card", expect.any(String));
  expect(items.at(-1)).toMatchObject({ card: null, cardLeftOut: true });
  expect(Buffer.byteLength(JSON.stringify(items))).toBeLessThan(3 * 1024 * 1024);
});
