// The status page in a real browser: without script, by keyboard, in light and dark, on a narrow screen, and as a screen reader
// is told it. Its pictures are kept in test/.artefacts.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../tools/needs.ts";
import { startChromium, type Page } from "./chromium.ts";
import { localAgent, startRegistryProcess, type RegistryProcess } from "./registry-process.ts";

const artefacts = join(import.meta.dirname, "../.artefacts");
const since = "2026-11-21T09:00:00Z";
const condition = (status: string, message: string) => ({
  type: "ModelHealthy",
  status,
  reason: "Asked",
  message,
  lastTransitionTime: since,
  observedGeneration: 1,
});
const agents = [
  localAgent(
    "tech-research",
    { title: "Tech Research", model: "anthropic.claude-sonnet" },
    { health: "ok", readyReplicas: 1, conditions: [condition("True", "")] },
  ),
  localAgent("coder", {}, { health: "degraded", readyReplicas: 1, conditions: [condition("False", "openai is slow")] }),
  localAgent("archivist", { title: `<b>Archive</b> & "more"` }, { health: "error", readyReplicas: 0 }),
  localAgent("newcomer"),
];

describe("the status page in Chromium", needs("chromium"), () => {
  let registry: RegistryProcess;
  let browser: Awaited<ReturnType<typeof startChromium>>;
  let page: Page;

  beforeAll(async () => {
    registry = await startRegistryProcess(agents);
    browser = await startChromium();
    page = browser.page;
    await page.send("Emulation.setScriptExecutionDisabled", { value: true });
    await page.open(registry.url);
  });
  afterAll(async () => {
    await browser?.stop();
    await registry.stop();
  });

  it("loads nothing but itself, and breaks no rule of its policy", () => {
    const asked = page.events
      .filter(({ method }) => method === "Network.requestWillBeSent")
      .map(({ params }) => Object(params["request"]).url)
      .filter((url) => !String(url).startsWith("data:"));
    expect(asked).toEqual([`${registry.url}/`]);
    expect(
      page.events.filter(({ method }) => method === "Log.entryAdded").map(({ params }) => params["entry"]),
    ).toEqual([]);
  });

  it("tells a screen reader its headings, landmarks and tables", async () => {
    const { nodes } = await page.send("Accessibility.getFullAXTree");
    const named = (Array.isArray(nodes) ? nodes : [])
      .filter(({ ignored }) => ignored !== true)
      .map(({ role, name }): string => `${role?.value} ${name?.value ?? ""}`.trim());
    expect(named).toEqual(
      expect.arrayContaining([
        "heading Pallas registry",
        "heading Ouranos",
        "navigation Documents of this registry",
        "main",
        "columnheader Health",
        "rowheader Tech Research tech-research",
        `rowheader <b>Archive</b> & "more" archivist`,
      ]),
    );
    const count = (role: string) => named.filter((each) => each.startsWith(`${role} `)).length;
    expect([count("columnheader"), count("rowheader"), count("table")]).toEqual([7, agents.length, 1]);
  });

  it("is gone through by keyboard: first past the navigation, then every link, each with a visible focus", async () => {
    await page.press("Tab");
    const focused = (expression: string) =>
      page.evaluate(`(() => { const e = document.activeElement; return ${expression}; })()`);
    expect(await focused("e.className")).toBe("skip");
    expect(await focused("e.getBoundingClientRect().left >= 0")).toBe(true);
    const seen: unknown[] = [];
    for (let tab = 0; tab < 7; tab += 1) {
      await page.press("Tab");
      seen.push(await focused(`e.getAttribute("href") ?? e.getAttribute("role")`));
      expect(await focused("getComputedStyle(e).outlineStyle")).toBe("solid");
    }
    expect(seen).toEqual([
      ".well-known/mcp/server.json",
      "v0.1/servers",
      ".well-known/ai-catalog.json",
      "healthz",
      "metrics",
      "openapi.json",
      "region",
    ]);
    await page.evaluate(`document.querySelector(".skip").focus()`);
    await page.press("Enter");
    expect(await page.evaluate("location.hash")).toBe("#agents");
  });

  it.each([
    ["light", "rgb(255, 255, 255)"],
    ["dark", "rgb(13, 17, 23)"],
  ])("is %s where the reader wants it so", async (scheme, background) => {
    await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    await page.send("Emulation.setDeviceMetricsOverride", {
      width: 1280,
      height: 720,
      deviceScaleFactor: 1,
      mobile: false,
    });
    await page.open(registry.url);
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(background);
    const { data } = await page.send("Page.captureScreenshot", { format: "png" });
    const picture = Buffer.from(String(data), "base64");
    expect(picture.byteLength).toBeGreaterThan(10_000);
    await mkdir(artefacts, { recursive: true });
    await writeFile(join(artefacts, `status-page-${scheme}.png`), picture);
  });

  it("on a screen of 320 pixels only the table scrolls sideways", async () => {
    await page.send("Emulation.setDeviceMetricsOverride", {
      width: 320,
      height: 640,
      deviceScaleFactor: 1,
      mobile: false,
    });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
    expect(
      await page.evaluate(
        `(() => { const e = document.querySelector(".scroll"); return e.scrollWidth > e.clientWidth; })()`,
      ),
    ).toBe(true);
  });
});
