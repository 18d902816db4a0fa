// The approvals in a host of MCP Apps that a test looks at, with everything written down that they must never do.
import type { McpUiHostCapabilities, McpUiHostContext } from "@modelcontextprotocol/ext-apps/app-bridge";
import type { Browser, BrowserContextOptions, Frame, Page } from "playwright-core";
import { vi } from "vitest";
import { axe } from "../axe.ts";
import type { Scene, SceneRole } from "../scene.ts";
import { watch } from "../watched-page.ts";
import { serveAppHost } from "./serve.ts";

/** What browsers say of a sandbox with the permissions that it has by SEP-1865. */
const sandboxWarning = "both allow-scripts and allow-same-origin";

export interface OpenAppOptions {
  role?: SceneRole;
  width?: number;
  height?: number;
  capabilities?: McpUiHostCapabilities;
  hostContext?: McpUiHostContext;
  context?: BrowserContextOptions;
  /** What the test causes on purpose. */
  expected?: RegExp;
}

export interface OpenedApp extends AsyncDisposable {
  /** Of the host. */
  readonly page: Page;
  /** The app. */
  readonly app: Frame;
  readonly problems: string[];
  /** What the app itself asked the network for. */
  readonly asked: string[];
  /** The tools that the host called for it. */
  readonly called: string[];
  /** Of the host: what only an app that breaks out asks for. */
  readonly reached: string[];
  readonly url: string;
  /** Tells the app of changes around it. */
  tell(context: McpUiHostContext): Promise<void>;
}

export async function openApp(browser: Browser, scene: Scene, options: OpenAppOptions = {}): Promise<OpenedApp> {
  const {
    role = "admin",
    width = 768,
    height = 900,
    capabilities = { serverTools: {} },
    hostContext = {},
    expected,
  } = options;
  const { origin, tokens } = scene;
  const host = await serveAppHost({ origin, token: tokens[role], capabilities, context: hostContext });
  const context = await browser.newContext({ viewport: { width, height }, ...options.context });
  const stop = async () => {
    await context.close();
    await host[Symbol.asyncDispose]();
  };
  try {
    const page = await context.newPage();
    const asked: string[] = [];
    const findApp = () => page.frames().find((frame) => frame.parentFrame()?.parentFrame() === page.mainFrame());
    page.on("request", (request) => {
      if (request.frame() === findApp()) asked.push(request.url());
    });
    const problems = await watch(
      page,
      new RegExp([sandboxWarning, ...(expected === undefined ? [] : [expected.source])].join("|")),
    );
    await page.addInitScript(axe);
    await page.goto(host.url);
    await vi.waitUntil(() => findApp() !== undefined, { timeout: 10_000 });
    const app = findApp();
    if (app === undefined) throw new Error("expected an app in the host, found none");
    await app.locator("main h1").first().waitFor();
    const tell = (changed: McpUiHostContext) =>
      page.evaluate(
        async (told: string) => await globalThis.appHost.bridge.sendHostContextChange(JSON.parse(told)),
        JSON.stringify(changed),
      );
    return { ...host, ...{ page, app, problems, asked, tell, [Symbol.asyncDispose]: stop } };
  } catch (error) {
    await stop();
    throw error;
  }
}
