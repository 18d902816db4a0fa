// Texts of others in every field that others can write, in every view: nothing of them is run, asked for or becomes an element, and all of
// them are there to be read.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approvalWords } from "../../dashboard/words/approvals.ts";
import { chatWords } from "../../dashboard/words/chat.ts";
import { fill } from "../../dashboard/words/fill.ts";
import { goToWords } from "../../dashboard/words/goto.ts";
import { testerWords } from "../../dashboard/words/tester.ts";
import { needs } from "../tools/needs.ts";
import { startBrowser } from "./browser.ts";
import { bringCalls, propose, register, startHostileScene } from "./hostile-scene.ts";
import { fillFields, opening } from "./hostile-text.ts";
import { findMissing, lookAround, watchElements } from "./hostile-walk.ts";
import { callTool } from "./scene-caller.ts";
import type { Scene, SceneRole } from "./scene.ts";
import { settled } from "./settled.ts";
import { executionMark, openPage, type WatchedPage } from "./watched-page.ts";
import { xssCorpus } from "./xss-corpus.ts";

const main = (page: Page) => page.getByRole("main");
const viewTestMs = 90_000;

interface Visit {
  route: string;
  /** Of the corpus, that are to be read there. */
  fields: readonly string[];
  /** Before one looks. */
  act?(page: Page): Promise<void>;
}

let scene: Scene;
let browser: Browser;
let proposal: string;

/** Chromium itself tells of answers that are errors; those of the tester are part of it. */
const failed = /status of (?:404|409|502)/;
const open = (role: SceneRole = "admin"): Promise<WatchedPage> => {
  const { origin, tokens } = scene;
  return openPage(browser, { origin, token: tokens[role], script: watchElements, expected: failed });
};

/** @returns what is missing, a line a field */
async function walk(opened: WatchedPage, visits: readonly Visit[]): Promise<string[]> {
  const missing: string[] = [];
  for (const { route, fields, act } of visits) {
    await opened.go(route);
    await settled(opened.page);
    await act?.(opened.page);
    missing.push(...(await findMissing(opened.page, fields)).map((field) => `${route} does not show ${field}`));
    await lookAround(opened.page);
  }
  return missing;
}

const tryIt = (name: string) => async (page: Page) => {
  await page.getByRole("button", { name: fill(testerWords.call, { name }), exact: true }).click();
  const anyway = page.getByRole("button", { name: testerWords.sendAnyway });
  await page.waitForTimeout(300);
  if (await anyway.isVisible()) await anyway.click();
};

/** What the page hears of a server that logs all of the corpus. */
const logTexts = (page: Page) =>
  page.routeWebSocket("**/ws", (socket) => {
    socket.connectToServer();
    const logged = xssCorpus.map((text) => ({ level: "warning", logger: text, data: text }));
    for (const params of [...logged, { level: opening("log-level"), logger: opening("log-name"), data: {} }]) {
      const said = { type: "notification", serverName: "hostile", method: "notifications/message", params };
      socket.send(JSON.stringify({ ...said, ts: new Date().toISOString() }));
    }
  });

describe("UI-1 the corpus of texts that want to be run", () => {
  it("has more than 200, all different, and each calls the mark", () => {
    expect(new Set(xssCorpus).size).toBe(xssCorpus.length);
    expect(xssCorpus.length).toBeGreaterThan(200);
    expect(xssCorpus.filter((text) => !text.includes(executionMark))).toEqual([]);
  });
});

