// Deciding of calls that wait, as people do it: by mouse and by keyboard, with the seconds in which a verdict can be taken back, against
// presses by mistake, and with somebody else who is quicker.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { approvalWords as words } from "../../dashboard/words/approvals.ts";
import { fill } from "../../dashboard/words/fill.ts";
import { policyWords } from "../../dashboard/words/policies.ts";
import { verdictWords } from "../../dashboard/words/verdicts.ts";
import { needs } from "../tools/needs.ts";
import { startBrowser } from "./browser.ts";
import { tabTo } from "./keyboard.ts";
import { askTransfer, openApprover, transfer, type Approver, type Pending } from "./scene-caller.ts";
import { startScene, type Scene, type SceneRole } from "./scene.ts";
import { isShown, openPage } from "./watched-page.ts";

/** In which presses do nothing, since the bar has just changed. */
const quietMs = 700;
/** For which a verdict is held. */
const holdMs = 3_000;

let scene: Scene;
let browser: Browser;
let approver: Approver;

async function openApprovals(role: SceneRole = "admin", width = 1440, route = "#/approvals"): Promise<Page> {
  const context = { viewport: { width, height: 900 } };
  const { origin, tokens } = scene;
  const opened = await openPage(browser, { origin, token: tokens[role], route, context });
  onTestFinished(async () => {
    await opened[Symbol.asyncDispose]();
    expect(opened.problems).toEqual([]);
  });
  return opened.page;
}

/** A call that waits, in front of the person, whose answer comes once it is decided. */
async function openWaiting(changes: object = {}, role: SceneRole = "admin") {
  const answer = askTransfer(scene, changes);
  const pending = await approver.untilOneWaits();
  const page = await openApprovals(role);
  await page.getByRole("heading", { level: 1, name: /payments \/ create_transfer/ }).waitFor();
  await page.waitForTimeout(quietMs);
  return { page, answer, pending };
}

/** A call that was decided, with its card open. */
async function openDecided() {
  const page = await openApprovals();
  await page.getByRole("link", { name: words.decided }).click();
  const list = page.getByRole("list", { name: words.decidedList });
  await list
    .getByRole("link", { name: /create_transfer/ })
    .first()
    .click();
  return { page, list };
}

const press = async (page: Page, name: string) => {
  await page.getByRole("button", { name, exact: true }).first().click();
  await page.waitForTimeout(quietMs);
};
const isPending = async ({ call_id }: Pending) => (await approver.pending()).some((each) => each.call_id === call_id);
const bar = (page: Page) => page.getByLabel(words.bar).first();

