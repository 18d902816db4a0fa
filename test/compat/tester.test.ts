// The reference server that has everything of MCP, unmodified from npm, tried through the gateway's tester.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { addressOf, serveTester, type ServedTester } from "../../gateway/tester/testing/served-tester.ts";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { findScript, openNpmPackages } from "./npm-packages.ts";

const timeoutMs = 60_000;
const at = "/api/servers/everything";

async function startEverything(): Promise<string> {
  const script = await findScript(await openNpmPackages("servers"), "@modelcontextprotocol/server-everything");
  const port = await findFreePorts(1);
  const child = spawn(process.execPath, [script, "streamableHttp"], {
    env: { PATH: process.env["PATH"], PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(async () => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await expect.poll(() => said, { timeout: timeoutMs }).toContain(`listening on port ${port}`);
  return `http://127.0.0.1:${port}/mcp`;
}

async function answerNext(tester: ServedTester, kind: string, body: object): Promise<void> {
  const list = async () => Object((await tester.ask("/api/elicitations")).body["entries"]);
  await expect.poll(list, { timeout: timeoutMs }).toMatchObject([{ kind }]);
  const [{ id }] = await list();
  expect((await tester.ask(`/api/elicitations/${id}/respond`, { body })).body).toEqual({ ok: true });
}

test(
  "DSC-9 the published reference server is tried with all that it has",
  async () => {
    const tester = await serveTester({ everything: addressOf(await startEverything()) });
    const { ask } = tester;
    const call = (tool: string, args: object = {}) => ask(`${at}/call`, { body: { tool, args } });
    await ask("/api/roots", { method: "PUT", body: { roots: [{ uri: "file:///srv/data" }] } });
    for (const list of ["tools", "resources", "prompts"]) {
      expect((await ask(`${at}/${list}`)).body).toMatchObject({ [list]: expect.arrayContaining([expect.anything()]) });
    }
    expect(Object((await ask(`${at}/resource-templates`)).body["resourceTemplates"]).length).toBeGreaterThan(0);
    expect((await call("echo", { message: "hi" })).body).toMatchObject({ content: [{ text: "Echo: hi" }] });
    expect((await call("get-roots-list")).body).toMatchObject({
      content: [{ text: expect.stringContaining("file:///srv/data") }],
    });
    await call("trigger-long-running-operation", { duration: 1, steps: 2 });
    expect((await ask(`${at}/logs/progress`)).body).toMatchObject({
      entries: [{ args: { progress: 2, total: 2 } }, { args: { progress: 1 } }],
    });
    const [elicited] = await Promise.all([
      call("trigger-elicitation-request"),
      answerNext(tester, "elicitation", { action: "accept", content: { name: "Ann" } }),
    ]);
    expect(JSON.stringify(elicited.body)).toContain("Name: Ann");
    const [sampled] = await Promise.all([
      call("trigger-sampling-request", { prompt: "hello", maxTokens: 5 }),
      answerNext(tester, "sampling", { action: "accept", content: "said by hand" }),
    ]);
    expect(JSON.stringify(sampled.body)).toContain("said by hand");
    await ask(`${at}/logging-level`, { body: { level: "debug" } });
    const uri = "demo://resource/dynamic/text/1";
    await ask(`${at}/resource/subscribe`, { body: { uri } });
    await call("toggle-subscriber-updates");
    await call("toggle-simulated-logging");
    const heard = async () =>
      Object((await ask(`${at}/logs/notifications`)).body["entries"]).map(({ tool }: { tool: string }) => tool);
    await expect
      .poll(heard, { timeout: timeoutMs })
      .toEqual(expect.arrayContaining(["notifications/resources/updated", "notifications/message"]));
  },
  2 * timeoutMs,
);
