// Talking to an agent beyond plain words: it asks and is answered, is stopped amid its question, is shown pictures, is made to forget, goes on while
// the page is loaded anew, keeps nothing, and waits its turn.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { chatWords as words } from "../../dashboard/words/chat.ts";
import { fill } from "../../dashboard/words/fill.ts";
import { pixel } from "../integration/local/agents.ts";
import { startModelMock, type ModelMock } from "../models/model-mock.ts";
import { needs } from "../tools/needs.ts";
import { startBrowser } from "./browser.ts";
import { tabTo } from "./keyboard.ts";
import { callTool, converse, openApprover, readResource, transfer } from "./scene-caller.ts";
import { startScene, type Scene } from "./scene.ts";
import { isShown, openPage, type WatchedPage, type WatchedPageOptions } from "./watched-page.ts";

let scene: Scene;
let browser: Browser;
let model: ModelMock;

async function readScene(): Promise<Record<string, string>> {
  const read = (path: string) => readFile(join(import.meta.dirname, path), "utf8");
  const instance = await read("scene/instance.yaml");
  const provider = `{ name: scripted, kind: openai-compatible, baseUrl: "${model.openaiUrl}" }`;
  return {
    "instance.yaml": instance.replace("  agentDefaults:", `  providers: [${provider}]\n  agentDefaults:`),
    "chat.yaml": await read("chat-scene/chat.yaml"),
    "desk-server.ts": await read("chat-scene/desk-server.ts"),
  };
}

/** Signed in as admin, watched to the end of the test. */
async function open(agent: string, query = "", more: Partial<WatchedPageOptions> = {}): Promise<WatchedPage> {
  const { origin, tokens } = scene;
  const opened = await openPage(browser, { origin, token: tokens.admin, route: `#/agents/${agent}${query}`, ...more });
  onTestFinished(async () => {
    await opened[Symbol.asyncDispose]();
    expect(opened.problems).toEqual([]);
  });
  return opened;
}

const composer = (page: Page, agent: string) => page.getByLabel(fill(words.message, { agent }));
const said = (page: Page, text: string | RegExp) => page.getByRole("log").getByText(text);
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const question = (page: Page, agent: string) => page.getByRole("region", { name: fill(words.question, { agent }) });
const askUser = (asked: string, options?: string[]) => callTool("ask_user", { question: asked, options });

async function send(page: Page, agent: string, message: string): Promise<void> {
  await composer(page, agent).fill(message);
  await button(page, words.send).click();
}

const runsSchema = z.object({ runs: z.array(z.unknown()) });
const countRuns = async (agent: string) =>
  runsSchema.parse(JSON.parse(await readResource(scene, `resource://agents/${agent}/state`))).runs.length;