describe("UI-1 MGM-6 a call that waits, in the dashboard", needs("chromium"), () => {
  beforeAll(async () => {
    [scene, browser] = await Promise.all([startScene(), startBrowser()]);
    approver = await openApprover(scene);
  });
  afterAll(async () => {
    await approver?.[Symbol.asyncDispose]();
    await browser?.close();
    await scene?.[Symbol.asyncDispose]();
  });

  it("is approved by two presses where none was approved before, and says why it asks for the second", async () => {
    const { page, answer } = await openWaiting();
    for (const value of Object.values(transfer)) await page.getByText(String(value), { exact: true }).first().waitFor();
    await page.getByText("amounts are released by finance").first().waitFor();
    await press(page, words.approveStep);
    await bar(page)
      .getByText(/No approved call of create_transfer/)
      .waitFor();
    await press(page, words.approveOne);
    await bar(page)
      .getByText(/^Approving in/)
      .waitFor();
    expect(await answer).toContain("transferred 1840");
    await bar(page)
      .getByText(/approved this call at/)
      .waitFor();
  });

  it("is denied with a reason, which the model reads", async () => {
    const { page, answer } = await openWaiting({ amount: 2 });
    await press(page, words.deny);
    await press(page, words.reasons[0]);
    await press(page, words.denyOn);
    expect(await answer).toContain(words.reasons[0]);
    await bar(page)
      .getByText(fill(words.because, { reason: words.reasons[0] }))
      .waitFor();
  });

  it("is answered instead, and is not made", async () => {
    const { page, answer } = await openWaiting({ amount: 3 });
    await press(page, words.answerInstead);
    await page.getByLabel(words.answerLabel, { exact: true }).fill("Ask me on Monday");
    await press(page, words.answerSend);
    expect(await answer).toContain("Ask me on Monday");
  });

  it("is edited, and made with what was written", async () => {
    const { page, answer } = await openWaiting({ amount: 4 });
    await press(page, words.edit);
    await page
      .getByLabel(/^amount/)
      .first()
      .fill("5");
    await press(page, words.approveMine);
    await press(page, words.approveMine);
    expect(await answer).toContain("transferred 5 to");
  });

  it("waits on where the verdict is taken back within its three seconds, or the page is closed in them", async () => {
    const { page, answer, pending } = await openWaiting({ amount: 6 });
    await press(page, words.deny);
    await press(page, words.denyOn);
    await press(page, words.undo);
    await page.waitForTimeout(holdMs);
    expect(await isPending(pending)).toBe(true);
    await press(page, words.denyOn);
    await page.close();
    await new Promise((resolve) => setTimeout(resolve, holdMs + 500));
    expect(await isPending(pending)).toBe(true);
    await approver.decide(pending, "deny_continue");
    await answer;
  });

  it("is not decided by presses that come before one could have read it, nor by Enter", async () => {
    const answer = askTransfer(scene, { amount: 7 });
    const pending = await approver.untilOneWaits();
    const page = await openApprovals("admin", 1440, "#/agents");
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    // In the moment in which the button is there, which no hand of a test could hit.
    const pressed = page.evaluate(
      (name) =>
        new Promise<boolean>((resolve) => {
          const observer = new MutationObserver(() => {
            const button = [...document.querySelectorAll("button")].find((each) => each.textContent.startsWith(name));
            if (button === undefined) return;
            observer.disconnect();
            button.click();
            button.click();
            resolve(true);
          });
          observer.observe(document.body, { subtree: true, childList: true });
        }),
      words.approveStep,
    );
    await page
      .getByRole("link", { name: /^Approvals/ })
      .first()
      .click();
    expect(await pressed).toBe(true);
    await page.keyboard.press("Enter");
    await page.waitForTimeout(quietMs);
    expect(
      await bar(page)
        .getByText(/^Approving in/)
        .count(),
    ).toBe(0);
    expect(await page.getByRole("button", { name: words.approveStep }).count()).toBe(1);
    await page.waitForTimeout(holdMs);
    expect(await isPending(pending)).toBe(true);
    await approver.decide(pending, "deny_continue");
    await answer;
  });

  it("is decided by keyboard alone, and its keys do nothing while one types", async () => {
    const { page, answer } = await openWaiting({ amount: 8 });
    await tabTo(page, /^button .*Deny/);
    await page.keyboard.press("d");
    await page.waitForTimeout(quietMs);
    await page.keyboard.type("a deed of zeal");
    expect(await page.getByLabel(words.reasonLabel, { exact: true }).inputValue()).toBe("a deed of zeal");
    await tabTo(page, /^button .*Deny, let it go on/);
    await page.keyboard.press("Enter");
    await page.waitForTimeout(quietMs);
    await page.keyboard.press("z");
    await page.waitForTimeout(quietMs);
    await tabTo(page, /^button .*Deny, let it go on/);
    await page.keyboard.press("Enter");
    expect(await answer).toContain("a deed of zeal");
  });

  it("changes in place when somebody else is quicker: the draft stays, and nothing of it is sent", async () => {
    const { page, answer, pending } = await openWaiting({ amount: 9 });
    await press(page, words.deny);
    await page.getByLabel(words.reasonLabel, { exact: true }).fill("not so fast");
    await approver.decide(pending, "approve");
    await bar(page)
      .getByText(/approved this call at/)
      .waitFor();
    await bar(page)
      .getByText(fill(words.draft, { text: "not so fast" }))
      .waitFor();
    expect(await answer).toContain("transferred 9");
  });

  it("says to who had pressed that somebody was before them", async () => {
    const { page, answer, pending } = await openWaiting({ amount: 10 });
    await press(page, words.deny);
    await press(page, words.denyOn);
    await approver.decide(pending, "approve");
    await bar(page)
      .getByText(new RegExp(verdictWords.notUsed.replace(".", "\\.")))
      .waitFor();
    expect(await answer).toContain("transferred 10");
  });

  it("is decided once where one person presses in two tabs: the second says who was first, and is not used", async () => {
    const { page: first, answer } = await openWaiting({ amount: 12 });
    const second = await openApprovals();
    await second.getByRole("heading", { level: 1, name: /payments \/ create_transfer/ }).waitFor();
    await second.waitForTimeout(quietMs);
    await press(first, words.deny);
    await press(second, words.deny);
    await press(first, words.denyOn);
    // Within the three seconds in which the first is held.
    await press(second, words.denyStop);
    await bar(first)
      .getByText(/denied this call at/)
      .waitFor();
    await bar(second)
      .getByText(new RegExp(verdictWords.notUsed.replace(".", "\\.")))
      .waitFor();
    expect(await bar(second).textContent()).toMatch(/denied this call at .*the run goes on/);
    expect(await answer).not.toContain("transferred");
  });

  it("is shown to a viewer with who they are and what is missing, and without its values", async () => {
    const { page, answer, pending } = await openWaiting({ amount: 11 }, "viewer");
    await bar(page)
      .getByText(fill(words.roleMissing, { role: "viewer" }))
      .waitFor();
    expect(await page.getByText(transfer.iban).count()).toBe(0);
    expect(await page.getByRole("button", { name: words.deny }).count()).toBe(0);
    await approver.decide(pending, "deny_continue");
    await answer;
  });

  it("stays to be read once it is decided, with who decided and why, and can be decided no more", async () => {
    const { page, list } = await openDecided();
    await page.getByRole("heading", { level: 1, name: /create_transfer/ }).waitFor();
    await expect.poll(() => list.getByRole("link").count()).toBeGreaterThan(5);
    await page.getByText(transfer.iban).first().waitFor();
    expect(await page.getByRole("button", { name: words.approve }).count()).toBe(0);
  });

  it("can be made a rule once it is decided: the copy of the policy has one for this tool, and nothing is proposed", async () => {
    const { page } = await openDecided();
    await page.getByRole("link", { name: words.makeRule }).click();
    await page.getByRole("heading", { level: 1, name: "careful" }).waitFor();
    const copy = page.getByLabel(policyWords.tryField);
    await expect.poll(() => copy.inputValue()).toMatch(/name: create_transfer\n[\s\S]*servers:[\s\S]*payments/);
    expect(await copy.inputValue()).toMatch(/name: create_transfer[\s\S]*action: ask[\s\S]*\/card[\s\S]*name: pay/);
    await page.getByRole("button", { name: policyWords.propose }).waitFor();
    await page.getByRole("link", { name: policyWords.proposalsTab }).click();
    await page.getByText(fill(policyWords.noProposals, { name: "careful" })).waitFor();
  });

  it("is decided on a phone, where the bar has its place at the foot", async () => {
    const answer = askTransfer(scene, { amount: 12 });
    await approver.untilPending(1);
    const page = await openApprovals("admin", 320);
    await page.getByRole("list", { name: words.waitingList }).getByRole("link").first().click();
    await page.getByRole("heading", { level: 1, name: /create_transfer/ }).waitFor();
    await page.waitForTimeout(quietMs);
    await press(page, words.deny);
    await press(page, words.denyStop);
    await answer;
    expect(await isShown(bar(page).getByText(/stopped the run/))).toBe(true);
  });
});
