// The dashboard's frame in a real browser: signing in, the way around by mouse and by keyboard, and how little it asks.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loginWords } from "../../dashboard/words/login.ts";
import { fill } from "../../dashboard/words/fill.ts";
import { shellWords } from "../../dashboard/words/shell.ts";
import { needs } from "../tools/needs.ts";
import { startBrowser } from "./browser.ts";
import { startScene, type Scene } from "./scene.ts";
import { openPage } from "./watched-page.ts";

describe("UI-1 the dashboard's frame", needs("chromium"), () => {
  let scene: Scene;
  let browser: Browser;
  beforeAll(async () => {
    [scene, browser] = await Promise.all([startScene(), startBrowser()]);
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
});
