// The dashboard in a browser, on the built gateway: how soon a page that knows nothing shows a thousand agents, how soon a change of
// the API server is painted, and how evenly frames come while fifty agents change and answers are written. Without a
// graphics card, and on a machine that the browser shares with the servers: a page at rest is measured beside it in the same run.
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { startBrowser } from "../dashboard/browser.ts";
import { startBenchServer, type BenchServer } from "./bench-server.ts";
import { benchEnvironment } from "./environment.ts";
import { agentNames, agentPath, agentsPath, agentWrite, statusWrite } from "./fleet.ts";
import { createTokens, startGatewayUnderTest } from "./gateway-under-test.ts";
import { measureFrames, openBenchPage, readPainted, type Frames } from "./page-watch.ts";
import { percentile, printReport, reportProgress, type Figure } from "./report.ts";
import { startStreamingAgents } from "./streaming-agents.ts";

const { BENCH_CATALOGUE_AGENTS: agents } = benchEnvironment;
const namespace = "fleet";
const names = agentNames(agents);
const lanes = 8;
const loads = 10;
const timedChanges = 40;
const changeEveryMs = 250;
const changingAgents = 50;
/** Of all fifty together, each once. */
const changesASecond = 50;
const framesMs = 8_000;
const quietMs = 2_000;
const streams = 3;
const pieceMs = 20;

async function createAgents({ client, createFleet }: BenchServer): Promise<void> {
  await createFleet(namespace);
  const waiting = [...names];
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const { path, body } = agentWrite(namespace, name);
      await client.apply(path, body);
      const status = statusWrite(namespace, name);
      await client.apply(status.path, status.body.replaceAll('"status":"False"', '"status":"True"'));
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
}

interface Place {
  readonly browser: Browser;
  readonly url: string;
  readonly token: string;
}

async function measureLoads({ browser, url, token }: Place) {
  const found: { firstRowsMs: number; receivedBytes: number }[] = [];
  for (let at = 0; at < loads; at += 1) {
    await using opened = await openBenchPage(browser, url, token, agents);
    found.push({ firstRowsMs: opened.firstRowsMs, receivedBytes: opened.receivedBytes });
    await delay(200);
  }
  return found;
}

/** Milliseconds from the event, as a watch of the benchmark hears it, to the end of the frame with the text; NaN where none came. */
async function measureChanges({ client }: BenchServer, page: Page): Promise<number[]> {
  const eventAt = new Map<string, number>();
  const patched = new Map<string, { text: string; generation: number }>();
  const seen = new Map<string, number>();
  await using watch = await client.watch(agentsPath(namespace), ({ metadata: { name, generation = 0 } }) => {
    if (seen.get(name) !== generation) eventAt.set(`${name} ${generation}`, Date.now());
    seen.set(name, generation);
  });
  watch.broken.catch(() => undefined);
  for (let at = 0; at < timedChanges; at += 1) {
    const [name = "", text] = [names[at % 10], `Change ${at}.`];
    const { metadata } = await client.patch(
      agentPath(namespace, name),
      JSON.stringify({ spec: { description: text } }),
    );
    patched.set(`${name} ${metadata.generation}`, { text, generation: metadata.generation ?? 0 });
    await delay(changeEveryMs);
  }
  await delay(quietMs);
  const painted = await readPainted(page);
  return [...patched].map(([key, { text }]) => Math.max(0, (painted.get(text) ?? NaN) - (eventAt.get(key) ?? NaN)));
}

interface BusyFrames extends Frames {
  /** That the API server took meanwhile. */
  readonly changes: number;
  /** Of them; an agent that is not on screen is not painted, nor one that changed again before the next frame. */
  readonly painted: number;
}

/** Frames while agents change at fixed times. */
async function measureBusyList({ client }: BenchServer, page: Page): Promise<BusyFrames> {
  const measured = measureFrames(page, framesMs);
  const startMs = performance.now();
  let changes = 0;
  const sent: Promise<unknown>[] = [];
  while (performance.now() - startMs < framesMs) {
    await delay(Math.max(0, startMs + (changes * 1_000) / changesASecond - performance.now()));
    const name = names[changes % changingAgents] ?? "";
    sent.push(client.patch(agentPath(namespace, name), JSON.stringify({ spec: { description: `Busy ${changes}.` } })));
    changes += 1;
  }
  await Promise.all(sent);
  const frames = await measured;
  const painted = [...(await readPainted(page)).keys()].filter((text) => text.startsWith("Busy")).length;
  return { ...frames, changes, painted };
}

async function measureStreams(browser: Browser, dir: string): Promise<{ idle: Frames; busy: Frames; letters: number }> {
  const pieces = ((framesMs + 12_000) * 1.2) / pieceMs;
  const options = { dir, names: agentNames(changingAgents), pieces, pieceMs };
  await using streaming = await startStreamingAgents(options);
  await using opened = await openBenchPage(browser, streaming.url, streaming.token, changingAgents);
  const { page } = opened;
  const ask = async (name: string) => {
    await page.evaluate(`void (location.hash = "#/agents/${name}")`);
    await page.getByRole("heading", { level: 1, name }).waitFor();
  };
  await ask(streaming.names[0] ?? "");
  await delay(quietMs);
  const idle = await measureFrames(page, framesMs / 2);
  for (const name of streaming.names.slice(0, streams)) {
    await ask(name);
    await page.locator("textarea").fill("Tell me all of it");
    await page.keyboard.press("Enter");
    await page.getByRole("log").getByText("Part 1").waitFor();
  }
  const letters = async () => (await page.getByRole("log").innerText()).length;
  const before = await letters();
  const busy = await measureFrames(page, framesMs);
  return { idle, busy, letters: (await letters()) - before };
}

