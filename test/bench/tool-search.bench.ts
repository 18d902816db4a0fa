// Finding a tool among ten and fifty thousand: how long a search takes, idle and while every tool is put anew, what that
// does to the event loop, and what a start costs. Needs nothing but Node.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { printReport, reportProgress, type Figure } from "./report.ts";
import { mebibyte } from "./process-usage.ts";

interface Found {
  tools: number;
  startMs: number;
  rssBytes: number;
  idleP50Ms: number;
  idleP95Ms: number;
  rebuildSearches: number;
  rebuildP50Ms: number;
  rebuildP95Ms: number;
  loopP99Ms: number;
  rebuiltRssBytes: number;
}

const run = promisify(execFile);
const maxP95Ms = { small: 5, large: 20 };
const maxLoopP99Ms = 20;
const largeCopies = 5;

async function measure(copies: number): Promise<Found> {
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, "searched-process.ts"), String(copies)]);
  return JSON.parse(stdout);
}

reportProgress("searching 10,000 tools");
const small = await measure(1);
reportProgress("searching 50,000 tools");
const large = await measure(largeCopies);

function figuresOf(size: "small" | "large", found: Found): Figure[] {
  const ms = { unit: " ms" };
  const label = (text: string) => `${found.tools} tools: ${text}`;
  const goal = { atMost: maxP95Ms[size] };
  return [
    { key: `${size}IdleP50Ms`, label: label("search, idle, p50"), value: found.idleP50Ms, ...ms },
    { key: `${size}IdleP95Ms`, label: label("search, idle, p95"), value: found.idleP95Ms, ...ms, ...goal },
    { key: `${size}RebuildP50Ms`, label: label("search while all is put anew, p50"), value: found.rebuildP50Ms, ...ms },
    {
      key: `${size}RebuildP95Ms`,
      label: label("search while all is put anew, p95"),
      value: found.rebuildP95Ms,
      ...ms,
      ...goal,
    },
    {
      key: `${size}LoopP99Ms`,
      label: label("event-loop delay meanwhile, p99"),
      value: found.loopP99Ms,
      ...ms,
      atMost: maxLoopP99Ms,
    },
    {
      key: `${size}StartMs`,
      label: label("start of the process until all are found"),
      value: found.startMs,
      ...ms,
      ...(size === "small" && { atMost: 2_000 }),
    },
    {
      key: `${size}RssMiB`,
      label: label("memory (RSS) then"),
      value: found.rssBytes / mebibyte,
      unit: " MiB",
      ...(size === "small" && { atMost: 250 }),
    },
    {
      key: `${size}RebuiltRssMiB`,
      label: label("and in the end"),
      value: found.rebuiltRssBytes / mebibyte,
      unit: " MiB",
    },
  ];
}

printReport({
  ...{ name: "tool-search", ratio: small.rebuildP95Ms / maxP95Ms.small, goal: 1, agents: 0 },
  figures: [...figuresOf("small", small), ...figuresOf("large", large)],
  notes: [
    `Queries of StableToolBench and MetaTool, ${small.rebuildSearches} and ${large.rebuildSearches} of them while all was put anew; five matches each.`,
    "The start reads packed JSON lines and the word table; the sources run as they are, with their types taken off at the start.",
  ],
});
