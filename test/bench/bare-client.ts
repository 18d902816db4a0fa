// The least that can talk to an API server: one pool of connections, no retries, no cache, no checks of what comes back.
// It loads the benchmarks, watches what happens, and is what the operator is measured against.
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "undici";
import type { ApiAccess } from "../cluster/api-call.ts";

/** What the benchmarks read of any object. */
export interface ApiObject {
  readonly metadata: { readonly name: string; readonly uid: string; readonly generation?: number };
  readonly status?: { readonly observedGeneration?: number; readonly readyReplicas?: number };
  readonly data?: Readonly<Record<string, string>>;
}

export interface BareClient extends AsyncDisposable {
  /** Server-side apply with force; `body` is JSON. */
  apply(path: string, body: string): Promise<ApiObject>;
  /** A JSON merge patch. */
  patch(path: string, body: string): Promise<ApiObject>;
  getText(path: string, accept: string): Promise<string>;
  /** Calls back for every object that is there, appears or changes. Resolves once the server has accepted the watch. */
  watch(collection: string, onObject: (object: ApiObject) => void): Promise<Watch>;
}

export interface Watch extends AsyncDisposable {
  /** Never resolves; rejects when the watch fails before it is disposed of. */
  readonly broken: Promise<never>;
}

const callTimeoutMs = 60_000;
const connections = 32;
const maxWatchEnds = 100;
const reopenMs = 250;

export async function createBareClient(access: Pick<ApiAccess, "url" | "caPath" | "token">): Promise<BareClient> {
  const pool = new Pool(access.url, {
    connections,
    allowH2: false,
    bodyTimeout: 0,
    connect: { ca: await readFile(access.caPath) },
  });
  const authorization = `Bearer ${access.token}`;
  const send = async (method: "GET" | "PATCH", path: string, headers: Record<string, string>, body?: string) => {
    const answer = await pool.request({
      method,
      path,
      headers: { authorization, ...headers },
      body: body ?? null,
      signal: AbortSignal.timeout(callTimeoutMs),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) {
      throw new Error(`${method} ${path}: expected 2xx, found ${answer.statusCode}: ${text}`);
    }
    return text;
  };
  const patch = async (path: string, body: string, type: string): Promise<ApiObject> =>
    JSON.parse(await send("PATCH", path, { "content-type": type, accept: "application/json" }, body));

  return {
    apply: (path, body) =>
      patch(`${path}?fieldManager=pallas-operator&force=true`, body, "application/apply-patch+yaml"),
    patch: (path, body) => patch(path, body, "application/merge-patch+json"),
    getText: (path, accept) => send("GET", path, { accept }),
    async watch(collection, onObject) {
      const stop = new AbortController();
      const open = async () => {
        const answer = await pool.request({
          method: "GET",
          path: `${collection}?watch=1&resourceVersion=0`,
          headers: { authorization, accept: "application/json" },
          signal: stop.signal,
        });
        if (answer.statusCode === 200) return answer.body;
        throw new Error(`watch ${collection}: expected 200, found ${answer.statusCode}: ${await answer.body.text()}`);
      };
      const read = async (first: Awaited<ReturnType<typeof open>>): Promise<never> => {
        let body = first;
        // A server that is short of time ends watches which it cannot serve fast enough; the next one starts with all objects.
        for (let ends = 0; ends < maxWatchEnds; ends += 1) {
          for await (const line of createInterface({ input: body })) {
            const event: { type: string; object: ApiObject } = JSON.parse(line);
            if (event.type === "ADDED" || event.type === "MODIFIED") {
              onObject(event.object);
            } else if (event.type !== "ERROR") {
              throw new Error(`watch ${collection}: expected no ${event.type}, found one`);
            }
          }
          await delay(reopenMs);
          body = await open();
        }
        throw new Error(`watch ${collection}: the server ended it ${maxWatchEnds} times`);
      };
      const broken = read(await open()).catch((error: unknown) => {
        if (!stop.signal.aborted) throw error;
        return new Promise<never>(() => undefined);
      });
      broken.catch(() => undefined); // who waits for something is told; nobody may be waiting now
      return {
        broken,
        async [Symbol.asyncDispose]() {
          stop.abort();
          await delay(0);
        },
      };
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}
