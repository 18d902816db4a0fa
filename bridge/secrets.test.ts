// Where the secrets of a server are, and where they are not (SEC-1).
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { startBridge, testedCommand, type BridgeUnderTestOptions } from "./testing/bridge-under-test.ts";
import { openRawSession, tryOpenSession } from "./testing/raw-session.ts";

const canary = "canary-9f3b7c";

async function writeSecret(value = canary): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pallas-secrets-"));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  await mkdir(join(folder, "tools"));
  await writeFile(join(folder, "tools", "token"), `${value}\n`);
  return folder;
}

const withSecret = (mode: string, secretsDir: string): BridgeUnderTestOptions => ({
  secretsDir,
  target: {
    kind: "command",
    command: testedCommand(mode),
    env: [
      { name: "TOKEN", secret: { name: "tools", key: "token" } },
      { name: "PLAIN", value: "seen" },
    ],
  },
});

it("DSC-6: a process is given its variables and folders below its work folder, and nothing of the bridge's own", async () => {
  const own = { PALLAS_SECRETS_DIR: "/nowhere", OTHER: "of the bridge", HOME: "/home/of-the-bridge", NODE_OPTIONS: "" };
  const secretsDir = await writeSecret();
  const { url, work } = await startBridge({
    ...withSecret("well", secretsDir),
    variables: { ...own, PALLAS_SECRETS_DIR: secretsDir },
  });
  const variables = Object(await (await openRawSession(url)).say("env"));
  expect(Object.keys(variables).toSorted()).toEqual([
    "HOME",
    "LANG",
    "PATH",
    "PLAIN",
    "TMPDIR",
    "TOKEN",
    "UV_CACHE_DIR",
    "UV_TOOL_DIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "npm_config_cache",
  ]);
  expect(variables).toMatchObject({ TOKEN: canary, PLAIN: "seen", HOME: join(work, "home") });
});

it("DSC-6: on its user's own machine a process has that user's home and settings of package managers, and no more", async () => {
  const secretsDir = await writeSecret();
  const variables = {
    PALLAS_BRIDGE_INHERIT: "user",
    HOME: "/home/somebody",
    npm_config_registry: "https://registry.invalid/",
    UV_INDEX_URL: "https://index.invalid/",
    HTTPS_PROXY: "http://proxy.invalid:3128",
    OPENAI_API_KEY: "not for servers",
    PALLAS_SECRETS_DIR: secretsDir,
  };
  const { url } = await startBridge({ ...withSecret("well", secretsDir), variables });
  const given = Object(await (await openRawSession(url)).say("env"));
  expect(Object.keys(given).toSorted()).toEqual([
    "HOME",
    "HTTPS_PROXY",
    "PATH",
    "PLAIN",
    "TOKEN",
    "UV_INDEX_URL",
    "npm_config_registry",
  ]);
  expect(given).toMatchObject({ HOME: "/home/somebody" });
});

it("DSC-6: what a server writes of its secret is in no log, health, answer of the bridge or metric", async () => {
  const secretsDir = await writeSecret();
  const { url, adminUrl, health, logLines } = await startBridge(withSecret("exit", secretsDir));
  await vi.waitFor(async () => expect((await health()).status).toBe("down"));
  const pages = await Promise.all(
    ["/health", "/stderr", "/metrics", "/readyz"].map(async (path) => await (await fetch(adminUrl + path)).text()),
  );
  const refused = await (await tryOpenSession(url)).text();
  expect(pages[1]).toContain("cannot go on with [redacted] [31m!");
  expect([...pages, refused, ...logLines].join("\n")).not.toContain(canary);
});

it("DSC-6: a secret that a server repeats in its refusal is in no log, health or answer of the bridge", async () => {
  const { url, health, logLines } = await startBridge(withSecret("leak", await writeSecret()));
  await vi.waitFor(async () => expect((await health()).status).toBe("down"));
  const texts = [JSON.stringify(await health()), await (await tryOpenSession(url)).text(), ...logLines];
  expect(texts[0]).toContain("refused initialize: bad token [redacted]");
  expect(texts.join("\n")).not.toContain(canary);
});

it("DSC-6: a secret that comes in pieces, or over the cut of a long line, is shown in no part", async () => {
  const secret = `canary-${"9f3b7c".repeat(60)}`;
  const { url, adminUrl, logLines } = await startBridge(withSecret("well", await writeSecret(secret)));
  const session = await openRawSession(url);
  // What is looked at of a long line ends within the third.
  for (const before of [0, 1, 200]) await session.call("whisper", { before });
  await vi.waitFor(async () => {
    const shown = await (await fetch(`${adminUrl}/stderr`)).text();
    expect(shown.match(/^token: \[redacted\] and on$/gm)).toHaveLength(3);
    expect(shown.match(/^x*(\[redacted\]){2}…$/gm)).toHaveLength(3);
    expect(shown + logLines.join("\n")).not.toMatch(/cana|9f3b7c/);
  });
});

it("a secret is read at each start, and one that is not there is named", async () => {
  const secretsDir = await writeSecret();
  const { url, health } = await startBridge(withSecret("well", secretsDir));
  await openRawSession(url);
  await writeFile(join(secretsDir, "tools", "token"), "rotated");
  expect(await (await openRawSession(url)).say("env")).toMatchObject({ TOKEN: "rotated" });
  await rm(join(secretsDir, "tools", "token"));
  expect(await (await tryOpenSession(url)).json()).toMatchObject({
    error: {
      message: expect.stringContaining('has no readable key "token" of Secret "tools": create it beside the server'),
    },
  });
  expect((await health()).status).toBe("down");
});
