// The approvals as an MCP App, in a host on the bridge of the extension's own SDK: found and read over MCP, in a sandbox of another origin,
// under the policy that its server asks for.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Frame } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { appWords } from "../../dashboard/words/app.ts";
import { approvalWords as words } from "../../dashboard/words/approvals.ts";
import { fill } from "../../dashboard/words/fill.ts";
import { verdictWords } from "../../dashboard/words/verdicts.ts";
import { needs } from "../tools/needs.ts";
import { openApp, type OpenAppOptions } from "./app-host/open.ts";
import { findViolations } from "./axe.ts";
import { startBrowser } from "./browser.ts";
import { askTransfer, openApprover, transfer, type Approver } from "./scene-caller.ts";
import { startScene, type Scene } from "./scene.ts";
import { settled } from "./settled.ts";

const artefacts = join(import.meta.dirname, "../.artefacts/dashboard");
/** In which presses do nothing, since the bar has just changed. */
const quietMs = 700;

let scene: Scene;
let browser: Browser;
let approver: Approver;

async function open(options: OpenAppOptions = {}) {
  const opened = await openApp(browser, scene, options);
  onTestFinished(async () => {
    await opened[Symbol.asyncDispose]();
    expect(opened.problems).toEqual([]);
  });
  return opened;
}

/** A call that waits, whose answer comes once it is decided. */
async function ask(changes: object) {
  const answer = askTransfer(scene, changes);
  const pending = await approver.untilOneWaits();
  return { answer, pending };
}

/** That call in a host, with its card open. */
async function openWaiting(changes: object, options: OpenAppOptions = {}) {
  const asked = await ask(changes);
  const opened = await open(options);
  await openCard(opened.app);
  return { ...asked, ...opened };
}

async function openCard(app: Frame) {
  await waiting(app).getByRole("link").first().click();
  await app.getByRole("heading", { level: 1, name: /create_transfer/ }).waitFor();
  await app.waitForTimeout(quietMs);
}

async function press(app: Frame, name: string) {
  await app.getByRole("button", { name, exact: true }).first().click();
  await app.waitForTimeout(quietMs);
}
const waiting = (app: Frame) => app.getByRole("list", { name: words.waitingList });
const bar = (app: Frame) => app.getByLabel(words.bar).first();
const themeOf = (app: Frame) =>
  app.evaluate(() => {
    const { colorScheme, backgroundColor } = getComputedStyle(document.documentElement);
    return [document.documentElement.dataset["theme"], colorScheme, backgroundColor];
  });

const sizes = [320, 768] as const;
const themes = ["light", "dark"] as const;
const looks = sizes.flatMap((width) => themes.map((theme) => ({ width, theme })));

