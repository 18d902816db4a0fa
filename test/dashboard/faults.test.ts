// What goes wrong around a page that is open: texts with control characters, a sign-in that ends, a gateway that goes away, a clock that is wrong.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { agentsWords } from "../../dashboard/words/agents.ts";
import { approvalWords } from "../../dashboard/words/approvals.ts";
import { chatWords } from "../../dashboard/words/chat.ts";
import { fill } from "../../dashboard/words/fill.ts";
import { loginWords } from "../../dashboard/words/login.ts";
import { shellWords } from "../../dashboard/words/shell.ts";
import { stateWords } from "../../dashboard/words/states.ts";
import { needs } from "../tools/needs.ts";
import { startBrowser } from "./browser.ts";
import { askTransfer, callTool, openApprover } from "./scene-caller.ts";
import { renderSecret, startScene, type Scene, type SceneRole } from "./scene.ts";
import { isShown, openPage, type WatchedPageOptions } from "./watched-page.ts";

const hourMs = 3_600_000;
const coins = callTool("payments__count_coins", { steps: 20 });
const agentNamed = (name: string) => `apiVersion: pallas.helu.ca/v1alpha1
kind: PallasAgent
metadata: { name: ${name}, namespace: default }
spec: { instanceRef: { name: ouranos }, description: "Came meanwhile" }
`;

const ledger = `apiVersion: pallas.helu.ca/v1alpha1
kind: PallasServer
metadata: { name: ledger, namespace: default }
spec:
  instanceRef: { name: ouranos }
  local: { command: node, args: [ledger-server.ts] }
---
apiVersion: pallas.helu.ca/v1alpha1
kind: PallasAgent
metadata: { name: auditor, namespace: default }
spec:
  instanceRef: { name: ouranos }
  servers: [{ name: ledger }]
  modelCapabilities: { contextWindow: 100000000 }
  limits: { toolResultBytes: 10000000, totalTokens: 1000000000 }
  # The built-in model repeats what it is told.
  history: { maxBytesPerConversation: 64Mi }
  resources: { limits: { memory: 1Gi } }
`;
/** Design: of a view. */
const maxNodes = 1_500;

