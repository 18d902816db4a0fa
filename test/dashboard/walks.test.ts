// What people come for, once by mouse and once by keyboard alone: agents, a talk with one that shows what it does, servers, finding a tool,
// trying it, and what was called. What happens elsewhere shows by itself.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { agentsWords } from "../../dashboard/words/agents.ts";
import { callWords } from "../../dashboard/words/calls.ts";
import { chatWords } from "../../dashboard/words/chat.ts";
import { createWords } from "../../dashboard/words/create.ts";
import { discoverWords } from "../../dashboard/words/discover.ts";
import { fill, plural } from "../../dashboard/words/fill.ts";
import { goToWords } from "../../dashboard/words/goto.ts";
import { serverWords } from "../../dashboard/words/servers.ts";
import { shellWords } from "../../dashboard/words/shell.ts";
import { tabWords } from "../../dashboard/words/tabs.ts";
import { testerWords } from "../../dashboard/words/tester.ts";
import { needs } from "../tools/needs.ts";
import { startBrowser } from "./browser.ts";
import { tabTo } from "./keyboard.ts";
import { askTransfer, callTool, openApprover } from "./scene-caller.ts";
import { startScene, type Scene, type SceneRole } from "./scene.ts";
import { isShown, openPage, type WatchedPage } from "./watched-page.ts";

let scene: Scene;
let browser: Browser;

/** Signed in, watched to the end of the test. */
async function open(route: string, role: SceneRole = "admin"): Promise<WatchedPage> {
  const opened = await openPage(browser, { origin: scene.origin, token: scene.tokens[role], route });
  onTestFinished(async () => {
    await opened[Symbol.asyncDispose]();
    expect(opened.problems).toEqual([]);
  });
  return opened;
}

const main = (page: Page) => page.getByRole("main");
const coins = { message: callTool("payments__count_coins", { steps: 8 }), answer: "8 coins" };
const composer = (page: Page, agent: string) => page.getByLabel(fill(chatWords.message, { agent }));
/** In what was said, not in what is written. */
const said = (page: Page, text: string | RegExp) => page.getByRole("log").getByText(text);

