// The dashboard's frame in a real browser: signing in, the way around by mouse and by keyboard, and how little it asks.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatWords } from "../../dashboard/words/chat.ts";
import { loginWords } from "../../dashboard/words/login.ts";
import { fill } from "../../dashboard/words/fill.ts";
import { shellWords } from "../../dashboard/words/shell.ts";
import { needs } from "../tools/needs.ts";
import { startBrowser } from "./browser.ts";
import { startScene, type Scene } from "./scene.ts";
import { settled } from "./settled.ts";
import { openPage } from "./watched-page.ts";

/** Of counts that are told at most every 2 s. */
const settleMs = 5_000;

describe("UI-1 the dashboard's frame", needs("chromium"), () => {
  let scene: Scene;
  let browser: Browser;
  beforeAll(async () => {
    [scene, browser] = await Promise.all([startScene({ without: ["broken.yaml"] }), startBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await scene?.[Symbol.asyncDispose]();
  });

  it("takes the token out of the address at once, and asks nobody but its gateway", async () => {
    await using opened = await openPage(browser, { origin: scene.origin, token: scene.tokens.admin });
    const { page, problems, requests } = opened;
    await page.getByText(shellWords.live, { exact: true }).first().waitFor();
    expect(page.url()).not.toContain(scene.tokens.admin);
    expect(requests.filter((request) => request.url().includes(scene.tokens.admin))).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("has a name for each of its links and buttons where there is room for icons alone", async () => {
    const context = { viewport: { width: 768, height: 900 } };
    await using opened = await openPage(browser, { origin: scene.origin, token: scene.tokens.admin, context });
    const { page, problems } = opened;
    await page.getByRole("link", { name: "Pallas ouranos" }).waitFor();
    const tree = await page.getByRole("navigation", { name: shellWords.views }).ariaSnapshot();
    expect(tree.match(/^\s*- (?:link|button):?$/gm)).toBeNull();
    expect(problems).toEqual([]);
  });

  it("is pressed by thumbs: 44 px where there is no fine pointer", async () => {
    const context = { viewport: { width: 1024, height: 900 }, hasTouch: true, isMobile: true };
    const { origin, tokens } = scene;
    await using opened = await openPage(browser, {
      origin,
      token: tokens.admin,
      route: "#/agents/bookkeeper",
      context,
    });
    const send = opened.page.getByRole("button", { name: chatWords.send });
    await send.waitFor();
    expect((await send.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  });

  it("asks for a token by keyboard alone, and says what is wrong with one", async () => {
    await using opened = await openPage(browser, { origin: scene.origin, expected: /401/ });
    const { page, problems } = opened;
    await page.getByRole("heading", { name: fill(loginWords.title, { instance: "ouranos" }) }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText(loginWords.empty).waitFor();
    await page.keyboard.type(scene.tokens.viewer);
    await page.keyboard.press("Enter");
    await page
      .getByText(/viewer/)
      .first()
      .waitFor();
    expect(problems).toEqual([]);
  });

  it("asks nothing while nothing happens: 15 s, in each view that is followed", { timeout: 120_000 }, async () => {
    const { origin, tokens } = scene;
    const opened = await Promise.all(
      ["#/agents", "#/approvals", "#/servers", "#/calls", "#/agents/bookkeeper"].map((route) =>
        openPage(browser, { origin, token: tokens.admin, route }),
      ),
    );
    await Promise.all(opened.map(({ page }) => settled(page)));
    const idle = async (ms: number) => {
      const before = opened.map(({ requests }) => requests.length);
      await new Promise((resolve) => setTimeout(resolve, ms));
      return opened.flatMap(({ requests }, index) =>
        requests.slice(before[index]).map((request) => request.postData() ?? request.url()),
      );
    };
    // What was being counted when they came.
    await idle(settleMs);
    // The gateway may have something to tell, as of a server that was slow; a page that asks by itself does so each time.
    let asked = await idle(15_000);
    for (let tries = 1; tries < 3 && asked.length > 0; tries += 1) asked = await idle(15_000);
    expect(asked).toEqual([]);
    await Promise.all(opened.map((each) => each[Symbol.asyncDispose]()));
  });
});