describe("UI-1 what goes wrong around the dashboard", needs("chromium"), () => {
  let scene: Scene;
  let browser: Browser;
  beforeAll(async () => {
    [scene, browser] = await Promise.all([
      startScene({ more: { "ledger.yaml": ledger }, without: ["broken.yaml"] }),
      startBrowser(),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await scene?.[Symbol.asyncDispose]();
  });

  async function open(route: string, role: SceneRole = "admin", more: Partial<WatchedPageOptions> = {}) {
    const opened = await openPage(browser, { origin: scene.origin, token: scene.tokens[role], route, ...more });
    onTestFinished(async () => {
      await opened[Symbol.asyncDispose]();
      expect(opened.problems).toEqual([]);
    });
    const { page } = opened;
    const composer = page.getByLabel(fill(chatWords.message, { agent: "bookkeeper" }));
    const send = async (text: string) => {
      await composer.fill(text);
      await page.getByRole("button", { name: chatWords.send, exact: true }).click();
    };
    return { ...opened, log: page.getByRole("log"), composer, send };
  }

  it("an answer of 10 MB: the page goes on, holds little of it, and shows more of it when asked", async () => {
    const { page, log, go } = await open("#/agents/auditor");
    const composer = page.getByLabel(fill(chatWords.message, { agent: "auditor" }));
    await composer.fill(callTool("ledger__read_ledger", { bytes: 9_900_000 }));
    await page.getByRole("button", { name: chatWords.send, exact: true }).click();
    const more = log.getByRole("button", { name: /^Show more/ });
    await more.waitFor();
    expect(await more.textContent()).toMatch(/9\.\d MB/);
    const measure = () =>
      page.evaluate(() => ({
        nodes: document.querySelectorAll("*").length,
        chars: document.querySelector('[role="log"]')?.textContent.length ?? 0,
      }));
    const before = await measure();
    expect(before.nodes).toBeLessThan(maxNodes);
    expect(before.chars).toBeLessThan(250_000);
    for (let presses = 1; presses <= 3; presses += 1) {
      await more.click();
      await expect.poll(async () => (await measure()).chars).toBeGreaterThan(before.chars + presses * 190_000);
    }
    expect((await measure()).nodes).toBeLessThan(maxNodes);
    await composer.fill("and now");
    await page.waitForURL(/session=/);
    const conversation = new URL(page.url()).hash;
    const startedAt = performance.now();
    await go("#/agents");
    await page.getByRole("link", { name: "slowpoke" }).waitFor();
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    await go(conversation);
    await more.waitFor();
    expect(await composer.inputValue()).toBe("and now");
  });

  it("control and direction characters of an answer are named, and are not in the page", async () => {
    const { log, send, page } = await open("#/agents/bookkeeper");
    await send("plain \u001b[31mred\u001b[0m and \u202etxt.exe\u202c \u200bend");
    await page.getByRole("button", { name: chatWords.stop, exact: true }).waitFor({ state: "hidden" });
    for (const code of ["U+001B", "U+202E", "U+200B"]) {
      await expect.poll(() => log.getByText(code, { exact: false }).count()).toBeGreaterThan(1);
    }
    const text = (await log.textContent()) ?? "";
    expect(["\u001b", "\u202e", "\u202c", "\u200b"].filter((character) => text.includes(character))).toEqual([]);
  });

  it("a sign-in that ends amid a chat: one signs in in place, the draft stays and the run goes on", async () => {
    const { page, log, composer, send, go } = await open("#/agents/bookkeeper", "operator", { expected: /401/ });
    await send(coins);
    await log.getByText("payments / count_coins").first().waitFor();
    await composer.fill("half a thought");
    await page.waitForURL(/session=/);
    const conversation = new URL(page.url()).hash;
    await scene.write("tokens.yaml", renderSecret("operator"));
    const strip = page.getByRole("region", { name: shellWords.ended });
    for (let tries = 0; tries < 30 && (await strip.count()) === 0; tries += 1) {
      await go("#/servers");
      await page.waitForTimeout(300);
      await go(conversation);
      await page.waitForTimeout(300);
    }
    await strip.waitFor();
    await log.getByText("20 coins").waitFor();
    expect(await composer.inputValue()).toBe("half a thought");
    await scene.write("tokens.yaml", renderSecret());
    await expect
      .poll(
        async () =>
          (
            await fetch(`${scene.origin}/openapi.json`, {
              headers: { authorization: `Bearer ${scene.tokens.operator}` },
            })
          ).status,
      )
      .toBe(200);
    await strip.getByLabel(loginWords.token).fill(scene.tokens.operator);
    await strip.getByRole("button", { name: loginWords.signIn }).click();
    await strip.waitFor({ state: "hidden" });
    await page.getByText(shellWords.live, { exact: true }).first().waitFor();
    expect(await composer.inputValue()).toBe("half a thought");
    await page.getByRole("button", { name: chatWords.send, exact: true }).click();
    await expect.poll(() => log.getByText("half a thought").count()).toBeGreaterThan(1);
  });

  it("a sign-in that ends, and somebody else who signs in in its place: nothing of the one before is theirs", async () => {
    const { page, log, composer, send, go } = await open("#/agents/bookkeeper", "operator", { expected: /401|404/ });
    await send("for my eyes only");
    await expect.poll(() => log.getByText("for my eyes only").count()).toBeGreaterThan(1);
    await composer.fill("half a secret");
    const refused = `Bearer ${scene.tokens.operator}`;
    await page.route("**/mcp", (route) =>
      route.request().headers()["authorization"] === refused ? route.fulfill({ status: 401 }) : route.continue(),
    );
    const strip = page.getByRole("region", { name: shellWords.ended });
    await page.waitForURL(/session=/);
    const conversation = new URL(page.url()).hash;
    await go("#/servers");
    await strip.waitFor();
    await go(conversation);
    expect(await isShown(log.getByText("for my eyes only"))).toBe(true);
    await strip.getByLabel(loginWords.token).fill(scene.tokens.caller);
    await strip.getByRole("button", { name: loginWords.signIn }).click();
    await strip.waitFor({ state: "hidden" });
    await page.getByText("for my eyes only").first().waitFor({ state: "detached" });
    await go("#/agents/bookkeeper");
    await composer.waitFor();
    expect(await composer.inputValue()).toBe("");
    await page.waitForTimeout(1_000);
    expect(await page.getByText("for my eyes only").count()).toBe(0);
  });

  it.each([hourMs, -hourMs])("a browser's clock that is %d ms off: times left are the server's", async (shiftMs) => {
    void askTransfer(scene);
    await using approver = await openApprover(scene);
    const pending = await approver.untilOneWaits();
    const script = `
      const { now } = Date;
      globalThis.Date = class extends Date {
        constructor(...given) { super(...(given.length === 0 ? [now() + ${shiftMs}] : given)); }
        static now() { return now() + ${shiftMs}; }
      };
    `;
    const { page } = await open("#/approvals", "admin", { script });
    await page.getByRole("heading", { level: 1, name: /create_transfer/ }).waitFor();
    expect(await page.evaluate(() => Date.now())).toSatisfy(
      (told: number) => Math.abs(told - Date.now() - shiftMs) < 60_000,
    );
    expect(await isShown(page.getByText(/expires in (?:9|10) min/))).toBe(true);
    expect(await page.getByText(approvalWords.timeIsUp).count()).toBe(0);
    await approver.decide(pending, "deny_continue");
    await approver.untilPending(0);
  });

  it("a gateway that goes away: chat and lists say so, stay, and come back by themselves with what changed", async () => {
    const expected = { expected: /Failed to load resource|ERR_/ };
    const chat = await open("#/agents/bookkeeper", "admin", expected);
    const list = await open("#/agents", "admin", expected);
    await list.page.getByRole("link", { name: "slowpoke" }).waitFor();
    void askTransfer(scene);
    const approvals = await open("#/approvals", "admin", expected);
    const bar = approvals.page.getByLabel(approvalWords.bar).first();
    await bar.getByRole("button", { name: approvalWords.deny }).waitFor();
    await chat.send(coins);
    await chat.log.getByText("payments / count_coins").first().waitFor();
    await chat.composer.fill("half a thought");
    // The run starts it again within seconds: all of this is looked for at once.
    const noticed = Promise.all([
      ...[chat, list].map(({ page }) => page.getByText(/^Connection lost at/).waitFor()),
      chat.log.getByText(/^The connection was lost amid the answer/).waitFor(),
      bar.getByText(stateWords.offline).first().waitFor(),
    ]);
    await scene.killGateway();
    await noticed;
    expect(await bar.getByRole("button", { name: approvalWords.deny }).getAttribute("aria-disabled")).toBe("true");
    expect(await list.page.getByRole("link", { name: "slowpoke" }).count()).toBe(1);
    await scene.write("late.yaml", agentNamed("latecomer"));
    await Promise.all(
      [chat, list].map(({ page }) =>
        page.getByText(/^Connection lost at/).waitFor({ state: "hidden", timeout: 30_000 }),
      ),
    );
    await bar.getByText(stateWords.offline).first().waitFor({ state: "hidden" });
    const table = list.page.getByRole("table", { name: agentsWords.table });
    await table.getByRole("link", { name: "latecomer" }).waitFor();
    expect(await chat.composer.inputValue()).toBe("half a thought");
    await chat.page.getByRole("button", { name: chatWords.send, exact: true }).click();
    await expect.poll(() => chat.log.getByText("half a thought").count()).toBeGreaterThan(1);
  });
});