describe("UI-1 the dashboard", needs("chromium"), () => {
  beforeAll(async () => {
    [scene, browser] = await Promise.all([startScene(), startBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await scene?.[Symbol.asyncDispose]();
  });

  it("by mouse: an agent is found, talked to, and shows what it does before it answers", async () => {
    const { page } = await open("#/agents");
    const table = page.getByRole("table", { name: agentsWords.table });
    await expect.poll(() => table.getByRole("row").count()).toBe(5);
    await page.getByRole("searchbox", { name: agentsWords.filter }).fill("statements");
    await expect.poll(() => table.getByRole("row").count()).toBe(2);
    expect(page.url()).toContain("q=statements");
    await table.getByRole("link", { name: "bookkeeper" }).click();
    await page.getByRole("heading", { level: 1, name: "bookkeeper" }).waitFor();
    await composer(page, "bookkeeper").fill(coins.message);
    await page.getByRole("button", { name: chatWords.send }).click();
    await said(page, "payments / count_coins").first().waitFor();
    expect(await said(page, coins.answer).count()).toBe(0);
    await page.getByRole("button", { name: chatWords.stop }).waitFor();
    await said(page, coins.answer).waitFor();
    await page.goBack();
    await expect.poll(() => table.getByRole("row").count()).toBe(2);
  });

  it("by mouse: an answer is stopped, and what was begun stays in sight", async () => {
    const { page } = await open("#/agents/slowpoke");
    await composer(page, "slowpoke").fill("take your time");
    await page.getByRole("button", { name: chatWords.send }).click();
    await page.getByRole("button", { name: chatWords.stop }).click();
    await said(page, /^Stopped by you/).waitFor();
    expect(await isShown(said(page, "take your time"))).toBe(true);
  });

  it("by mouse: who asked what runs, and after a stop by somebody else what became of it", async () => {
    const { page } = await open("#/agents/slowpoke", "caller");
    await composer(page, "slowpoke").fill("take your time");
    await page.getByRole("button", { name: chatWords.send }).click();
    await page.getByRole("button", { name: chatWords.stop }).waitFor();
    const { page: other } = await open("#/agents/slowpoke/runs", "approver");
    const running = other.getByRole("table", { name: fill(tabWords.runsTable, { agent: "slowpoke" }) });
    await running.getByText(/^token:?.*caller/).waitFor();
    await running.getByRole("button", { name: /^Stop/ }).click();
    const ended = other.getByRole("table", { name: fill(tabWords.endedTable, { agent: "slowpoke" }) });
    const first = ended.getByRole("row").nth(1);
    await first.getByText(tabWords.ended.cancelled).waitFor();
    await first.getByText(/^token:?.*caller/).waitFor();
    await other.getByText(tabWords.idle).waitFor();
    // The person who asked is told.
    expect(await isShown(said(page, /aborted by somebody/))).toBe(true);
  });

  it("by mouse: servers, a tool that does what one wants, a try of it, and the line of that in the log", async () => {
    const { page } = await open("#/servers");
    await main(page).getByRole("link", { name: "payments" }).click();
    await page.getByRole("heading", { level: 1, name: /payments/ }).waitFor();
    await main(page).getByText("read_invoice").first().waitFor();
    await page.getByRole("link", { name: shellWords.discover, exact: true }).click();
    await page.getByLabel(discoverWords.field).fill("read an invoice");
    await main(page).getByRole("link", { name: "payments / read_invoice" }).click();
    await page.getByRole("link", { name: discoverWords.tryIt }).click();
    await page.getByRole("textbox", { name: /^id/ }).fill("2026-117");
    await page.getByRole("button", { name: fill(testerWords.call, { name: "read_invoice" }) }).click();
    await page.getByText("Invoice 2026-117: Nordwind Logistik").first().waitFor();
    await page.getByRole("link", { name: shellWords.calls, exact: true }).click();
    const log = page.getByRole("table", { name: callWords.table });
    expect(await isShown(log.getByRole("link", { name: /payments \/ read_invoice/ }))).toBe(true);
  });

  it("by mouse: what a server that cannot start wrote to standard error, which says why", async () => {
    const { page } = await open("#/servers/broken", "operator");
    await page.getByRole("button", { name: serverWords.log, exact: true }).click();
    const written = page.getByRole("log", { name: fill(serverWords.errorsRegion, { name: "broken" }) });
    expect(await isShown(written.getByText("KUBECONFIG not set"))).toBe(true);
    const { page: other } = await open("#/servers/broken", "approver");
    await other.getByRole("button", { name: serverWords.log, exact: true }).click();
    await other.getByText(/You are approver; reading what a server writes/).waitFor();
    expect(await other.getByRole("log").count()).toBe(0);
  });

  it("by mouse: what the tester finds wrong is told before anything is sent, and sends nothing", async () => {
    const { page, requests } = await open("#/tester/payments/tools/read_invoice");
    const call = page.getByRole("button", { name: fill(testerWords.call, { name: "read_invoice" }) });
    await call.click();
    await main(page)
      .getByText(/needs a correction/)
      .first()
      .waitFor();
    expect(requests.filter((request) => request.method() === "POST" && request.url().includes("/api/"))).toEqual([]);
    await page.getByRole("textbox", { name: /^id/ }).waitFor();
  });

  it("by mouse: resources are read and prompts are shown", async () => {
    const opened = await open("#/tester/payments/resources/bank%3A%2F%2Frates");
    const { page } = opened;
    await page.getByRole("button", { name: testerWords.read, exact: true }).click();
    await main(page)
      .getByText(/"CHF":\s*0\.94/)
      .first()
      .waitFor();
    await opened.go("#/tester/payments/prompts/remind");
    await page.getByRole("textbox", { name: /^name/ }).fill("Ada");
    await page.getByRole("button", { name: fill(testerWords.getPrompt, { name: "remind" }) }).click();
    expect(await isShown(main(page).getByText("Write a friendly reminder to Ada."))).toBe(true);
  });

  it("by mouse: the form of a new agent and its manifest are kept in step", async () => {
    const { page } = await open("#/agents/new");
    const manifest = page.getByLabel(createWords.manifest, { exact: true });
    await page.getByLabel(createWords.fields.instruction).fill("You write short texts.");
    await expect.poll(() => manifest.inputValue()).toContain("instruction: You write short texts.");
    await manifest.fill((await manifest.inputValue()).replace("short", "long"));
    await expect.poll(() => page.getByLabel(createWords.fields.instruction).inputValue()).toBe("You write long texts.");
    await main(page).getByText(createWords.noWrites.local).first().waitFor();
  });

  it("by keyboard alone: to an agent, a message, its answer, and back", async () => {
    const { page } = await open("#/agents");
    await page.getByRole("table", { name: agentsWords.table }).getByText("slowpoke").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("book");
    await tabTo(page, /^link .*bookkeeper/);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "bookkeeper" }).waitFor();
    await tabTo(page, /^textbox .*Message bookkeeper/);
    await page.keyboard.type(callTool("payments__read_invoice", { id: "7" }));
    await page.keyboard.press("Enter");
    await said(page, /Invoice 7: Nordwind/).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: goToWords.field }).waitFor();
    await page.keyboard.type("tester");
    await page.getByRole("option").first().waitFor();
    await page.keyboard.press("Enter");
    expect(await isShown(page.getByRole("heading", { level: 1, name: testerWords.title }))).toBe(true);
  });

  it("by keyboard alone: a tool is found, and tried", async () => {
    const { page } = await open("#/agents");
    await page.getByText(shellWords.live, { exact: true }).first().waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("d");
    await page.getByLabel(discoverWords.field).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("read an invoice");
    await page.keyboard.press("Enter");
    await main(page).getByRole("link", { name: "payments / read_invoice" }).waitFor();
    await tabTo(page, /^link .*payments \/ read_invoice/);
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: discoverWords.tryIt }).waitFor();
    await tabTo(page, new RegExp(`^link .*${discoverWords.tryIt}`));
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: /^id/ }).waitFor();
    await tabTo(page, /^textbox .*id/);
    await page.keyboard.type("42");
    await page.keyboard.press("Control+Enter");
    expect(await isShown(main(page).getByText("Invoice 42: Nordwind Logistik"))).toBe(true);
  });

  it("what happens elsewhere shows by itself", async () => {
    const { page } = await open("#/agents");
    const card = page.getByText(plural(agentsWords.waits, 1)).first();
    await page.getByRole("table", { name: agentsWords.table }).getByText("slowpoke").waitFor();
    expect(await card.count()).toBe(0);
    void askTransfer(scene);
    await card.waitFor();
    await using approver = await openApprover(scene);
    const pending = await approver.untilOneWaits();
    await approver.decide(pending, "approve");
    await card.waitFor({ state: "hidden" });
  });

  it("offers nothing that the gateway would refuse to somebody with a smaller role", async () => {
    const opened = await open("#/agents/bookkeeper", "viewer");
    const { page } = opened;
    await page
      .getByText(/needs caller/)
      .first()
      .waitFor();
    expect(await page.getByRole("button", { name: chatWords.send }).count()).toBe(0);
    await opened.go("#/tester/payments/tools/read_invoice");
    await main(page)
      .getByText(/needs caller/)
      .first()
      .waitFor();
    await opened.go("#/servers/payments");
    await page.getByRole("heading", { level: 1, name: /payments/ }).waitFor();
    expect(await page.getByRole("button", { name: serverWords.remove }).count()).toBe(0);
  });
});
