// Lists as long as they get: a thousand agents, and a server with five thousand tools, most of which are more than can be approved. A
// screen's worth of them is in the page, all of them are counted, and each is found by words and reached by keys.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { agentsWords } from "../../dashboard/words/agents.ts";
import { fill, plural } from "../../dashboard/words/fill.ts";
import { serverWords } from "../../dashboard/words/servers.ts";
import { stateWords } from "../../dashboard/words/states.ts";
import { portionLines } from "../../dashboard/views/servers/shown-changes.ts";
import { testerWords } from "../../dashboard/words/tester.ts";
import { maxPinned } from "../../gateway/servers/pins.ts";
import { personAs, startStateFileGateway, type StateFileGateway } from "../integration/state-file-gateway.ts";
import { needs } from "../tools/needs.ts";
import { startBrowser } from "./browser.ts";
import { tabTo } from "./keyboard.ts";
import { startScene, type Scene } from "./scene.ts";
import { isShown, openPage } from "./watched-page.ts";

const count = 1_000;
const toolCount = 5_000;
const maxRows = 60;
const nameOf = (at: number) => `agent-${String(at).padStart(4, "0")}`;
const ledgers = 12;
const agents = Array.from({ length: count }, (_, at) => ({
  name: nameOf(at),
  spec: { description: at < ledgers ? `Keeps ledger ${at}` : `Does work of the kind ${at}` },
}));

let browser: Browser;

async function open(origin: string, token: string, route: string): Promise<Page> {
  const opened = await openPage(browser, { origin, token, route });
  onTestFinished(async () => {
    await opened[Symbol.asyncDispose]();
    expect(opened.problems).toEqual([]);
  });
  return opened.page;
}

