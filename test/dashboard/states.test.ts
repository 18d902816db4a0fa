// The states that every view has beside its data: loading, empty, nothing found by a filter, an answer that failed, a connection that is
// lost, no right, and gone. Each is brought about as it comes about for people: by a fault, by an instance with nothing in it, by a role.
import { join } from "node:path";
import { mkdirSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { agentWords } from "../../dashboard/words/agent.ts";
import { agentsWords } from "../../dashboard/words/agents.ts";
import { approvalWords } from "../../dashboard/words/approvals.ts";
import { callWords } from "../../dashboard/words/calls.ts";
import { chatWords } from "../../dashboard/words/chat.ts";
import { createWords } from "../../dashboard/words/create.ts";
import { directoryWords } from "../../dashboard/words/directory.ts";
import { discoverWords } from "../../dashboard/words/discover.ts";
import { fill } from "../../dashboard/words/fill.ts";
import { policyWords } from "../../dashboard/words/policies.ts";
import { serverWords } from "../../dashboard/words/servers.ts";
import { shellWords } from "../../dashboard/words/shell.ts";
import { stateWords as words } from "../../dashboard/words/states.ts";
import { tabWords } from "../../dashboard/words/tabs.ts";
import { testerWords } from "../../dashboard/words/tester.ts";
import { needs } from "../tools/needs.ts";
import { startBrowser } from "./browser.ts";
import { breakAnswers, cut, cuttable } from "./page-faults.ts";
import { askTransfer, openApprover, type Approver, type Pending } from "./scene-caller.ts";
import { startScene, type Scene, type SceneRole } from "./scene.ts";
import { settled } from "./settled.ts";
import { stateViews } from "./state-views.ts";
import { isShown, openPage, type WatchedPage, type WatchedPageOptions } from "./watched-page.ts";

const artefacts = join(import.meta.dirname, "../.artefacts/dashboard");

/** There is something in it, of which its operator is to see nothing: as empty as an instance can be. */
const bareInstance = `apiVersion: pallas.helu.ca/v1alpha1
kind: PallasInstance
metadata: { name: ouranos, namespace: default }
spec:
  registryNamespace: ca.helu.ouranos
  defaultModel: passthrough
  gateway:
    service: { port: 24300 }
    access:
      - { role: operator, agents: [none], servers: [none], tokenFrom: { secretKeyRef: { name: tokens, key: operator } } }
`;
const hermit = `apiVersion: pallas.helu.ca/v1alpha1
kind: PallasAgent
metadata: { name: hermit, namespace: default }
spec: { instanceRef: { name: ouranos } }
`;

let scene: Scene;
let bare: Scene;
let browser: Browser;
let approver: Approver;
let waiting: Pending | undefined;

type PageOptions = Partial<WatchedPageOptions>;

function start(options: PageOptions, { origin, tokens }: Scene, role: SceneRole): Promise<WatchedPage> {
  const prepare = async (page: Page) => {
    // What is not there by then does not come.
    page.setDefaultTimeout(10_000);
    await options.prepare?.(page);
  };
  return openPage(browser, { origin, token: tokens[role], ...options, prepare });
}

async function end(opened: WatchedPage | undefined): Promise<void> {
  await opened?.[Symbol.asyncDispose]();
  expect(opened?.problems).toEqual([]);
}

async function open(options: PageOptions = {}): Promise<WatchedPage> {
  const opened = await start(options, scene, "admin");
  onTestFinished(() => end(opened));
  return opened;
}

/** One page for all cases of a group, which go from view to view on it as people do. */
function share(of: () => Scene, role: SceneRole): (route: string) => Promise<Page> {
  let opened: WatchedPage | undefined;
  beforeAll(async () => {
    opened = await start({}, of(), role);
  });
  afterAll(() => end(opened));
  return async (route) => {
    if (opened === undefined) throw new Error("expected a page");
    await opened.go(route);
    return opened.page;
  };
}

/** The log has what went through the gateway. */
async function callThroughGateway(): Promise<void> {
  const answer = await fetch(`${scene.origin}/api/servers/payments/call`, {
    method: "POST",
    headers: { authorization: `Bearer ${scene.tokens.caller}`, "content-type": "application/json" },
    body: JSON.stringify({ tool: "read_invoice", args: { id: "1" } }),
  });
  expect(answer.status).toBe(200);
}

/** Since when it does not answer, and when it is tried again. */
const tellTimes = (text: string | null): string[] => text?.match(/\d[\d:]+/g) ?? [];

/** However many there are. */
const goneCall = new RegExp(`^${callWords.gone.replace("{n}", String.raw`[1-9]\d*`)}`);

const main = (page: Page) => page.getByRole("main");
const shown = (page: Page, text: string | RegExp) => main(page).getByText(text).locator("visible=true").first();
const picture = (page: Page, name: string, state: string) =>
  page.screenshot({ path: join(artefacts, `${name}-${state}-1440-light.png`), animations: "disabled" });

/** Whether a button is off, and what it says of it. */
async function tellOff(page: Page, name: string): Promise<string> {
  const button = main(page).getByRole("button", { name, exact: true }).first();
  return `${await button.getAttribute("aria-disabled")}: ${await button.getAttribute("title")}`;
}

describe("UI-1 the states of every view", needs("chromium"), () => {
  beforeAll(async () => {
    mkdirSync(artefacts, { recursive: true });
    const nothing = {
      without: ["agents.yaml", "broken.yaml"],
      more: { "instance.yaml": bareInstance, "hermit.yaml": hermit },
    };
    browser = await startBrowser();
    scene = await startScene();
    bare = await startScene(nothing);
    await callThroughGateway();
    approver = await openApprover(scene);
    void askTransfer(scene);
    await approver.decide(await approver.untilOneWaits(), "approve");
    await approver.untilPending(0);
    void askTransfer(scene, { amount: 2 });
    waiting = await approver.untilOneWaits();
  });
  afterAll(async () => {
    await approver?.[Symbol.asyncDispose]();
    await browser?.close();
    await scene?.[Symbol.asyncDispose]();
    await bare?.[Symbol.asyncDispose]();
  });

  it.each(stateViews)("$name, loading: the frame at once, grey rows, never that nothing is there", async (view) => {
    let fault: Awaited<ReturnType<typeof breakAnswers>> | undefined;
    const opened = await open({
      async prepare(page) {
        await page.clock.install();
        fault = await breakAnswers(page, view.reads, "held");
      },
    });
    const { page } = opened;
    await opened.go(view.route);
    await expect.poll(() => fault?.met()).toBeGreaterThan(0);
    await main(page).locator(".loading-row").first().waitFor();
    expect(await main(page).locator("h1").count()).toBe(1);
    expect(await main(page).locator(".empty").count()).toBe(0);
    await page.clock.fastForward(5_000);
    await shown(page, words.stillWaiting).waitFor();
    expect(await main(page).locator(".empty").count()).toBe(0);
    await picture(page, view.name, "loading");
    await fault?.end();
    await shown(page, view.shows).waitFor();
    expect(await main(page).getByText(words.stillWaiting).count()).toBe(0);
  });

  it.each(stateViews)("$name, an error: what did not answer, since when, when again, and Try now", async (view) => {
    let fault: Awaited<ReturnType<typeof breakAnswers>> | undefined;
    const opened = await open({
      expected: /503/,
      prepare: async (page) => (fault = await breakAnswers(page, view.reads, "failed")),
    });
    const { page } = opened;
    await opened.go(view.route);
    const box = main(page).getByRole("alert").filter({ hasText: view.what }).first();
    await box.getByText(/HTTP status 503/).waitFor();
    const times = box.getByText(/Since \d.*Tried again at \d/);
    const [since, again] = tellTimes(await times.textContent());
    await box.getByText(words.lastingLocal).waitFor();
    await picture(page, view.name, "error");
    const before = fault?.met() ?? 0;
    await expect.poll(() => fault?.met()).toBeGreaterThan(before);
    // It is the same trouble as before, and later it is tried once more.
    await expect.poll(async () => tellTimes(await times.textContent())[1]).not.toBe(again);
    expect(tellTimes(await times.textContent())[0]).toBe(since);
    await fault?.end();
    await box.getByRole("button", { name: words.tryNow }).click();
    await shown(page, view.shows).waitFor();
    expect(await box.count()).toBe(0);
  });

  it(
    "a lost connection: what was there stays, nothing can be written, and it says why",
    { timeout: 120_000 },
    async () => {
      const writes: Record<string, string> = {
        agent: chatWords.send,
        approvals: approvalWords.deny,
        tester: fill(testerWords.call, { name: "read_invoice" }),
      };
      const opened = await open({ script: cuttable });
      const { page } = opened;
      const strip = page.getByText(/^Connection lost at/);
      const off: [string, string][] = [];
      for (const { name, route, shows } of stateViews) {
        await opened.go(route);
        await shown(page, shows).waitFor();
        await settled(page);
        await cut(page, true);
        await strip.waitFor();
        await shown(page, shows).waitFor();
        const write = writes[name];
        if (write !== undefined) off.push([name, await tellOff(page, write)]);
        await picture(page, name, "stale");
        await cut(page, false);
        await page.getByRole("button", { name: shellWords.tryNow, exact: true }).first().click();
        await strip.waitFor({ state: "detached" });
      }
      expect(off).toEqual(Object.keys(writes).map((name) => [name, `true: ${words.offline}`]));
    },
  );

  describe("where there is nothing", () => {
    const visit = share(() => bare, "operator");

    it.each([
      { name: "agents", route: "#/agents", says: [agentsWords.empty, agentsWords.emptyNext, /1 .*\n2 .*\n3 /] },
      { name: "approvals", route: "#/approvals", says: [approvalWords.emptyTitle, approvalWords.emptyText] },
      {
        name: "decided",
        route: "#/approvals/decided",
        says: [approvalWords.emptyDecidedTitle, approvalWords.emptyDecidedText],
      },
      { name: "servers", route: "#/servers", says: [serverWords.empty, serverWords.emptyNext] },
      { name: "discover", route: "#/discover", says: [discoverWords.example] },
      {
        name: "install",
        route: "#/discover/install",
        says: [discoverWords.browseStart, discoverWords.browseStartNext],
      },
      { name: "tester", route: "#/tester", says: [testerWords.noServers, testerWords.noServersNext] },
      { name: "policies", route: "#/policies", says: [policyWords.empty, policyWords.emptyNext] },
      { name: "calls", route: "#/calls", says: [callWords.empty, callWords.emptyNext] },
      { name: "directory", route: "#/directory", says: [directoryWords.empty, directoryWords.emptyNext] },
      { name: "create", route: "#/agents/new", says: [createWords.noWrites.local] },
    ])("$name, empty: says why, and the next step", async ({ name, route, says }) => {
      const page = await visit(route);
      for (const text of says) expect(await isShown(shown(page, text))).toBe(true);
      await settled(page);
      await picture(page, name, "empty");
    });
  });

  describe("where something is not found", () => {
    const visit = share(() => scene, "admin");

    it.each([
      { name: "agents", route: "#/agents?q=zzz", none: fill(agentsWords.noneOf, { n: 4, query: "zzz" }) },
      { name: "servers", route: "#/servers?q=zzz", none: fill(serverWords.noneOf, { n: 2, query: "zzz" }) },
      { name: "calls", route: "#/calls?tool=zzz", none: /^None of \d+ calls matches/ },
      { name: "directory", route: "#/directory?q=zzz", none: /^None of \d+ entries matches/ },
    ])(
      "$name, a filter that finds nothing: says of how many, and Clear takes it away",
      async ({ name, route, none }) => {
        const page = await visit(route);
        await shown(page, none).waitFor();
        await picture(page, name, "nomatch");
        await main(page).getByRole("button", { name: words.clear, exact: true }).first().click();
        await main(page).getByText(none).waitFor({ state: "detached" });
        expect(page.url()).not.toContain("zzz");
      },
    );

    it.each([
      { route: "#/agents/nobody", what: agentWords.agent, name: "nobody", back: agentWords.agents },
      { route: "#/servers/nothing", what: serverWords.server1, name: "nothing", back: serverWords.backTo },
      { route: "#/policies/nothing", what: policyWords.policy, name: "nothing", back: policyWords.backTo },
      { route: "#/directory/nothing", what: directoryWords.entry, name: "nothing", back: directoryWords.backTo },
      { route: "#/approvals/nothing", what: approvalWords.goneWhat, name: "nothing", back: approvalWords.backTo },
    ])("$route, gone: says what is not there, and the way back", async ({ route, what, name, back }) => {
      const page = await visit(route);
      await shown(page, fill(words.gone, { what, name })).waitFor();
      expect(await main(page).locator("h1").count()).toBe(1);
      await picture(page, what, "gone");
      await main(page)
        .getByRole("link", { name: fill(words.goBack, { where: back }) })
        .click();
      await main(page).getByText(fill(words.gone, { what, name })).waitFor({ state: "detached" });
    });
  });

  describe("for a viewer", () => {
    const visit = share(() => scene, "viewer");

    it.each([
      { route: "#/agents/bookkeeper", action: chatWords.callerNeeded, needed: "caller", never: chatWords.send },
      { route: "#/discover?q=read", action: discoverWords.needs.search, needed: "caller", never: discoverWords.field },
      { route: "#/servers/payments", action: serverWords.needs.act, needed: "operator", never: serverWords.remove },
      {
        route: "#/tester/payments/tools/read_invoice",
        action: testerWords.needsCaller,
        needed: "caller",
        never: fill(testerWords.call, { name: "read_invoice" }),
      },
      {
        route: "#/policies/careful/try",
        action: policyWords.needs.propose,
        needed: "approver",
        never: policyWords.propose,
      },
      {
        route: "#/agents/bookkeeper/definition",
        action: tabWords.needs.change,
        needed: "admin",
        never: tabWords.cancel,
      },
    ])("$route, without the role: who one is, and which is missing", async ({ route, action, needed, never }) => {
      const page = await visit(route);
      await shown(page, fill(words.needsRole, { role: "viewer", action, needed })).waitFor();
      expect(await main(page).getByRole("button", { name: never, exact: true }).count()).toBe(0);
    });
  });

  it("what is needed is not told before it is known who one is", async () => {
    let fault: Awaited<ReturnType<typeof breakAnswers>> | undefined;
    const opened = await open({
      prepare: async (page) => (fault = await breakAnswers(page, "resource://caller", "held")),
    });
    await opened.go("#/agents/bookkeeper");
    await shown(opened.page, agentWords.definition).waitFor();
    expect(await opened.page.getByText(/You are/).count()).toBe(0);
    await fault?.end();
    expect(await isShown(opened.page.getByLabel(fill(chatWords.message, { agent: "bookkeeper" })))).toBe(true);
  });

  it("an agent that is deleted while somebody looks at it says when that was, and is missed nowhere else", async () => {
    await bare.write("hermit.yaml", hermit);
    const opened = await start({ route: "#/agents/hermit" }, bare, "admin");
    onTestFinished(async () => {
      await opened[Symbol.asyncDispose]();
      // A run starts its gateway anew where its agents are others.
      expect(opened.problems.filter((problem) => !problem.includes("ERR_CONNECTION_REFUSED"))).toEqual([]);
    });
    const { page } = opened;
    await page.getByRole("heading", { level: 1, name: "hermit" }).waitFor();
    await shown(page, agentWords.definition).waitFor();
    await bare.write("hermit.yaml", "# Nobody lives here any more.\n");
    const time = String.raw`\d\d:\d\d:\d\d`;
    await shown(page, new RegExp(fill(words.goneSince, { what: agentWords.agent, name: "hermit", time }))).waitFor();
    expect(await main(page).locator("h1").allTextContents()).toEqual(["hermit"]);
    await opened.go("#/agents");
    expect(await main(page).getByText("hermit").count()).toBe(0);
  });

  it("a card by its link is there, and a call of the log or a server of the tester that is gone says so", async () => {
    const opened = await open({ route: `#/approvals/${waiting?.call_id ?? ""}` });
    await shown(opened.page, "create_transfer").waitFor();
    await opened.go("#/calls?call=nothing");
    await opened.page.getByText(goneCall).waitFor();
    await opened.go("#/tester/nothing");
    expect(await isShown(shown(opened.page, fill(testerWords.serverGone, { server: "nothing" })))).toBe(true);
    await settled(opened.page);
    // What is not there is not asked.
    expect(opened.requests.filter((request) => request.url().includes("nothing"))).toEqual([]);
  });
});