/** What a page loads before it shows anything, compressed by gzip. */
async function readStartBytes(): Promise<number> {
  const folder = join(import.meta.dirname, "../../dist/dashboard");
  const html = await readFile(join(folder, "index.html"), "utf8");
  const paths = [...html.matchAll(/ (?:src|href)="(assets\/[^"]+\.(?:js|css))"/g)].map(([, path = ""]) => path);
  const sizes = await Promise.all(paths.map(async (path) => (await stat(join(folder, `${path}.gz`))).size));
  return sizes.reduce((sum, each) => sum + each, 0);
}

async function measure(dir: string, browser: Browser) {
  const streamed = await measureStreams(browser, join(dir, "streams"));
  await using server = await startBenchServer();
  reportProgress(`${agents} agents`);
  await createAgents(server);
  const [token = ""] = createTokens(1);
  const env = { KUBECONFIG: server.access.kubeconfigPath };
  await using gateway = await startGatewayUnderTest({ dir, instance: "fleet", namespace, tokens: [token], env });
  const place = { browser, url: gateway.url, token };
  reportProgress(`${loads} loads`);
  const loaded = await measureLoads(place);
  await using opened = await openBenchPage(browser, gateway.url, token, agents);
  const { page } = opened;
  await delay(quietMs);
  reportProgress(`${timedChanges} changes`);
  const delays = await measureChanges(server, page);
  const idle = await measureFrames(page, framesMs / 2);
  reportProgress(`${changingAgents} agents change`);
  const busy = await measureBusyList(server, page);
  return { loaded, delays, idle, busy, streamed };
}

function frameFigures(key: string, label: string, { idle, busy }: { idle: Frames; busy: Frames }): Figure[] {
  return [
    { key: `${key}IdleFps`, label: `${label}: frames a second, at rest`, value: idle.perSecond },
    { key: `${key}Fps`, label: "  meanwhile", value: busy.perSecond, atLeast: 58 },
    { key: `${key}IdleSlow`, label: "  frames longer than 25 ms, at rest", value: idle.slowShare * 100, unit: " %" },
    { key: `${key}Slow`, label: "  meanwhile", value: busy.slowShare * 100, unit: " %" },
    { key: `${key}FrameP95Ms`, label: "  a frame, p95", value: busy.p95Ms, unit: " ms" },
    { key: `${key}LongestMs`, label: "  the longest", value: busy.longestMs, unit: " ms" },
    { key: `${key}LongTasks`, label: "  tasks longer than 50 ms", value: busy.longTasks },
    { key: `${key}LongestTaskMs`, label: "  the longest task of these", value: busy.longestTaskMs, unit: " ms" },
  ];
}

const dir = await mkdtemp(join(tmpdir(), "pallas-bench-"));
const browser = await startBrowser();
try {
  const { loaded, delays, idle, busy, streamed } = await measure(dir, browser);
  const first = loaded.map(({ firstRowsMs }) => firstRowsMs);
  const painted = delays.filter((each) => !Number.isNaN(each));
  printReport({
    name: "dashboard",
    ratio: idle.perSecond / busy.perSecond,
    goal: 1.05,
    agents,
    figures: [
      { key: "firstP50Ms", label: "first rows of the list painted, p50", value: percentile(first, 0.5), unit: " ms" },
      { key: "firstP95Ms", label: "  p95", value: percentile(first, 0.95), unit: " ms", atMost: 1_000 },
      {
        key: "startKb",
        label: "  what it loads first, gzip",
        value: (await readStartBytes()) / 1_000,
        unit: " kB",
        atMost: 150,
      },
      {
        key: "receivedKb",
        label: "  received with the list",
        value:
          percentile(
            loaded.map((each) => each.receivedBytes),
            0.5,
          ) / 1_000,
        unit: " kB",
      },
      { key: "changeP50Ms", label: "event → painted, p50", value: percentile(painted, 0.5), unit: " ms" },
      { key: "changeP95Ms", label: "  p95", value: percentile(painted, 0.95), unit: " ms", atMost: 300 },
      { key: "changeLongestMs", label: "  the longest", value: percentile(painted, 1), unit: " ms" },
      {
        key: "unpainted",
        label: "  changes that were never painted",
        value: delays.length - painted.length,
        atMost: 0,
      },
      ...frameFigures("list", `${changingAgents} of ${agents} agents change`, { idle, busy }),
      { key: "changesASecond", label: "  changes a second", value: (busy.changes * 1_000) / framesMs },
      {
        key: "paintedASecond",
        label: "  of these painted, of those on screen",
        value: (busy.painted * 1_000) / framesMs,
        atLeast: 1,
      },
      ...frameFigures("chat", `${streams} answers are written`, streamed),
      { key: "letters", label: "  letters that came in the one on screen", value: streamed.letters, atLeast: 1 },
    ],
    notes: ["The ratio is that of frames a second in the list: at rest ÷ while agents change."],
  });
} finally {
  await browser.close();
  await rm(dir, { recursive: true, force: true });
}
