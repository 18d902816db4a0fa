// Every view as people with other eyes, hands and screens have it: axe finds nothing at the widest and the narrowest width in either
// theme, nothing scrolls sideways, no cell paints over its neighbour, and there is one heading of the first level. Its pictures are kept in test/.artefacts/dashboard.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../tools/needs.ts";
import { axe, findViolations } from "./axe.ts";
import { startBrowser } from "./browser.ts";
import { nameOfRoute, viewRoutes } from "./routes.ts";
import { askAgent, askTransfer, callTool, openApprover } from "./scene-caller.ts";
import { startScene, type Scene } from "./scene.ts";
import { settled } from "./settled.ts";
import { openPage } from "./watched-page.ts";

const artefacts = join(import.meta.dirname, "../.artefacts/dashboard");
const sizes = [
  { width: 1440, height: 900 },
  { width: 768, height: 1024 },
  { width: 320, height: 700 },
] as const;
const themes = ["light", "dark"] as const;
const cases = sizes.flatMap((size) => themes.map((theme) => ({ ...size, theme })));

describe("UI-1 every view of the dashboard", needs("chromium"), () => {
  let scene: Scene;
  let browser: Browser;
  beforeAll(async () => {
    mkdirSync(artefacts, { recursive: true });
    [scene, browser] = await Promise.all([startScene(), startBrowser()]);
    await askAgent(scene, "bookkeeper", callTool("payments__read_invoice", { id: "2026-117" }));
    await using approver = await openApprover(scene);
    void askTransfer(scene, { reference: "first line\nsecond line" });
    await approver.decide(await approver.untilOneWaits(), "approve");
    await approver.untilPending(0);
    void askTransfer(scene, { amount: 12.5, reference: "first line\nanother line" });
    await approver.untilOneWaits();
  });
  afterAll(async () => {
    await browser?.close();
    await scene?.[Symbol.asyncDispose]();
  });

  it.each(cases)("is right at $width px in the $theme theme", { timeout: 120_000 }, async ({ theme, ...viewport }) => {
    const context = { viewport, colorScheme: theme, reducedMotion: "reduce" as const };
    const { origin, tokens } = scene;
    await using opened = await openPage(browser, { origin, token: tokens.admin, context, script: axe });
    const { page, problems } = opened;
    const wrong: string[] = [];
    for (const route of viewRoutes) {
      await opened.go(route);
      await settled(page);
      const picture = `${nameOfRoute(route)}-${viewport.width}-${theme}.png`;
      await page.screenshot({ path: join(artefacts, picture), animations: "disabled" });
      const { sideways, headings, crowded } = await page.evaluate(() => ({
        sideways: document.documentElement.scrollWidth - window.innerWidth,
        headings: document.querySelectorAll("h1").length,
        // A row that is larger than its place is cut, and a cell that does not cut its text paints beyond its edge.
        crowded: [...document.querySelectorAll<HTMLElement>(".table-row, .table-row > *")]
          .filter(({ clientWidth, scrollWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
          .concat(
            [...document.querySelectorAll<HTMLElement>(".table-row")].filter(
              ({ clientHeight, scrollHeight }) => scrollHeight > clientHeight + 1,
            ),
          )
          .map((part) => `"${part.textContent}" of ${part.className} has no room`),
      }));
      wrong.push(...crowded.slice(0, 3).map((each) => `${route} ${each}`));
      if (sideways > 0) wrong.push(`${route} scrolls sideways by ${sideways} px`);
      if (headings !== 1) wrong.push(`${route} has ${headings} h1`);
      // What is between the two widths is the same in other places.
      if (viewport.width !== 768) wrong.push(...(await findViolations(page)).map((each) => `${route} ${each}`));
    }
    expect([...wrong, ...problems]).toEqual([]);
  });
});
