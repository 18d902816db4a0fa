// The dashboard as somebody opens it of a gateway in a cluster: through kubectl's port-forward, signed in by a token that kubectl makes.
// They see the agents, talk with one, and let a call through that its policy asks about.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agentsWords } from "../../dashboard/words/agents.ts";
import { approvalWords } from "../../dashboard/words/approvals.ts";
import { chatWords } from "../../dashboard/words/chat.ts";
import { fill } from "../../dashboard/words/fill.ts";
import { loginWords } from "../../dashboard/words/login.ts";
import { shellWords } from "../../dashboard/words/shell.ts";
import { verdictWords } from "../../dashboard/words/verdicts.ts";
import { startBrowser } from "../dashboard/browser.ts";
import { openPage } from "../dashboard/watched-page.ts";
import { agent, instance } from "../faults/space.ts";
import { createDecisions } from "../integration/asking/decisions.ts";
import { needs } from "../tools/needs.ts";
import { modelUrl, startModel, startToolbox, toolboxPort } from "./peers.ts";
import { openForward, type Forward } from "./port-forward.ts";
import { createSpace, type Space } from "./testbed.ts";

/** In which presses do nothing, since the bar has just changed. */
const quietMs = 700;
const dice = { count: 2, seed: 1 };

let space: Space;
let browser: Browser;
let forward: Forward;

const send = async (page: Page, message: string) => {
  await page.getByLabel(fill(chatWords.message, { agent: "clerk" })).fill(message);
  await page.getByRole("button", { name: chatWords.send }).click();
};
/** In what was said, not in what is written. */
const said = (page: Page, text: string) => page.getByRole("log").getByText(text);
const press = async (page: Page, name: string) => {
  await page.waitForTimeout(quietMs);
  await page.getByRole("button", { name, exact: true }).first().click();
};

describe("UI-1 the dashboard of a gateway in a cluster", needs("chromium"), () => {
  beforeAll(async () => {
    space = await createSpace("dashboard");
    await Promise.all([
      startToolbox(space),
      startModel(space, [
        {
          replies: [
            { text: "Good morning to you." },
            { toolCalls: [{ name: "toolbox__roll_dice", arguments: dice }] },
            { text: "They are rolled." },
          ],
          repeat: true,
        },
      ]),
      space.kubectl("create", "serviceaccount", "on-call"),
    ]);
    await space.apply(
      instance("team", {
        defaultModel: "mock.scripted",
        providers: [{ name: "mock", kind: "openai-compatible", baseUrl: modelUrl(space) }],
        servers: [{ name: "toolbox", url: `http://toolbox.${space.name}.svc:${toolboxPort}/mcp` }],
        gateway: { access: [{ role: "approver", serviceAccount: { name: "on-call" } }] },
      }),
      {
        apiVersion: "pallas.helu.ca/v1alpha1",
        kind: "PallasPolicy",
        metadata: { name: "careful" },
        spec: {
          instanceRef: { name: "team" },
          rules: [{ name: "dice", match: { tools: ["roll_dice"] }, action: "ask", reason: "a person looks at games" }],
          default: "allow",
        },
      },
      agent("clerk", { servers: [{ name: "toolbox" }], policyRef: { name: "careful" } }),
    );
    await Promise.all([space.agentsReady(["clerk"]), space.instanceReady("team")]);
    [forward, browser] = await Promise.all([openForward(space, "service/team-gateway", 24_300), startBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await forward?.[Symbol.asyncDispose]();
    await space?.[Symbol.asyncDispose]();
  });

  it("lets somebody in by a token of kubectl, who sees, talks and decides", { timeout: 90_000 }, async () => {
    // Of an earlier attempt: what was approved once is asked about in another way.
    await space.kubectl("delete", "pallasapprovals", "--all");
    const audience = `--audience=pallas:${space.name}/team`;
    const token = (await space.kubectl("create", "token", "on-call", audience, "--duration=1h")).trim();
    await using opened = await openPage(browser, { origin: forward.url });
    const { page, problems } = opened;

    await page.getByRole("heading", { level: 1, name: fill(loginWords.title, { instance: "team" }) }).waitFor();
    await page.getByLabel(loginWords.token, { exact: true }).fill(token);
    await page.getByRole("button", { name: loginWords.signIn, exact: true }).click();
    const agents = page.getByRole("table", { name: agentsWords.table });
    await agents.getByRole("row", { name: /clerk/ }).getByText(agentsWords.facet.ready).first().waitFor();

    await agents.getByRole("link", { name: "clerk" }).click();
    await send(page, "Good morning");
    await said(page, "Good morning to you.").waitFor();
    await send(page, "Please roll the dice");
    await said(page, "toolbox / roll_dice").first().waitFor();

    await page.getByRole("link", { name: shellWords.approvals }).first().click();
    await page.getByRole("heading", { level: 1, name: /toolbox \/ roll_dice/ }).waitFor();
    await page.getByText("a person looks at games").first().waitFor();
    await press(page, approvalWords.approveStep);
    await press(page, approvalWords.approveOne);
    const bar = page.getByLabel(approvalWords.bar).first();
    const told = new RegExp(`${verdictWords.you} approved this call at .*${verdictWords.made}`, "s");
    await expect.poll(() => bar.innerText()).toMatch(told);

    await page.getByRole("link", { name: shellWords.agents }).first().click();
    await agents.getByRole("link", { name: "clerk" }).click();
    await page
      .getByRole("link", { name: /Good morning/ })
      .first()
      .click();
    await said(page, "They are rolled.").waitFor();
    const by = `system:serviceaccount:${space.name}:on-call`;
    const [approval, ...others] = await createDecisions(space).list();
    expect(others).toEqual([]);
    expect(approval?.spec).toMatchObject({ caller: by, tool: "roll_dice", decision: { verdict: "approve", by } });
    expect(approval?.status?.usedBy).toMatch(/^[0-9a-f-]{36}$/);
    expect(problems).toEqual([]);
  });
});
