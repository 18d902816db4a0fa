// Proposals of local mode (MGM-3): there again with the next process, as many as there is room for, and none lost to another.
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { maxProposals, maxProposalsBytes, type PolicyProposal } from "../../../crds/policy.ts";
import { createLogger } from "../../../lib/process/log.ts";
import { person } from "../testing/management.ts";
import { openLocalProposals } from "./local-store.ts";

const admin = person("admin");
const proposal = (id: string, more: Partial<PolicyProposal> = {}): PolicyProposal => ({
  ...{ id, rules: [{ name: "all", action: "ask" }], reason: "x", by: "ann", at: "2030-01-01T00:00:00Z", generation: 0 },
  ...more,
});

async function start() {
  const folder = await mkdtemp(join(tmpdir(), "pallas-proposals-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "state", "proposals.json");
  const lines: string[] = [];
  const log = createLogger({ logger: "test", destination: { write: (line) => void lines.push(line) } });
  const open = () => openLocalProposals({ path, log });
  return { path, lines, open, store: await open() };
}

test("are there again with the next process, in a file that its owner alone reads", async () => {
  const { store, open, path } = await start();
  const heard: string[] = [];
  const stop = store.onChange((policy) => heard.push(policy));
  await store.edit("careful", () => [proposal("abcdefgh1")], admin);
  await store.edit("house", (known) => [...known, proposal("abcdefgh2")], admin);
  await store.edit("house", () => [], admin);
  stop();
  await store.edit("other", () => [proposal("abcdefgh3")], admin);
  expect(heard).toEqual(["careful", "house", "house"]);
  const next = await open();
  expect(next.list("careful")).toEqual([proposal("abcdefgh1")]);
  expect([next.list("house"), next.list("nowhere")]).toEqual([[], []]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("of many who propose at once none is lost", async () => {
  const { store, open } = await start();
  const ids = Array.from({ length: maxProposals }, (_, n) => `abcdefgh${n}`);
  await Promise.all(ids.map((id) => store.edit("careful", (known) => [...known, proposal(id)], admin)));
  expect((await open()).list("careful").map(({ id }) => id)).toEqual(ids);
});

test("are kept as they were where there is no room for another", async () => {
  const { store } = await start();
  const all = (reason: string) => [proposal("abcdefgh1", { rules: [{ name: "all", action: "ask", reason }] })];
  const spare = maxProposalsBytes - Buffer.byteLength(JSON.stringify(all("")));
  await store.edit("careful", () => all("x".repeat(spare)), admin);
  const over = store.edit("careful", () => all("x".repeat(spare + 1)), admin);
  await expect(over).rejects.toThrow(`found ${maxProposalsBytes + 1} bytes`);
  const many = Array.from({ length: maxProposals + 1 }, (_, n) => proposal(`abcdefgh${n}`));
  await expect(store.edit("careful", () => many, admin)).rejects.toThrow("found 17 proposals");
  expect(store.list("careful")).toEqual(all("x".repeat(spare)));
});

test("that cannot be read are kept beside, and the log says so", async () => {
  const { store, path, open, lines } = await start();
  await store.edit("careful", () => [proposal("abcdefgh1")], admin);
  await writeFile(path, "{ not JSON");
  expect((await open()).list("careful")).toEqual([]);
  expect(await readFile(`${path}.faulty`, "utf8")).toBe("{ not JSON");
  expect(lines.join("")).toContain("proposals cannot be read");
});
