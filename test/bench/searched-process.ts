// A process of its own that searches: reads the catalogues of test/data/tool-search so many times as it is told, each time
// under other names, and says as one line of JSON how long it took to start, what it holds, and how fast it answers.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { readWordTable } from "../../lib/search/find-word-table.ts";
import { SearchIndex } from "../../lib/search/search-index.ts";
import type { SearchableServer, SearchableTool } from "../../lib/search/searchable.ts";
import { percentile } from "./report.ts";

const folder = join(import.meta.dirname, "../data/tool-search");
const catalogues = ["livemcp", "docker", "seal", "stb", "bfcl", "metatool"];
const copies = Number(process.argv[2] ?? 1);
const queriesIdle = 1_000;
const pauseMs = 3;
const nanosecondsPerMs = 1e6;

async function readLines(name: string) {
  const text = gunzipSync(await readFile(join(folder, `${name}.jsonl.gz`))).toString();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

interface Server {
  readonly server: SearchableServer;
  readonly tools: SearchableTool[];
}

async function readServers(): Promise<Server[]> {
  const servers = new Map<string, Server>();
  for (const catalogue of catalogues) {
    for (const line of await readLines(`tools-${catalogue}`)) {
      for (let copy = 0; copy < copies; copy += 1) {
        const ending = copy === 0 ? "" : ` ${copy}`;
        const name: string = line.server + ending;
        const empty: Server = { server: { name, description: line.server_description ?? "" }, tools: [] };
        const known = servers.get(name) ?? empty;
        const { description, params: parameters } = line;
        known.tools.push({ name: line.name + ending.replace(" ", "_"), description, parameters });
        servers.set(name, known);
      }
    }
  }
  return [...servers.values()];
}

function putAll(index: SearchIndex, servers: readonly Server[]) {
  return Promise.all(servers.map(({ server, tools }) => index.put(server, tools)));
}

const servers = await readServers();
const index = new SearchIndex({ words: await readWordTable() });
await putAll(index, servers);
const startMs = performance.now();
const rssBytes = process.memoryUsage.rss();

const queries: string[] = [...(await readLines("queries-stb")), ...(await readLines("queries-metatool"))].map(
  ({ query }) => query,
);
let asked = 0;
function searchOnce(): number {
  // Steps through them so that long and short ones come mixed.
  const query = queries[(asked * 997) % queries.length] ?? "";
  asked += 1;
  const begin = performance.now();
  index.search(query, { limit: 5 });
  return performance.now() - begin;
}

for (let at = 0; at < 100; at += 1) searchOnce();
const idle = Array.from({ length: queriesIdle }, searchOnce);

const delays = monitorEventLoopDelay({ resolution: 1 });
const rebuilding: number[] = [];
const rebuilt = putAll(index, servers).then(() => "rebuilt");
await sleep(pauseMs);
delays.enable();
do rebuilding.push(searchOnce());
while ((await Promise.race([rebuilt, sleep(pauseMs)])) === undefined);
delays.disable();

const figures = {
  tools: index.size,
  startMs,
  rssBytes,
  idleP50Ms: percentile(idle, 0.5),
  idleP95Ms: percentile(idle, 0.95),
  rebuildSearches: rebuilding.length,
  rebuildP50Ms: percentile(rebuilding, 0.5),
  rebuildP95Ms: percentile(rebuilding, 0.95),
  loopP99Ms: delays.percentile(99) / nanosecondsPerMs,
  rebuiltRssBytes: process.memoryUsage.rss(),
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
