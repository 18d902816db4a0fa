// What a page of the dashboard says of its own pace, told from inside of it: when its rows were first painted, when a text was, how
// long its frames took. Times are those after the frame, so that what is measured has been seen.
import type { Browser, CDPSession, Page } from "playwright-core";
import { percentile } from "./report.ts";

export interface BenchPage extends AsyncDisposable {
  readonly page: Page;
  readonly cdp: CDPSession;
  /** From the start of the navigation to the end of the first frame with rows of the list, in milliseconds. */
  readonly firstRowsMs: number;
  /** Of everything that came over the wire until then. */
  readonly receivedBytes: number;
}

export interface Frames {
  readonly perSecond: number;
  /** Of frames that took longer than one and a half of those of 60 a second. */
  readonly slowShare: number;
  readonly p95Ms: number;
  readonly longestMs: number;
  /** Tasks of more than 50 ms, and the longest of them. */
  readonly longTasks: number;
  readonly longestTaskMs: number;
}

/** Of a frame. */
const slowMs = (1_000 / 60) * 1.5;

/** Runs before anything of the page. Rows are those of the first list; texts are what agents are for. */
const watching = `
  const afterFrame = (then) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => then();
    port2.postMessage(0);
  });
  globalThis.pace = { firstRowsMs: undefined, painted: {} };
  const noted = new Set();
  new MutationObserver(() => {
    const texts = [...document.querySelectorAll(".agents-for")].map((each) => each.textContent).filter((text) => !noted.has(text));
    if (texts.length === 0) return;
    for (const text of texts) noted.add(text);
    afterFrame(() => {
      pace.firstRowsMs ??= performance.now();
      for (const text of texts) pace.painted[text] = Date.now();
    });
  }).observe(document, { subtree: true, childList: true, characterData: true });
  pace.frames = (ms) => new Promise((resolve) => {
    const deltas = [];
    const tasks = [];
    const observer = new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => tasks.push(duration)));
    observer.observe({ type: "longtask" });
    const startMs = performance.now();
    let beforeMs;
    const frame = (nowMs) => {
      if (beforeMs !== undefined) deltas.push(nowMs - beforeMs);
      beforeMs = nowMs;
      if (performance.now() - startMs < ms) return requestAnimationFrame(frame);
      observer.disconnect();
      resolve({ deltas, tasks });
    };
    requestAnimationFrame(frame);
  });
`;

/** A page of a browser that knows nothing yet; resolves when it shows rows, of which there are `agents`. */
export async function openBenchPage(browser: Browser, url: string, token: string, agents: number): Promise<BenchPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  let receivedBytes = 0;
  await cdp.send("Network.enable");
  cdp.on("Network.loadingFinished", ({ encodedDataLength }) => (receivedBytes += encodedDataLength));
  await page.addInitScript(watching);
  await page.goto(`${url}/ui/#token=${token}`);
  const firstRows = await page.waitForFunction(() => Object(globalThis).pace.firstRowsMs);
  await page.locator(`[role="table"][aria-rowcount="${agents + 1}"]`).waitFor();
  const firstRowsMs = Number(await firstRows.jsonValue());
  return { page, cdp, firstRowsMs, receivedBytes, [Symbol.asyncDispose]: () => context.close() };
}

/** When each text was painted, by the machine's clock. */
export async function readPainted(page: Page): Promise<ReadonlyMap<string, number>> {
  const painted: Record<string, number> = await page.evaluate("pace.painted");
  return new Map(Object.entries(painted));
}

export async function measureFrames(page: Page, ms: number): Promise<Frames> {
  const { deltas, tasks }: { deltas: number[]; tasks: number[] } = await page.evaluate(`pace.frames(${ms})`);
  const wholeMs = deltas.reduce((sum, each) => sum + each, 0);
  return {
    perSecond: (deltas.length * 1_000) / wholeMs,
    slowShare: deltas.filter((each) => each > slowMs).length / deltas.length,
    p95Ms: percentile(deltas, 0.95),
    longestMs: Math.max(...deltas),
    longTasks: tasks.length,
    longestTaskMs: Math.max(0, ...tasks),
  };
}