describe("UI-1 what others wrote is text, and nothing else", needs("chromium"), () => {
  beforeAll(async () => {
    [scene, browser] = await Promise.all([startHostileScene(), startBrowser()]);
    [proposal] = await Promise.all([propose(scene), register(scene), bringCalls(scene)]);
  });
  afterAll(async () => {
    await browser?.close();
    await scene?.[Symbol.asyncDispose]();
  });

  it("in a chat, as it comes and as history", { timeout: viewTestMs }, async () => {
    await using opened = await open();
    const { page, problems } = opened;
    await opened.go("#/agents/parrot");
    const composer = page.getByLabel(fill(chatWords.message, { agent: "parrot" }));
    const log = page.getByRole("log");
    const messages = fillFields("message", 1_500);
    const send = async (text: string) => {
      await composer.fill(text);
      await page.getByRole("button", { name: chatWords.send, exact: true }).click();
      await page.getByRole("button", { name: chatWords.stop, exact: true }).waitFor({ state: "hidden" });
    };
    for (const message of messages) await send(message);
    await composer.fill(callTool("hostile__read_note", {}));
    await page.getByRole("button", { name: chatWords.send, exact: true }).click();
    const missing = await findMissing(page, ["progress"], 4_000);
    await page.getByRole("button", { name: chatWords.stop, exact: true }).waitFor({ state: "hidden" });
    await send(callTool("hostile__list_failure", {}));
    await send(callTool("hostile__count_error", {}));
    await send(callTool("hostile__read_structure", {}));
    missing.push(
      ...(await findMissing(page, ["message", "tool-result", "tool-error", "protocol-error", "structured-text"])),
    );
    expect(await log.getByText(opening("message")).count()).toBeGreaterThan(messages.length);
    await lookAround(page);
    await composer.fill(callTool("hostile__read_answer", {}));
    await page.getByRole("button", { name: chatWords.send, exact: true }).click();
    await page.getByRole("button", { name: chatWords.decline, exact: true }).waitFor();
    missing.push(
      ...(await findMissing(page, [
        "question",
        "asked-property-title",
        "asked-property-description",
        "asked-enum-name",
      ])),
    );
    await lookAround(page);
    await page.getByRole("button", { name: chatWords.decline, exact: true }).click();
    await page.getByRole("button", { name: chatWords.stop, exact: true }).waitFor({ state: "hidden" });
    await using later = await open();
    await later.go("#/agents/parrot");
    await later.page.getByText(opening("message")).first().click();
    missing.push(...(await findMissing(later.page, ["message", "tool-result"])));
    await lookAround(later.page);
    expect([...missing, ...problems, ...later.problems]).toEqual([]);
  });

  it("in the views of agents, approvals, policies and calls", { timeout: viewTestMs }, async () => {
    await using opened = await open();
    const firstOf = (list: string) => async (page: Page) => {
      await page.getByRole("list", { name: list }).getByRole("link").first().click();
      await page.getByRole("heading", { level: 1, name: /keep_note/ }).waitFor();
    };
    const missing = await walk(opened, [
      { route: "#/agents", fields: ["agent-description"] },
      { route: "#/agents/parrot/runs", fields: [] },
      { route: "#/agents/parrot/tools", fields: ["tool-description"] },
      { route: "#/agents/parrot/policy", fields: ["policy-reason"] },
      { route: "#/agents/parrot/definition", fields: ["agent-description", "agent-title"] },
      { route: "#/agents/mute", fields: [] },
      { route: "#/agents/mute/tools", fields: [] },
      {
        route: "#/approvals",
        fields: ["changed-argument", "argument-name", "policy-reason", "asked-description"],
        act: firstOf(approvalWords.waitingList),
      },
      {
        route: "#/approvals/decided",
        fields: ["argument", "argument-lines", "policy-reason", "verdict-reason"],
        act: firstOf(approvalWords.decidedList),
      },
      { route: "#/policies", fields: [] },
      { route: "#/policies/hostile", fields: ["policy-reason", "denied-because"] },
      { route: "#/policies/hostile/try", fields: ["policy-reason"] },
      { route: "#/policies/hostile/proposals", fields: ["proposal-reason"] },
      { route: `#/policies/hostile/proposals/${proposal}`, fields: ["proposal-reason", "proposed-rule"] },
      { route: "#/calls", fields: [] },
    ]);
    expect([...missing, ...opened.problems]).toEqual([]);
  });

  it("in the views of servers, discovery and the directory", { timeout: viewTestMs }, async () => {
    await using opened = await open();
    const missing = await walk(opened, [
      { route: "#/servers", fields: ["server-title", "last-words"] },
      { route: "#/servers/hostile", fields: ["server-title", "tool-description"] },
      { route: "#/servers/loud", fields: ["last-words"] },
      { route: "#/servers/off-0", fields: ["server-description"] },
      { route: "#/discover?q=note+tool+description", fields: ["tool-description"] },
      { route: "#/discover?q=img+onerror+xss", fields: [] },
      { route: "#/discover/install?q=script", fields: [] },
      { route: "#/directory", fields: ["directory-name", "directory-label", "card-name"] },
      {
        route: "#/directory",
        fields: ["directory-name", "directory-description", "endpoint-name"],
        act: (page) =>
          main(page)
            .getByRole("link", { name: /directory-name/ })
            .first()
            .click(),
      },
      {
        route: "#/directory",
        fields: ["card-name", "card-version"],
        act: (page) =>
          main(page)
            .getByRole("link", { name: /card-name/ })
            .first()
            .click(),
      },
    ]);
    expect([...missing, ...opened.problems]).toEqual([]);
  });

  it("in the tester: forms, results, errors, questions and what came by", { timeout: viewTestMs }, async () => {
    await using opened = await open();
    const forms = ["property-title", "property-description", "property-default", "property-enum"];
    const missing = await walk(opened, [
      { route: "#/tester/hostile/tools/read_note", fields: ["tool-description", ...forms] },
      {
        route: "#/tester/hostile/tools/read_note",
        fields: ["tool-result", "link-name", "embedded", "progress"],
        act: tryIt("read_note"),
      },
      { route: "#/tester/hostile/tools/list_failure", fields: ["tool-error"], act: tryIt("list_failure") },
      { route: "#/tester/hostile/tools/count_error", fields: ["protocol-error"], act: tryIt("count_error") },
      { route: "#/tester/hostile/tools/read_structure", fields: ["structured-text"], act: tryIt("read_structure") },
      {
        route: "#/tester/hostile/resources/note%3A%2F%2Fhostile",
        fields: ["resource-description", "resource-text"],
        act: (page) => page.getByRole("button", { name: testerWords.read, exact: true }).click(),
      },
      {
        route: "#/tester/hostile/prompts/hostile",
        fields: ["prompt-description", "argument-description", "prompt-text"],
        act: (page) =>
          page.getByRole("button", { name: fill(testerWords.getPrompt, { name: "hostile" }), exact: true }).click(),
      },
      { route: "#/tester/hostile/server", fields: ["calls-itself", "version", "instructions"] },
      // Its question stays open.
      {
        route: "#/tester/hostile/tools/read_answer",
        fields: ["question", "asked-property-title", "asked-enum-name"],
        act: tryIt("read_answer"),
      },
    ]);
    expect([...missing, ...opened.problems]).toEqual([]);
  });

  it("in what a server logs, as one that is reached over HTTP can", { timeout: viewTestMs }, async () => {
    await using opened = await open();
    const { page, problems } = opened;
    await logTexts(page);
    // From its next load on.
    await page.reload();
    const missing = await walk(opened, [
      { route: "#/tester/hostile/tools/read_note", fields: ["log-level", "log-name"] },
    ]);
    await lookAround(page);
    expect([...missing, ...problems]).toEqual([]);
  });

  it("in names of people and in presets, as an issuer and a cluster have them", { timeout: viewTestMs }, async () => {
    await using opened = await open();
    const texts = fillFields("preset-text", 1_000);
    const presets = texts.map((text, index) => ({
      name: `p-${index}`,
      title: opening("preset-title"),
      description: text,
      spec: {},
    }));
    const told = JSON.stringify(
      JSON.stringify([...presets, { name: opening("preset-name"), problem: opening("preset-problem") }]),
    );
    await opened.page.route("**/mcp", async (route) => {
      const asked = route.request().postData() ?? "";
      if (!asked.includes('"resources/read"')) return route.continue();
      const response = await route.fetch();
      const body = (await response.text()).replaceAll(/token[: ]tokens\/\w+[/ ]\w+/g, opening("person"));
      return route.fulfill({
        response,
        body: asked.includes("presets/list") ? body.replace('"[]"', () => told) : body,
      });
    });
    const missing = await walk(opened, [
      { route: "#/agents/new", fields: ["preset-title", "preset-text", "preset-name", "preset-problem"] },
      { route: "#/approvals", fields: ["person"] },
      { route: "#/approvals/decided", fields: ["person"] },
      { route: "#/directory", fields: ["person"] },
    ]);
    expect([...missing, ...opened.problems]).toEqual([]);
  });

  it("in addresses that somebody sent, and in Go to", { timeout: viewTestMs }, async () => {
    await using opened = await open();
    const { page, problems } = opened;
    const text = encodeURIComponent(opening("address"));
    const routes = [
      `agents?q=${text}`,
      `agents/${text}`,
      `agents/parrot?session=${text}`,
      `agents/new?preset=${text}`,
      `approvals/${text}`,
    ];
    routes.push(
      `approvals?who=${text}`,
      `servers/${text}`,
      `servers?q=${text}`,
      `discover?q=${text}`,
      `discover/install?q=${text}&source=${text}`,
    );
    routes.push(
      `tester/${text}/tools/${text}`,
      `tester/hostile/tools/${text}`,
      `policies/${text}`,
      `policies/hostile/proposals/${text}`,
    );
    routes.push(
      `calls?tool=${text}&agent=${text}&outcome=${text}&call=${text}`,
      `directory?q=${text}&entry=${text}`,
      text,
    );
    await walk(
      opened,
      routes.map((route) => ({ route: `#/${route}`, fields: [] })),
    );
    await opened.go("#/agents");
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: goToWords.field });
    const missing: string[] = [];
    for (const query of ["onerror", "script", "javascript", "hostile"]) {
      await field.fill(query);
      await page.getByRole("option").first().waitFor();
      await page.keyboard.press("ArrowDown");
    }
    await field.fill(opening("asked"));
    missing.push(...(await findMissing(page, ["asked"])));
    expect([...missing, ...problems]).toEqual([]);
  });
});
