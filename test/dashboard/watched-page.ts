// A page of the dashboard that a test looks at, with everything that it must never do written down: errors of the console, breaches of
// its policy (which browsers report there), dialogs, script of others that ran, and what it asked of whom.
import type { Browser, BrowserContextOptions, Locator, Page, Request } from "playwright-core";

/** What a text of somebody else calls when it is run. */
export const executionMark = "__xss";

export interface WatchedPage extends AsyncDisposable {
  readonly page: Page;
  /** What went wrong so far, a sentence each. */
  readonly problems: string[];
  readonly requests: Request[];
  /** To another view, without loading the page anew. */
  go(route: string): Promise<void>;
}

export interface WatchedPageOptions {
  /** Of the gateway. */
  origin: string;
  /** Absent: nobody is signed in. */
  token?: string;
  /** Such as `#/servers`. */
  route?: string;
  context?: BrowserContextOptions;
  /** Runs before anything of the page. */
  script?: string;
  /** Has the page before it asks anything. */
  prepare?: (page: Page) => Promise<unknown>;
  /** What the test causes on purpose, such as a gateway that is gone. */
  expected?: RegExp;
}

/** What goes wrong from now on, in all its frames. To be called before there is a page. */
export async function watch(page: Page, expected?: RegExp): Promise<string[]> {
  const problems: string[] = [];
  const note = (problem: string) => {
    if (expected === undefined || !expected.test(problem)) problems.push(problem);
  };
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") note(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => note(`error: ${error.stack ?? error.message}`));
  page.on("dialog", (dialog) => {
    const shown = `dialog: ${dialog.type()} ${dialog.message()}`;
    // Who expects it answers it.
    if (expected?.test(shown) === true) return;
    note(shown);
    void dialog.dismiss();
  });
  await page.addInitScript(`
    globalThis.${executionMark} = () => console.error("a text of somebody else was run");
    addEventListener("securitypolicyviolation", (event) => console.error("policy: " + event.violatedDirective));
  `);
  return problems;
}

export async function openPage(browser: Browser, options: WatchedPageOptions): Promise<WatchedPage> {
  const { origin, token, route, script, prepare, expected } = options;
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options.context });
  const page = await context.newPage();
  const requests: Request[] = [];
  const problems = await watch(page, expected);
  page.on("request", (request) => {
    requests.push(request);
    if (!request.url().startsWith("http") || new URL(request.url()).origin === origin) return;
    const problem = `asked ${request.url()}`;
    if (expected === undefined || !expected.test(problem)) problems.push(problem);
  });
  if (script !== undefined) await page.addInitScript(script);
  await prepare?.(page);
  await page.goto(`${origin}/ui/${token === undefined ? (route ?? "") : `#token=${token}`}`);
  await page.locator("h1").first().waitFor();
  const go = async (wanted: string) => {
    await page.evaluate((hash) => void (window.location.hash = hash), wanted);
    await page.locator("h1").first().waitFor();
  };
  if (token !== undefined && route !== undefined) await go(route);
  return { page, problems, requests, go, [Symbol.asyncDispose]: () => context.close() };
}

/** Resolves with true once it is on the screen. Rejects when that takes too long. */
export async function isShown(what: Locator): Promise<boolean> {
  await what.first().waitFor();
  return true;
}
