// find_tool, find_tools and status over HTTP with an endpoint of embeddings that is well, and then is not.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startEmbeddingsServer } from "../../../test/models/embeddings-server.ts";
import { openDiscoveryScene } from "../../testing/discovery-scene.ts";
import { echoTool, remoteServer, startMcpServer } from "../../testing/server-scene.ts";

const key = "sk-very-secret-0123456789";

async function openScene() {
  const endpoint = await startEmbeddingsServer();
  const secretsDir = await mkdtemp(join(tmpdir(), "pallas-secrets-"));
  await mkdir(join(secretsDir, "models"));
  const keyFile = join(secretsDir, "models", "key");
  await writeFile(keyFile, `${key}\n`);
  onTestFinished(async () => {
    await endpoint.close();
    await rm(secretsDir, { recursive: true });
  });
  const apiKey = { name: "models", key: "key" };
  const embeddings = { kind: "openai", baseUrl: endpoint.url, model: "m", apiKey } as const;
  const scene = await openDiscoveryScene({ embeddings, secretsDir });
  const { url } = await startMcpServer([echoTool("read_file"), echoTool("send_mail")]);
  scene.state.put(remoteServer("files", url));
  const status = async (caller: string) => (await scene.act(caller, { action: "status" }))["embeddings"];
  const find = (query: string) => scene.act("caller", { action: "find_tool", query, auto_activate: false });
  return { scene, endpoint, keyFile, status, find };
}

test("DSC-3 an answer is marked while the endpoint has no part in it, and only then; operators are told why", async () => {
  const { scene, endpoint, keyFile, status, find } = await openScene();
  await expect.poll(() => status("operator")).toMatchObject({ tools: 2, embedded: 2 });
  expect(await status("operator")).toEqual({ provider: "openai", model: "m", tools: 2, embedded: 2, degraded: false });
  expect(endpoint.requests.every(({ authorization }) => authorization === `Bearer ${key}`)).toBe(true);
  await expect.poll(() => find("read a file")).not.toHaveProperty("degraded");
  expect(await find("read a file")).toMatchObject({ found: true, call_as: "mcp__files__read_file" });

  endpoint.requests.length = 0;
  const intents = ["read some file", "send some mail", "read another file"];
  const { results } = await scene.act("caller", { action: "find_tools", intents, auto_activate: false });
  expect(results).toEqual([
    expect.objectContaining({ tool: "read_file" }),
    expect.objectContaining({ tool: "send_mail" }),
    expect.objectContaining({ tool: "read_file" }),
  ]);
  expect(JSON.stringify(results)).not.toContain("degraded");
  expect(endpoint.requests.map(({ input }) => input)).toEqual([intents]);

  await endpoint.close();
  for (let at = 0; at < 3; at += 1) {
    expect(await find(`read a file ${at}`)).toMatchObject({ found: true, tool: "read_file", degraded: true });
  }
  expect(await status("operator")).toMatchObject({
    degraded: true,
    last_error: expect.stringContaining("unreachable"),
  });
  expect(await status("caller")).toEqual({ provider: "openai", degraded: true });
  await rm(keyFile);
  expect(JSON.stringify([scene.logs, await status("admin")])).not.toContain(key);
});

test("a key that is not there is said to operators, and taken when it comes", async () => {
  const { keyFile, status, find, scene } = await openScene();
  await rm(keyFile);
  const { url } = await startMcpServer([echoTool("mend_it")]);
  scene.state.put(remoteServer("more", url));
  const problem = 'the key "key" of Secret "models" cannot be read; create it in the instance\'s namespace';
  await expect.poll(() => status("operator")).toMatchObject({ degraded: true, last_error: problem });
  expect(await find("mend it")).toMatchObject({ tool: "mend_it", degraded: true });
  await writeFile(keyFile, key);
  await expect.poll(() => status("operator")).toMatchObject({ degraded: false, embedded: 3 });
  await expect.poll(() => find("mend it")).not.toHaveProperty("degraded");
});

test("with kind none nothing is asked, and status says so; as it comes status says nothing", async () => {
  const { url } = await startMcpServer([echoTool("read_file")]);
  for (const [embeddings, expected] of [
    [{ kind: "none" }, { provider: "none" }],
    [undefined, undefined],
  ] as const) {
    const scene = await openDiscoveryScene({ ...(embeddings && { embeddings }) });
    scene.state.put(remoteServer("files", url));
    await expect
      .poll(() => scene.act("caller", { action: "find_tool", query: "read file", auto_activate: false }))
      .toMatchObject({ found: true, tool: "read_file" });
    const answer = await scene.act("operator", { action: "status" });
    expect(answer["embeddings"]).toEqual(expected);
  }
});