describe("UI-1 a thousand agents", needs("chromium"), () => {
  let gateway: StateFileGateway;
  beforeAll(async () => {
    const tokens = { viewer: personAs("viewer") };
    [gateway, browser] = await Promise.all([
      startStateFileGateway({ agents, tokens, agentsToken: "none" }),
      startBrowser(),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.[Symbol.asyncDispose]();
  });

  const openAgents = async () => {
    const page = await open(gateway.url, "viewer", "#/agents");
    const table = page.getByRole("table", { name: agentsWords.table });
    await table.getByRole("link", { name: nameOf(0) }).waitFor();
    return { page, table, rows: table.locator(".table-body > [role=row]") };
  };

  it("has a screen's worth of rows in the page, wherever one scrolls, and tells how many there are", async () => {
    const { page, table, rows } = await openAgents();
    expect(await table.getAttribute("aria-rowcount")).toBe("1001");
    expect(await isShown(page.getByRole("main").getByText("1,000", { exact: true }))).toBe(true);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    for (const share of [0, 0.25, 0.5, 1]) {
      await page.evaluate((to) => window.scrollTo({ top: to }), height * share);
      const middle = nameOf(Math.min(count - 1, Math.floor(count * share)));
      await expect.poll(() => rows.getByRole("link", { name: middle }).count()).toBe(1);
      expect(await rows.count()).toBeLessThanOrEqual(maxRows);
      const told = await rows.evaluateAll((all) =>
        all.map((row) => [Number(row.ariaRowIndex), row.getAttribute("data-key")]),
      );
      expect(told).toEqual(told.map((_, at) => [Number(told[0]?.[0]) + at, nameOf(Number(told[0]?.[0]) - 2 + at)]));
    }
    // What is not in the page still has its room.
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(height);
  });

  it("says how many of all the words leave, and has room for those alone", async () => {
    const { page, table, rows } = await openAgents();
    await page.getByRole("searchbox", { name: agentsWords.filter }).fill("ledger");
    const told = fill(agentsWords.countOf, { n: ledgers, all: count });
    expect(told).toBe("12 of 1,000");
    expect(await isShown(page.getByRole("status").getByText(told))).toBe(true);
    expect([await rows.count(), await table.getAttribute("aria-rowcount")]).toEqual([ledgers, "13"]);
    await page.getByRole("searchbox", { name: agentsWords.filter }).fill("nobody");
    expect(await isShown(page.getByText(fill(agentsWords.noneOf, { n: count, query: "nobody" })))).toBe(true);
    expect(await rows.count()).toBe(0);
  });

  it("moves no row under the pointer: values change in place, what came and went waits until the pointer is gone", async () => {
    const { page, table, rows } = await openAgents();
    onTestFinished(() => gateway.tell(agents));
    const pointed = rows.filter({ hasText: nameOf(5) });
    await pointed.hover();
    const before = await pointed.boundingBox();
    const [, , , , , fifth, , ...others] = agents;
    await gateway.tell([
      { name: "aardvark", spec: { description: "Comes first" } },
      ...agents.slice(0, 5),
      { ...fifth, name: nameOf(5), spec: { description: "Counts otherwise now" } },
      ...others,
    ]);
    await pointed.getByText("Counts otherwise now").waitFor();
    const waiting = page.getByRole("button", { name: plural(stateWords.changes, 2) });
    await waiting.waitFor();
    expect(await pointed.boundingBox()).toEqual(before);
    expect(await rows.first().getAttribute("data-key")).toBe(nameOf(0));
    expect(await rows.filter({ hasText: nameOf(6) }).getAttribute("class")).toContain("removed");
    // As many as one can go through: what went is still there, what came is not.
    expect(await table.getAttribute("aria-rowcount")).toBe("1001");
    await page.mouse.move(2, 2);
    await expect.poll(() => rows.first().getAttribute("data-key")).toBe("aardvark");
    expect(await rows.filter({ hasText: nameOf(6) }).count()).toBe(0);
    await waiting.waitFor({ state: "hidden" });
  });

  it("leads a person without a pointer from row to row past those in the page, and to the last one", async () => {
    const { page, table } = await openAgents();
    await tabTo(page, new RegExp(`^link .*${nameOf(0)}`));
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("href"));
    for (let presses = 0; presses < 2 * maxRows; presses += 1) await page.keyboard.press("j");
    expect(await focused()).toBe(`#/agents/${nameOf(2 * maxRows)}`);
    await page.keyboard.press("End");
    await table.getByRole("link", { name: nameOf(count - 1) }).waitFor();
    for (let presses = 0; presses < maxRows; presses += 1) await page.keyboard.press("j");
    expect(await focused()).toBe(`#/agents/${nameOf(count - 1)}`);
    await page.keyboard.press("Enter");
    expect(await isShown(page.getByRole("heading", { level: 1, name: nameOf(count - 1) }))).toBe(true);
  });

  it("follows what changes again once the row that had the focus was scrolled out of the page", async () => {
    const { page, rows } = await openAgents();
    onTestFinished(() => gateway.tell(agents));
    await rows.getByRole("link", { name: nameOf(0) }).focus();
    await page.keyboard.press("End");
    await rows.getByRole("link", { name: nameOf(count - 1) }).waitFor();
    await expect.poll(() => rows.getByRole("link", { name: nameOf(0) }).count()).toBe(0);
    await gateway.tell([...agents, { name: "zebra" }]);
    await expect.poll(() => rows.last().getAttribute("data-key")).toBe("zebra");
  });
});

const manyTools = `
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
const properties = { word: { type: "string" } };
const tools = Array.from({ length: Number(process.argv[2]) }, (_, at) => ({
  name: "read_" + String(at).padStart(4, "0"),
  description: "Does what tool " + at + " does.",
  inputSchema: { type: "object", properties, required: ["word"] },
}));
const server = new Server({ name: "many", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
  const start = Number(params?.cursor ?? 0);
  const end = start + 500;
  return { tools: tools.slice(start, end), ...(end < tools.length && { nextCursor: String(end) }) };
});
server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
  content: [{ type: "text", text: params.name + " heard " + params.arguments.word }],
}));
await server.connect(new StdioServerTransport());
`;
const manifestOf = (name: string, tools: number) => `
apiVersion: pallas.helu.ca/v1alpha1
kind: PallasServer
metadata: { name: ${name}, namespace: default }
spec:
  instanceRef: { name: ouranos }
  description: A great many tools
  local: { command: node, args: [many-server.mjs, "${tools}"] }
`;
/** So many definitions count as changed from the start, of 13 lines each. */
const unapproved = 60;

describe("UI-1 a server with five thousand tools", needs("chromium"), () => {
  let scene: Scene;
  beforeAll(async () => {
    const more = {
      "many.yaml": manifestOf("many", toolCount),
      "several.yaml": manifestOf("several", maxPinned + unapproved),
      "many-server.mjs": manyTools,
    };
    [scene, browser] = await Promise.all([startScene({ more, without: ["broken.yaml"] }), startBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await scene?.[Symbol.asyncDispose]();
  });
  const last = "read_4999";

  const toolsOf = (page: Page) => page.getByRole("table", { name: fill(serverWords.toolsTable, { name: "many" }) });

  it("in the list of servers: how many there are, and the way to them", async () => {
    const page = await open(scene.origin, scene.tokens.admin, "#/servers");
    const servers = page.getByRole("table", { name: serverWords.table });
    await servers.getByRole("row").filter({ hasText: "many" }).filter({ hasText: "5,000" }).waitFor();
    await servers.getByRole("link", { name: "many" }).click();
    expect(await isShown(toolsOf(page).getByRole("link", { name: "read_0000" }))).toBe(true);
  });

  it("by the link of the server: as many rows as fit, the right count, and any of them by its words", async () => {
    const page = await open(scene.origin, scene.tokens.admin, "#/servers/many");
    const table = toolsOf(page);
    const rows = table.locator(".table-body > [role=row]");
    await rows.first().waitFor();
    const heading = fill(serverWords.toolsHeading, { n: toolCount });
    expect(await isShown(page.getByRole("heading", { level: 2, name: heading }))).toBe(true);
    expect(await table.getAttribute("aria-rowcount")).toBe("5001");
    expect(await rows.count()).toBeLessThanOrEqual(maxRows);
    await page.evaluate(() => window.scrollTo({ top: document.documentElement.scrollHeight }));
    await table.getByRole("link", { name: last }).waitFor();
    expect(await rows.count()).toBeLessThanOrEqual(maxRows);
    // Where the pointer lies holds back what comes and goes, not what the person asks for.
    await table.getByRole("link", { name: last }).hover();
    await page.getByRole("searchbox", { name: serverWords.filterTools }).fill("tool 4321 does");
    await expect.poll(() => rows.count()).toBe(1);
    await table.getByRole("link", { name: "read_4321" }).click();
    expect(await isShown(page.getByRole("heading", { level: 1, name: testerWords.title }))).toBe(true);
  });

  it("as definitions that changed: a portion at a time, and nobody accepts them before the last was on screen", async () => {
    const page = await open(scene.origin, scene.tokens.admin, "#/servers/several");
    const lines = page.locator(".servers-line");
    const accept = page.getByRole("button", { name: serverWords.accept });
    const isOff = () => accept.getAttribute("aria-disabled");
    expect(await isShown(page.getByRole("heading", { name: plural(serverWords.several, unapproved) }))).toBe(true);
    expect(await lines.count()).toBe(portionLines);
    // The browser tells of what came into sight with a frame, in the order in which it was asked to.
    const seen = () =>
      accept.evaluate(
        (button) =>
          new Promise<void>((resolve) => {
            const observer = new IntersectionObserver(([entry]) => {
              if (entry?.isIntersecting === true) requestAnimationFrame(() => setTimeout(resolve));
            });
            observer.observe(button);
          }),
      );
    // To where the end would be, were all of it there.
    await accept.scrollIntoViewIfNeeded();
    await seen();
    expect(await isOff()).toBe("true");
    const shownWhole = Math.floor(portionLines / 13);
    await page.getByRole("button", { name: plural(serverWords.showMore, unapproved - shownWhole) }).click();
    await expect.poll(() => lines.count()).toBe(unapproved * 13);
    expect(await isOff()).toBe("true");
    // The next key goes on from where the button was.
    await page.keyboard.press("Tab");
    await expect.poll(() => accept.evaluate((button) => button === document.activeElement)).toBe(true);
    await accept.scrollIntoViewIfNeeded();
    await expect.poll(isOff).toBe("false");
  });

  it("in the tester: a list of the same kind, in which one is found and called", async () => {
    const page = await open(scene.origin, scene.tokens.admin, "#/tester/many");
    const names = page.getByRole("list", { name: testerWords.names });
    await names.getByRole("link").first().waitFor();
    expect(await names.getByRole("link").count()).toBeLessThanOrEqual(maxRows);
    expect(await names.locator("li[aria-setsize]").first().getAttribute("aria-setsize")).toBe(String(toolCount));
    await names.evaluate((list) => list.scrollTo({ top: list.scrollHeight }));
    await names.getByRole("link", { name: last }).waitFor();
    expect(await names.getByRole("link").count()).toBeLessThanOrEqual(maxRows);
    await page.getByRole("searchbox", { name: testerWords.filter }).fill("4998");
    await expect.poll(() => names.getByRole("link").count()).toBe(1);
    await names.getByRole("link", { name: "read_4998" }).click();
    await page.getByRole("textbox", { name: /^word/ }).fill("a word");
    await page.getByRole("button", { name: fill(testerWords.call, { name: "read_4998" }) }).click();
    expect(await isShown(page.getByText("read_4998 heard a word").first())).toBe(true);
  });
});
