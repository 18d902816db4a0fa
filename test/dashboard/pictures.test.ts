// The pictures of README and docs, of a scene as people have it. They go to docs/pictures where PALLAS_PICTURES=1 is set, and else to
// test/.artefacts/dashboard, so that each run shows that they can be made.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatWords } from "../../dashboard/words/chat.ts";
import { fill } from "../../dashboard/words/fill.ts";
import { startModelMock, type ModelMock } from "../models/model-mock.ts";
import { needs } from "../tools/needs.ts";
import { startBrowser } from "./browser.ts";
import { packPng } from "./packed-png.ts";
import { pictureFolder } from "./picture-folder.ts";
import { conversations, messages } from "./picture-scene/script.ts";
import { askAgent, openApprover } from "./scene-caller.ts";
import { startScene, type Scene } from "./scene.ts";
import { settled } from "./settled.ts";
import { openPage } from "./watched-page.ts";

const sceneFolder = join(import.meta.dirname, "picture-scene");
const maxBytes = 150_000;

/** What each agent was asked before, so that the day has something to show. */
const asked = { archive: 9, bookkeeper: 4, concierge: 12, editor: 3, "release-notes": 1, "sql-analyst": 5, triage: 7 };

async function showChat(page: Page): Promise<void> {
  const composer = page.getByLabel(fill(chatWords.message, { agent: "bookkeeper" }));
  const said = (text: string | RegExp) => page.getByRole("log").getByText(text);
  const send = async (message: string) => {
    await composer.fill(message);
    await page.getByRole("button", { name: chatWords.send }).click();
  };
  await send(messages.invoice);
  await said(/already names the new account/).waitFor();
  await page
    .getByRole("button", { name: /2 calls/ })
    .first()
    .click();
  await said("list_recipients").first().waitFor();
  await send(messages.pay);
  await said(/create_transfer/)
    .first()
    .waitFor();
}

describe("UI-1 pictures of the dashboard", needs("chromium"), () => {
  let scene: Scene;
  let browser: Browser;
  let model: ModelMock;
  beforeAll(async () => {
    mkdirSync(pictureFolder, { recursive: true });
    model = await startModelMock({ conversations });
    const more = readdirSync(sceneFolder)
      .filter((name) => name !== "script.ts")
      .map((name) => [name, readFileSync(join(sceneFolder, name), "utf8").replace("MODEL_URL", model.openaiUrl)]);
    [scene, browser] = await Promise.all([
      startScene({ more: Object.fromEntries(more), without: ["broken.yaml"] }),
      startBrowser(),
    ]);
    const days = Object.entries(asked).map(async ([agent, times]) => {
      for (let time = 0; time < times; time += 1) await askAgent(scene, agent, messages.hello);
    });
    await Promise.all(days);
    await using approver = await openApprover(scene);
    void askAgent(scene, "bookkeeper", messages.earlier).catch(() => undefined);
    await approver.decide(await approver.untilOneWaits(), "approve");
    await approver.untilPending(0);
    void askAgent(scene, "sql-analyst", messages.query).catch(() => undefined);
    await approver.untilOneWaits();
  });
  afterAll(async () => {
    await browser?.close();
    await scene?.[Symbol.asyncDispose]();
    await model?.close();
  });

  interface Picture {
    readonly name: string;
    readonly route: string;
    readonly theme: "light" | "dark";
    readonly width: number;
    readonly height: number;
    readonly prepare?: (page: Page) => Promise<void>;
  }
  const openTransfer = async (page: Page) => {
    await page
      .getByRole("link", { name: /create_transfer/ })
      .first()
      .click();
    await page.getByRole("heading", { level: 1, name: /create_transfer/ }).waitFor();
  };
  // In this order: the chat brings about the call that the others show.
  const pictures: readonly Picture[] = [
    { name: "chat", route: "#/agents/bookkeeper", theme: "light", width: 1440, height: 900, prepare: showChat },
    { name: "agents", route: "#/agents", theme: "light", width: 1440, height: 760 },
    { name: "approval", route: "#/approvals", theme: "dark", width: 1440, height: 820, prepare: openTransfer },
    { name: "approval-phone", route: "#/approvals", theme: "light", width: 390, height: 844, prepare: openTransfer },
  ];

  it.each(pictures)("$name", async ({ name, route, theme, width, height, prepare }) => {
    const context = { viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce" as const };
    const { origin, tokens } = scene;
    // It stays open: what is asked in the chat waits only as long as somebody hears the answer.
    const { page, problems } = await openPage(browser, { origin, token: tokens.approver, route, context });
    await settled(page);
    await prepare?.(page);
    await settled(page);
    const picture = packPng(await page.screenshot({ animations: "disabled" }));
    writeFileSync(join(pictureFolder, `${name}.png`), picture);
    expect(picture.byteLength).toBeLessThanOrEqual(maxBytes);
    expect(problems).toEqual([]);
  });
});