describe("UI-2 the approvals as an MCP App", needs("chromium"), () => {
  beforeAll(async () => {
    mkdirSync(artefacts, { recursive: true });
    [scene, browser] = await Promise.all([startScene(), startBrowser()]);
    approver = await openApprover(scene);
  });
  afterAll(async () => {
    await approver?.[Symbol.asyncDispose]();
    await browser?.close();
    await scene?.[Symbol.asyncDispose]();
  });

  it("list what waits, and show a call with every value", async () => {
    const { app, answer, pending, called } = await openWaiting({ amount: 1 });
    for (const value of [transfer.iban, transfer.recipient]) {
      await app.getByText(value, { exact: true }).first().waitFor();
    }
    await app.getByText("amounts are released by finance").first().waitFor();
    await app.getByText("Create a SEPA transfer").first().waitFor();
    await approver.decide(pending, "deny_continue");
    await answer;
    // Nobody tells the page: it looks again by itself.
    await bar(app)
      .getByText(/denied this call at/)
      .waitFor();
    expect(new Set(called)).toEqual(new Set(["approvals_list"]));
  });

  it("approve a call, which is made exactly once", async () => {
    const numberOf = (told: string) => Number(/as number (\d+)/.exec(told)?.[1]);
    const first = await ask({ amount: 2 });
    await approver.decide(first.pending, "approve");
    const before = numberOf(await first.answer);
    const { app, answer, called } = await openWaiting({ amount: 3 });
    await press(app, words.approveStep);
    await press(app, words.approveOne);
    await bar(app)
      .getByText(/^Approving in/)
      .waitFor();
    const told = await answer;
    expect(told).toContain("transferred 3 to");
    await bar(app)
      .getByText(/approved this call at/)
      .waitFor();
    expect(called.filter((name) => name !== "approvals_list")).toEqual(["agents_approve_request"]);
    const last = await ask({ amount: 4 });
    await approver.decide(last.pending, "approve");
    expect([before, numberOf(told), numberOf(await last.answer)]).toEqual([before, before + 1, before + 2]);
  });

  it("deny a call with a reason, which the model reads", async () => {
    const { app, answer } = await openWaiting({ amount: 5 });
    await press(app, words.deny);
    await app.getByLabel(words.reasonLabel, { exact: true }).fill("not on a Tuesday");
    await press(app, words.denyOn);
    expect(await answer).toContain("not on a Tuesday");
    await bar(app)
      .getByText(fill(words.because, { reason: "not on a Tuesday" }))
      .waitFor();
  });

  it("send nothing of an answer that is held when the host takes the page away", async () => {
    const { app, page, answer, pending, called } = await openWaiting({ amount: 6 });
    await press(app, words.deny);
    await press(app, words.denyOn);
    await page.evaluate(async () => await globalThis.appHost.bridge.teardownResource({}));
    await app.waitForTimeout(4_000);
    expect(called).not.toContain("agents_approve_request");
    expect(await approver.pending()).toHaveLength(1);
    await approver.decide(pending, "deny_continue");
    await answer;
  });

  it("say to a viewer who they are and what is missing, without values and buttons that refuse", async () => {
    const { app, answer, pending } = await openWaiting({ amount: 7 }, { role: "viewer" });
    await bar(app)
      .getByText(fill(words.roleMissing, { role: "viewer" }))
      .waitFor();
    expect(await app.getByText(transfer.iban).count()).toBe(0);
    expect(await bar(app).getByRole("button").count()).toBe(0);
    await approver.decide(pending, "deny_continue");
    await answer;
  });

  it("show what waits in a host that calls no tools, and say where one decides", async () => {
    const { app, answer, pending, called } = await openWaiting({ amount: 8 }, { capabilities: {} });
    await app.getByText(transfer.iban, { exact: true }).first().waitFor();
    await bar(app)
      .getByText(fill(appWords.cannotDecide, { host: "Test host" }))
      .waitFor();
    expect(await bar(app).getByRole("button").count()).toBe(0);
    expect(called).toEqual([]);
    await approver.decide(pending, "deny_continue");
    await answer;
  });

  it("tell the second of two people who was first, wherever both have it open", async () => {
    const { app, answer, pending } = await openWaiting({ amount: 9 });
    const other = await open({ role: "approver" });
    await openCard(other.app);
    for (const each of [app, other.app]) await press(each, words.deny);
    await other.app.getByLabel(words.reasonLabel, { exact: true }).fill("mine");
    await press(app, words.denyOn);
    await press(other.app, words.denyOn);
    expect(await answer).not.toContain("mine");
    await bar(other.app)
      .getByText(new RegExp(verdictWords.notUsed.replace(".", "\\.")))
      .waitFor();
    expect((await approver.pending()).map(({ call_id }) => call_id)).not.toContain(pending.call_id);
  });

  it.each(looks)("are right at $width px in a host whose theme is $theme", async ({ width, theme }) => {
    const asked = await ask({ amount: 10, reference: "first line\nsecond line", card: "4711" });
    const context = { reducedMotion: "reduce" as const, colorScheme: theme === "dark" ? "light" : "dark" } as const;
    const { app, page } = await open({ width, height: 1_600, hostContext: { theme }, context });
    const wrong: string[] = [];
    const look = async (name: string) => {
      await settled(app);
      await app.waitForTimeout(quietMs);
      const picture = join(artefacts, `app-${name}-${width}-${theme}.png`);
      const { sideways, beyond, shown } = await app.evaluate(() => ({
        sideways: document.documentElement.scrollWidth - window.innerWidth,
        beyond: document.documentElement.scrollHeight - window.innerHeight,
        shown: Math.ceil(document.documentElement.getBoundingClientRect().height),
      }));
      const clip = { x: 0, y: 0, width, height: Math.min(shown, 1_600) };
      await page.screenshot({ path: picture, clip, animations: "disabled" });
      if (sideways > 0) wrong.push(`${name} scrolls sideways by ${sideways} px`);
      if (beyond > 0) wrong.push(`${name} is taller than its frame by ${beyond} px`);
      const told = await page.evaluate(() => globalThis.appHost.heights.at(-1));
      if (told !== shown) wrong.push(`${name} is ${shown} px tall and says ${told}`);
      wrong.push(...(await findViolations(app)).map((each) => `${name}: ${each}`));
      return shown;
    };
    const list = await look("list");
    await openCard(app);
    const card = await look("card");
    await press(app, words.deny);
    await look("deny");
    await approver.decide(asked.pending, "deny_continue");
    await asked.answer;
    const decided = bar(app).getByText(/denied this call at/);
    await decided.waitFor();
    await look("decided");
    expect(wrong).toEqual([]);
    expect(await themeOf(app)).toEqual([theme, theme, expect.any(String)]);
    // It grows with what it shows; where there is room, the card stands beside the list.
    expect(width > 320 || card > list).toBe(true);
  });

  it("take another theme of the host while they are open, and give back the height that they no longer need", async () => {
    const { app, page, tell, answer, pending } = await openWaiting({ amount: 11 }, { hostContext: { theme: "light" } });
    const [, , light] = await themeOf(app);
    await tell({ theme: "dark" });
    await expect.poll(() => themeOf(app)).toEqual(["dark", "dark", expect.not.stringMatching(String(light))]);
    const height = () => page.evaluate(() => globalThis.appHost.heights.at(-1) ?? 0);
    const withCard = await height();
    await approver.decide(pending, "deny_continue");
    await answer;
    await bar(app)
      .getByText(/denied this call at/)
      .waitFor();
    await expect.poll(height).toBeLessThan(withCard);
  });

  it("ask the network for nothing, and run nothing of a value that looks like a page", async () => {
    const reach = "http://127.0.0.1:9/reached";
    const reference = `</script><script>__xss()</script><img src="${reach}" onerror="__xss()"><style>@import "${reach}"; @font-face { font-family: a; src: url(${reach}) }</style><svg onload="fetch('${reach}').finally(__xss)"></svg><iframe srcdoc="<script>parent.__xss()</script>"></iframe>`;
    const { app, answer, pending, asked, reached } = await openWaiting({ amount: 12, reference });
    await app.getByText(reference, { exact: true }).first().waitFor();
    await app.getByRole("button", { name: words.raw }).first().click();
    await app.waitForTimeout(1_000);
    expect(await app.locator("img, iframe, svg[onload]").count()).toBe(0);
    expect([...asked, ...reached]).toEqual([]);
    await approver.decide(pending, "deny_continue");
    await answer;
  });

  it("could reach nobody if something in them tried: neither its gateway nor its host", async () => {
    const expected = /Content Security Policy|policy: /;
    const { app, url, reached } = await open({ expected });
    const refused = await app.evaluate(
      async ([gateway = "", host = ""]) => {
        const directives: string[] = [];
        addEventListener("securitypolicyviolation", (event) => directives.push(event.effectiveDirective));
        const failed = (what: EventTarget) => new Promise((resolve) => what.addEventListener("error", resolve));
        const image = new Image();
        image.src = `${host}image`;
        const script = document.createElement("script");
        script.src = `${host}script`;
        document.head.append(script);
        await Promise.all([
          ...[`${gateway}/mcp`, `${host}fetch`].map((to) => fetch(to, { method: "POST" }).catch(() => undefined)),
          ...[failed(image), failed(script)],
          new FontFace("a", `url(${host}font)`).load().catch(() => undefined),
        ]);
        try {
          await failed(new WebSocket(gateway.replace("http", "ws")));
        } catch {
          directives.push("WebSocket");
        }
        const frame = document.createElement("iframe");
        frame.src = `${host}frame`;
        document.body.append(frame);
        await new Promise((resolve) => setTimeout(resolve, 500));
        return directives;
      },
      [scene.origin, url],
    );
    for (const directive of ["connect-src", "img-src", "script-src-elem", "font-src", "frame-src"]) {
      expect(refused).toContain(directive);
    }
    expect(refused.filter((each) => each === "connect-src").length).toBeGreaterThanOrEqual(3);
    expect(reached).toEqual([]);
  });
});
