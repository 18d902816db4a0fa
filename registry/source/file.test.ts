import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cataloguePath } from "../../crds/catalogue.ts";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { ask, makeRegistry } from "../testing/registry.ts";
import { agentManifest, instanceManifest, makeEndpoint } from "../testing/resources.ts";
import { createFileSource, type FileSourceOptions } from "./file.ts";

let folder: string;
let path: string;
const stops: (() => Promise<void>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "registry-file-"));
  path = join(folder, "state.json");
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await rm(folder, { recursive: true, force: true });
});

const render = (...agents: Record<string, unknown>[]) =>
  JSON.stringify({ schema: 2, resources: [instanceManifest(), ...agents], endpoints: [] });
const agent = (name: string, title: string) => agentManifest(name, { title });

/** As `pallas up` writes it: whole, by renaming. */
async function replace(text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

function start(options: Partial<FileSourceOptions> = {}) {
  const source = createFileSource({ path, log: silentLog(), ...options });
  stops.push(() => source.stop());
  source.start();
  return source;
}

const titles = (source: ReturnType<typeof start>) => source.agents().map(({ spec }) => spec.title);

describe("CLI-1 resources from the file of local mode", () => {
  it("an edit is seen at once, and what did not change keeps its identity", async () => {
    await replace(render(agent("a", "A"), agent("b", "B")));
    const source = start({ pollMs: 60_000 });
    await vi.waitFor(() => expect(titles(source)).toEqual(["A", "B"]));
    const [first] = source.agents();
    const changed = vi.fn<() => void>();
    source.onChange(changed);
    await replace(render(agent("a", "A"), agent("b", "B2")));
    await vi.waitFor(() => expect(titles(source)).toEqual(["A", "B2"]));
    expect(source.agents()[0]).toBe(first);
    expect(changed).toHaveBeenCalled();
    expect(source.state().phase).toBe("live");
  });

  it("DSC-6 tool servers are among them, each the same while nothing of it changes", async () => {
    const spec = { package: { kind: "npm", name: "server-memory" }, active: true, listed: false };
    const memory = { ...agentManifest("memory", spec), kind: "PallasServer" };
    await replace(render(agent("a", "A"), memory));
    const source = start({ pollMs: 60_000 });
    await vi.waitFor(() => expect(source.servers()).toHaveLength(1));
    const [first] = source.servers();
    await replace(render(agent("a", "A2"), memory));
    await vi.waitFor(() => expect(titles(source)).toEqual(["A2"]));
    expect(source.servers()[0]).toBe(first);
  });

  it("of edits in quick succession the last one is seen, without the timer", async () => {
    await replace(render(agent("a", "0")));
    const source = start({ pollMs: 60_000 });
    await vi.waitFor(() => expect(titles(source)).toEqual(["0"]));
    for (let round = 1; round <= 20; round += 1) {
      await replace(render(agent("a", `${round}`)));
      await replace(render(agent("a", `last of ${round}`)));
      await vi.waitFor(() => expect(titles(source)).toEqual([`last of ${round}`]), { interval: 2 });
    }
  });

  it("a file that comes later, in a folder that comes later, is found by the timer", async () => {
    await rm(folder, { recursive: true });
    const source = start({ pollMs: 10 });
    await vi.waitFor(() => expect(source.state().message).toContain("ENOENT"));
    expect(source.state().phase).toBe("starting");
    await mkdir(folder);
    await replace(render(agent("a", "A")));
    await vi.waitFor(() => expect(source.state().phase).toBe("live"));
    expect(titles(source)).toEqual(["A"]);
  });

  it.each([
    ["half of it", (sound: string) => sound.slice(0, sound.length / 2), "expected JSON"],
    ["nothing", () => "", "expected JSON"],
    ["another shape", () => '{"schema":2}', "not what this release understands"],
    ["a faulty agent", () => render(agentManifest("a", { scop: "shared" })), "not what this release understands"],
  ])("%s keeps the last good state, degraded, until it is sound again", async (_, spoil, message) => {
    const sound = render(agent("a", "A"));
    await replace(sound);
    const source = start();
    await vi.waitFor(() => expect(source.state().phase).toBe("live"));
    await writeFile(path, spoil(sound));
    const told = { phase: "degraded", message: expect.stringContaining(message) };
    await vi.waitFor(() => expect(source.state()).toMatchObject(told));
    expect(titles(source)).toEqual(["A"]);
    await replace(render(agent("a", "A again")));
    await vi.waitFor(() => expect(source.state()).toMatchObject({ phase: "live" }));
    expect(source.state().message).toBeUndefined();
    expect(titles(source)).toEqual(["A again"]);
  });

  it("a deleted file keeps the last good state", async () => {
    await replace(render(agent("a", "A")));
    const source = start({ pollMs: 10 });
    await vi.waitFor(() => expect(source.state().phase).toBe("live"));
    await rm(path);
    await vi.waitFor(() => expect(source.state().phase).toBe("degraded"));
    expect(titles(source)).toEqual(["A"]);
  });

  it("a file of exactly the limit is read, one byte more is not", async () => {
    const text = render(agent("a", "A"));
    const maxFileBytes = Buffer.byteLength(text);
    await replace(text);
    const source = start({ maxFileBytes });
    await vi.waitFor(() => expect(source.state().phase).toBe("live"));
    await replace(`${text} `);
    await vi.waitFor(() => expect(source.state().message).toContain("more than the limit"));
  });

  it("two endpoints of one pod are one", async () => {
    const endpoints = [makeEndpoint("a", "http://10.0.0.1:9090"), makeEndpoint("a", "http://[fd00::1]:9090")];
    await replace(JSON.stringify({ schema: 1, instances: [], agents: [], endpoints }));
    const source = start();
    await vi.waitFor(() => expect(source.endpoints()).toEqual(endpoints.slice(0, 1)));
  });
});

describe("CAT-4 the catalogue of local mode", () => {
  it("an edit of the file is in the served bytes, with the URL that the file says", async () => {
    const status = { specChangedAt: "2026-11-21T10:00:00Z", url: "http://localhost:24101/mcp" };
    await replace(render({ ...agent("a", "A"), status }));
    const registry = makeRegistry(createFileSource({ path, log: silentLog() }), { rules: { mode: "local" } });
    stops.push(() => registry.stop());
    registry.start();
    const read = async () => (await ask(registry.app, cataloguePath)).text();
    await expect.poll(read).toContain('"url":"http://localhost:24101/mcp"');
    await replace(render({ ...agent("a", "Edited"), status }));
    await expect.poll(read).toContain('"title":"Edited"');
    await writeFile(path, "{");
    await expect.poll(read).toContain("staleSince");
    expect(await read()).toContain('"title":"Edited"');
  });
});