describe("UI-1 talking to an agent in the dashboard", needs("chromium"), () => {
  beforeAll(async () => {
    model = await startModelMock(() => ({ text: "I see it." }));
    const started = Promise.all([startScene({ without: ["broken.yaml"], more: await readScene() }), startBrowser()]);
    [scene, browser] = await started;
  });
  afterAll(async () => {
    await browser?.close();
    await scene?.[Symbol.asyncDispose]();
    await model?.close();
  });

  it("an agent's question is answered by mouse, from the answers that it offers", async () => {
    const { page } = await open("asker");
    await send(page, "asker", askUser("Red or blue?", ["red", "blue"]));
    const form = question(page, "asker");
    await form.getByText("Red or blue?").waitFor();
    await form.getByRole("radio", { name: "blue" }).check();
    await button(page, words.answer).click();
    expect(await isShown(said(page, /^blue$/))).toBe(true);
    expect(await form.count()).toBe(0);
  });

  it("an agent's question is answered by keyboard alone", async () => {
    const { page } = await open("asker");
    await composer(page, "asker").focus();
    await page.keyboard.type(askUser("Which account?"));
    await page.keyboard.press("Enter");
    await question(page, "asker").waitFor();
    // The event takes no focus: who writes goes on writing.
    expect(await composer(page, "asker").evaluate((field) => field === document.activeElement)).toBe(true);
    await tabTo(page, /^textbox "answer"/, "Shift+Tab");
    await page.keyboard.type("petty cash");
    await tabTo(page, /^button "Answer"/);
    await page.keyboard.press("Enter");
    expect(await isShown(said(page, /^petty cash$/))).toBe(true);
  });

  it("a server's question names the server, and is sent only when it fits what is asked", async () => {
    const { page } = await open("asker");
    await send(page, "asker", callTool("desk__read_form", {}));
    const form = question(page, "asker");
    await form.getByText("desk asks: Which account?").waitFor();
    await button(page, words.answer).click();
    await form.getByRole("textbox", { name: /^account/ }).fill("cash");
    await form.getByRole("textbox", { name: /^amount/ }).fill("0");
    await button(page, words.answer).click();
    await form.getByText(/1/).first().waitFor();
    expect(await form.count()).toBe(1);
    await form.getByRole("textbox", { name: /^amount/ }).fill("7");
    await button(page, words.answer).click();
    expect(await isShown(said(page, /"content":\{"account":"cash","amount":7\}/))).toBe(true);
  });

  it("a question may be declined, and the agent is told so", async () => {
    const { page } = await open("asker");
    await send(page, "asker", askUser("What is your name?"));
    await question(page, "asker").waitFor();
    await button(page, words.decline).click();
    expect(await isShown(said(page, "The user does not want to answer."))).toBe(true);
  });

  it("Stop while a question is asked takes it away, and the run ends at the agent", async () => {
    const { page } = await open("asker");
    await send(page, "asker", askUser("Go on?"));
    await question(page, "asker").waitFor();
    expect(await countRuns("asker")).toBe(1);
    await button(page, words.stop).click();
    await said(page, /^Stopped by you/).waitFor();
    expect(await question(page, "asker").count()).toBe(0);
    await expect.poll(() => countRuns("asker")).toBe(0);
    await send(page, "asker", "and now?");
    expect(await isShown(page.getByRole("log").getByText("and now?").nth(1))).toBe(true);
  });

  it("a picture goes to the model with what is said of it, and stays in the conversation", async () => {
    const { page } = await open("seer");
    const file = { name: "pixel.png", mimeType: "image/png", buffer: pixel };
    await page.locator("input[type=file]").setInputFiles(file);
    await page.getByLabel(fill(words.pictureText, { n: 1 })).fill("one dot");
    await send(page, "seer", "what is that?");
    await said(page, "I see it.").waitFor();
    const sent = JSON.stringify(model.requests.at(-1)?.body);
    expect(sent).toContain(`data:image/png;base64,${pixel.toString("base64")}`);
    expect(sent).toContain(fill(words.pictureSaid, { n: 1, text: "one dot" }));
    expect(await page.getByLabel(fill(words.pictureText, { n: 1 })).count()).toBe(0);
    await page.waitForURL(/session=/);
    await page.reload();
    const kept = page.getByRole("log").getByRole("img");
    await kept.waitFor();
    expect(await kept.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth)).toBe(1);
  });

  it("what is no picture is not taken, and said", async () => {
    const { page } = await open("seer");
    const file = { name: "fake.png", mimeType: "image/png", buffer: Buffer.from("no picture") };
    await page.locator("input[type=file]").setInputFiles(file);
    expect(await isShown(page.getByText(words.pictureUnknown))).toBe(true);
    expect(await page.getByLabel(fill(words.pictureText, { n: 1 })).count()).toBe(0);
  });

  it("Forget deletes the conversation at the agent, after it was asked, and Escape leaves it", async () => {
    const kept = await converse(scene, "seer", ["remember the milk"], "admin");
    const { page } = await open("seer", `?session=${kept}`);
    await said(page, "remember the milk").waitFor();
    const listed = page.getByRole("link", { name: /remember the milk/ });
    await listed.waitFor();
    await button(page, words.forget).click();
    await page.getByText(words.forgetSure).waitFor();
    await page.keyboard.press("Escape");
    expect(await button(page, words.forget).evaluate((element) => element === document.activeElement)).toBe(true);
    await button(page, words.forget).click();
    await button(page, words.forgetYes).click();
    await listed.waitFor({ state: "detached" });
    expect(page.url()).not.toContain("session=");
    const uri = "resource://agents/seer/conversations";
    // As the page, which is the same person.
    await expect.poll(() => readResource(scene, uri)).not.toContain("remember the milk");
  });

  it("another window says that an answer is on its way, shows what it waits for, and has it when it is there", async () => {
    const { page } = await open("bookkeeper");
    await send(page, "bookkeeper", callTool("payments__create_transfer", { ...transfer, amount: 77 }));
    await said(page, /^Waits for/).waitFor();
    await page.waitForURL(/session=/);
    const { page: other } = await open("bookkeeper", new URL(page.url()).hash.replace(/^[^?]*/, ""));
    await said(other, words.answeringElsewhere).waitFor();
    await said(other, /^Waits for/).waitFor();
    await using approver = await openApprover(scene);
    const pending = await approver.untilOneWaits();
    await approver.decide(pending, "approve");
    await said(other, /transferred 77/).waitFor();
    expect(await said(other, words.answeringElsewhere).count()).toBe(0);
    await said(page, /transferred 77/).waitFor();
  });

  it("an answer that is on its way ends with the page: loaded anew it says so, and nothing waits any more", async () => {
    const { page } = await open("bookkeeper", "", { expected: /^dialog: beforeunload/ });
    await send(page, "bookkeeper", callTool("payments__create_transfer", { ...transfer, amount: 78 }));
    await said(page, /^Waits for/).waitFor();
    await page.waitForURL(/session=/);
    const stayed = page.waitForEvent("dialog").then((dialog) => dialog.dismiss().then(() => dialog.type()));
    await page.evaluate(() => setTimeout(() => location.reload()));
    expect(await stayed).toBe("beforeunload");
    expect(await said(page, /^Waits for/).count()).toBe(1);
    expect(await countRuns("bookkeeper")).toBe(1);
    const left = page.waitForEvent("dialog").then((dialog) => dialog.accept());
    await page.evaluate(() => setTimeout(() => location.reload()));
    await left;
    await said(page, fill(words.unanswered, { agent: "bookkeeper" })).waitFor();
    await using approver = await openApprover(scene);
    await approver.untilPending(0);
    expect(await countRuns("bookkeeper")).toBe(0);
  });

  it("what was said before comes by pages, in order, and what is read stays where it is", async () => {
    const messages = Array.from({ length: 60 }, (_, index) => `message ${index + 1} of many`);
    const session = await converse(scene, "asker", messages, "admin");
    const { page } = await open("asker", `?session=${session}`);
    const own = page.getByRole("log").locator(".chat-own");
    await expect.poll(() => own.count()).toBe(25);
    await own.first().scrollIntoViewIfNeeded();
    const first = own.filter({ hasText: "message 36 of many" });
    const before = await first.boundingBox();
    await button(page, words.history).click();
    await expect.poll(() => own.count()).toBe(50);
    expect(Math.abs(((await first.boundingBox())?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(60);
    await button(page, words.history).click();
    await expect.poll(() => own.count()).toBe(60);
    expect(await button(page, words.history).count()).toBe(0);
    const texts = await own.allInnerTexts();
    expect(texts.map((text) => Number(/message (\d+)/.exec(text)?.[1]))).toEqual(messages.map((_, at) => at + 1));
  });

  it("an agent that keeps nothing says so, and has no conversations to forget", async () => {
    const { page } = await open("forgetful");
    await page.getByText(fill(words.keptNot, { agent: "forgetful" })).waitFor();
    await send(page, "forgetful", "***FIXED_RESPONSE kept");
    await said(page, /^kept$/).waitFor();
    await send(page, "forgetful", "still there?");
    await page.getByRole("log").getByText("still there?").nth(1).waitFor();
    expect(page.url()).not.toContain("session=");
    expect(await button(page, words.newConversation).count()).toBe(0);
    expect(await button(page, words.forget).count()).toBe(0);
  });

  it("three answers are on their way at once, and the fourth message waits its turn", async () => {
    const opened = await open("asker");
    const { page } = opened;
    const conversations = new Map<string, string>();
    for (const agent of ["asker", "asker-two", "asker-three"]) {
      await opened.go(`#/agents/${agent}`);
      await send(page, agent, askUser(`Shall ${agent} go on?`));
      await question(page, agent).waitFor();
      // An agent's address without one begins another.
      await page.waitForURL(/session=/);
      conversations.set(agent, new URL(page.url()).hash);
    }
    const back = (agent: string) => opened.go(conversations.get(agent) ?? "");
    await opened.go("#/agents/forgetful");
    await send(page, "forgetful", "is it my turn?");
    await said(page, words.waitsForConnection).waitFor();
    await back("asker-two");
    await question(page, "asker-two").waitFor();
    await button(page, words.decline).click();
    await said(page, "The user does not want to answer.").waitFor();
    await opened.go("#/agents/forgetful");
    expect(await isShown(page.getByRole("log").getByText("is it my turn?").nth(1))).toBe(true);
    for (const agent of ["asker", "asker-three"]) {
      await back(agent);
      await button(page, words.decline).click();
      await said(page, "The user does not want to answer.").waitFor();
    }
  });
});
