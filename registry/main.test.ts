import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cataloguePath } from "../crds/catalogue.ts";
import { makeReport, startAgentAdmin, type AgentAdmin } from "./testing/agent-admin.ts";
import { agentManifest, instanceManifest, makeEndpoint } from "./testing/resources.ts";

let folder: string;
let admin: AgentAdmin;
let child: ChildProcess | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "registry-main-"));
  const openai = { ok: true, checkedAt: "2026-11-21T10:00:00Z" };
  admin = await startAgentAdmin("calls_total 3\n", makeReport({ providers: { openai } }));
});
afterEach(async () => {
  child?.kill("SIGKILL");
  await admin.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Program {
  lines: Record<string, unknown>[];
  exited: Promise<number | null>;
}

function start(env: Record<string, string>): Program {
  const started = spawn(process.execPath, [join(import.meta.dirname, "main.ts")], {
    env: { PATH: process.env["PATH"], PALLAS_HOST: "127.0.0.1", PALLAS_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  child = started;
  let output = "";
  const lines: Record<string, unknown>[] = [];
  started.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = `${output}${chunk}`.split("\n");
    output = parts.pop() ?? "";
    lines.push(...parts.map((line): Record<string, unknown> => JSON.parse(line)));
  });
  return { lines, exited: new Promise((resolve) => started.on("close", resolve)) };
}

const find = ({ lines }: Program, message: string) => lines.find((line) => line["message"] === message);

async function replace(path: string, title: string): Promise<void> {
  const state = {
    schema: 2,
    resources: [
      instanceManifest({ providers: [{ name: "openai", kind: "openai" }] }),
      { ...agentManifest("research", { title }), status: { url: "http://localhost:24101/mcp" } },
    ],
    endpoints: [makeEndpoint("research", admin.url)],
  };
  await writeFile(`${path}.new`, JSON.stringify(state));
  await rename(`${path}.new`, path);
}

describe("CAT-1 the program, in local mode", { timeout: 30_000 }, () => {
  it("serves catalogue, health and metrics, follows the file, and ends on SIGTERM with 0", async () => {
    const path = join(folder, "state.json");
    const program = start({ PALLAS_LOCAL_STATE: path, PALLAS_SCRAPE_INTERVAL_MS: "100" });
    await vi.waitFor(() => expect(find(program, "registry started")).toBeDefined(), { timeout: 25_000 });
    const url = String(find(program, "registry started")?.["url"]);
    const get = (route: string, init?: RequestInit) => fetch(`${url}${route}`, init);

    expect((await get("/livez")).status).toBe(200);
    expect((await get("/readyz")).status).toBe(503);
    expect((await get(cataloguePath)).status).toBe(503);
    await replace(path, "Research");
    await expect.poll(async () => (await get("/readyz")).status).toBe(200);

    // It is served plain until it is compressed.
    const encoding = async () => (await get(cataloguePath)).headers.get("content-encoding");
    await expect.poll(encoding).toBe("gzip");
    const answer = await get(cataloguePath);
    expect((await answer.json()).servers[0].server).toMatchObject({
      title: "Research",
      remotes: [{ type: "streamable-http", url: "http://localhost:24101/mcp" }],
    });
    const etag = answer.headers.get("etag") ?? "";
    expect((await get(cataloguePath, { headers: { "if-none-match": etag } })).status).toBe(304);
    const head = await get(cataloguePath, { method: "HEAD" });
    expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, etag, ""]);

    await expect.poll(async () => (await get("/metrics")).text()).toContain('pod="research-1"} 3');
    const providers = async () => (await (await get("/healthz")).json()).instances[0].providers;
    await expect.poll(providers).toEqual({ openai: { ok: true, checkedAt: "2026-11-21T10:00:00Z" } });

    await replace(path, "Edited");
    await expect.poll(async () => (await get(cataloguePath)).text()).toContain("Edited");
    child?.kill("SIGTERM");
    expect(await program.exited).toBe(0);
    expect(find(program, "shutdown finished")).toMatchObject({ level: "INFO", failed: [] });
  });

  it("HLT-5 has its probes, and nothing else, on a port of their own where one is set", async () => {
    const path = join(folder, "state.json");
    const program = start({ PALLAS_LOCAL_STATE: path, PALLAS_ADMIN_PORT: "0" });
    await vi.waitFor(() => expect(find(program, "registry started")).toBeDefined(), { timeout: 25_000 });
    const adminUrl = String(find(program, "registry started")?.["adminUrl"]);
    const status = async (route: string) => (await fetch(`${adminUrl}${route}`)).status;
    expect([await status("/livez"), await status("/readyz")]).toEqual([200, 503]);
    await replace(path, "Research");
    await expect.poll(() => status("/readyz")).toBe(200);
    expect([await status(cataloguePath), await status("/metrics"), await status("/healthz")]).toEqual([404, 404, 404]);
    child?.kill("SIGTERM");
    expect(await program.exited).toBe(0);
  });

  it("LOG-1 a faulty environment is one line that names the variables, and exit code 1", async () => {
    const program = start({ PALLAS_PORT: "many" });
    expect(await program.exited).toBe(1);
    const { level, err } = find(program, "registry cannot start") ?? {};
    expect(level).toBe("FATAL");
    expect(JSON.stringify(err)).toContain("PALLAS_PORT");
  });
});
