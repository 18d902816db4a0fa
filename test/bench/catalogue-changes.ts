// How long a change takes from the API server's event, as a watch of our own hears it, to the bytes that the registry
// serves. Edits come at fixed times, and now and then many at once.
import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "undici";
import { cataloguePath } from "../../crds/catalogue.ts";
import type { BareClient } from "./bare-client.ts";
import { agentName, agentPath, agentsPath } from "./fleet.ts";

const editsASecond = 10;
const burstEverySeconds = 5;
const editsABurst = 50;
const lateTimeoutMs = 60_000;
const lookMs = 1;
const editPattern = /Edit \d+\./g;

interface Edit {
  readonly text: string;
  readonly inBurst: boolean;
  generation?: number;
  eventAt?: number;
  servedAt?: number;
}

export interface Delays {
  /** Milliseconds, of edits that came alone. */
  readonly alone: readonly number[];
  readonly inBursts: readonly number[];
}

export interface ChangeOptions {
  readonly namespace: string;
  readonly agents: number;
  readonly registryUrl: string;
  readonly seconds: number;
}

export async function measureChanges(client: BareClient, options: ChangeOptions): Promise<Delays> {
  const { namespace, agents, registryUrl, seconds } = options;
  const plan = Array.from({ length: seconds * editsASecond }, (_, at) => at).flatMap((at) => {
    const atMs = (at * 1_000) / editsASecond;
    const isBurst = at % (burstEverySeconds * editsASecond) === burstEverySeconds * (editsASecond / 2);
    return Array.from({ length: isBurst ? editsABurst : 1 }, () => ({ atMs, inBurst: isBurst }));
  });
  if (plan.length > agents) throw new Error(`expected an agent for each of ${plan.length} edits, found ${agents}`);
  const edits = plan.map(({ inBurst }, at): Edit => ({ text: `Edit ${at}.`, inBurst }));
  const named = new Map(edits.map((edit, at) => [agentName(at), edit]));
  const seen = new Map<string, { generation: number; at: number }>();
  /** The event may be seen before the answer to the edit, which tells the generation. */
  const noteEvent = (name: string): void => {
    const [edit, event] = [named.get(name), seen.get(name)];
    if (edit?.generation !== undefined && event && event.generation >= edit.generation) edit.eventAt ??= event.at;
  };
  await using events = await client.watch(agentsPath(namespace), ({ metadata: { name, generation = 0 } }) => {
    if (seen.get(name)?.generation === generation) return;
    seen.set(name, { generation, at: performance.now() });
    noteEvent(name);
  });
  const startedAt = performance.now();
  const sent = plan.map(async ({ atMs }, at) => {
    await delay(Math.max(0, startedAt + atMs - performance.now()));
    const edit = named.get(agentName(at));
    const body = JSON.stringify({ spec: { description: edit?.text } });
    const { metadata } = await client.patch(agentPath(namespace, agentName(at)), body);
    if (edit !== undefined && metadata.generation !== undefined) edit.generation = metadata.generation;
    noteEvent(agentName(at));
  });
  const deadlineAt = startedAt + seconds * 1_000 + lateTimeoutMs;
  await Promise.race([Promise.all([...sent, followCatalogue(registryUrl, edits, deadlineAt)]), events.broken]);
  const delaysOf = (inBurst: boolean) =>
    edits
      .filter((edit) => edit.inBurst === inBurst)
      .map(({ eventAt = Number.NaN, servedAt = Number.NaN }) => Math.max(0, servedAt - eventAt));
  return { alone: delaysOf(false), inBursts: delaysOf(true) };
}

/** Asks all the time, as one client, and notes when each edit is there. */
async function followCatalogue(registryUrl: string, edits: readonly Edit[], deadlineAt: number): Promise<void> {
  const pool = new Pool(registryUrl, { connections: 1 });
  const missing = new Map(edits.map((edit) => [edit.text, edit]));
  let etag = '"none"';
  try {
    while (missing.size > 0) {
      if (performance.now() > deadlineAt) {
        throw new Error(`expected all edits in the catalogue, ${missing.size} are not`);
      }
      const answer = await pool.request({ method: "GET", path: cataloguePath, headers: { "if-none-match": etag } });
      const text = await answer.body.text();
      if (answer.statusCode === 200) {
        const at = performance.now();
        etag = String(answer.headers["etag"]);
        // One pass: to look for each edit in half a megabyte would take as long as what is measured.
        for (const [found] of text.matchAll(editPattern)) {
          const edit = missing.get(found);
          if (edit !== undefined) edit.servedAt = at;
          missing.delete(found);
        }
      }
      await delay(lookMs);
    }
  } finally {
    await pool.destroy();
  }
}
