// Calls of an agent through a gateway, several at a time, by clients of both eras that try a call again when it fails; and
// somebody who reads the catalogue all the while.
import { setTimeout as delay } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const retryMs = 250;
const readTimeoutMs = 15_000;
/** A call of the 2025 era whose stream is cut is resumed; by default its client tries that for two seconds, then waits for nothing. */
const reconnectionOptions = {
  initialReconnectionDelay: retryMs,
  maxReconnectionDelay: 1_000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 30,
};
const eras = ["legacy", { pin: "2026-07-28" }] as const;

/** One try of a call. Times are those of `performance.now()`. */
export interface Attempt {
  readonly call: number;
  readonly era: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** What its client threw; undefined: it was answered as it should be. */
  readonly failure?: string;
}

export interface ProxiedLoad {
  /** Every try so far, of calls that have ended and of those that have not. */
  readonly attempts: readonly Attempt[];
  /** Calls that wait for an answer now. */
  inFlight(): number;
  /** Resolves when every call has its answer. */
  readonly done: Promise<void>;
}

interface LoadOptions {
  readonly url: string;
  readonly token: string;
  readonly calls: number;
  readonly callers: number;
  /** Of one try: past it, it hangs. */
  readonly timeoutMs: number;
}

const describe = (error: unknown): string => {
  const cause = error instanceof Error && error.cause !== undefined ? `: ${describe(error.cause)}` : "";
  const code = Object(error).code === undefined ? "" : ` (${Object(error).code})`;
  return `${error instanceof Error ? error.message : String(error)}${code}${cause}`;
};

/** Calls are numbered in the order in which they begin; the agent's model is to give back what it is sent. */
export function startProxiedLoad({ url, token, calls, callers, timeoutMs }: LoadOptions): ProxiedLoad {
  const attempts: Attempt[] = [];
  let begun = 0;
  let inFlight = 0;
  const connect = async (mode: (typeof eras)[number]): Promise<Client> => {
    const client = new Client({ name: "load", version: "1.0.0" }, { versionNegotiation: { mode } });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit, reconnectionOptions }));
    return client;
  };
  const send = async (client: Client, message: string): Promise<void> => {
    const params = { name: "send_message", arguments: { message } };
    const { content, isError } = await client.callTool(params, { timeout: timeoutMs });
    const said = JSON.stringify(content);
    if (isError === true || !said.includes(message)) throw new Error(`expected "${message}" back, found ${said}`);
  };
  const work = async (at: number): Promise<void> => {
    const mode = eras[at % eras.length] ?? "legacy";
    let client: Client | undefined;
    while (begun < calls) {
      const call = ++begun;
      for (;;) {
        const startedAt = performance.now();
        const note = (more: Partial<Attempt>) =>
          void attempts.push({ call, era: JSON.stringify(mode), startedAt, endedAt: performance.now(), ...more });
        inFlight += 1;
        try {
          client ??= await connect(mode);
          await send(client, `call ${call}.`);
          note({});
          break;
        } catch (error) {
          note({ failure: describe(error) });
          await client?.close().catch(() => undefined);
          client = undefined;
          await delay(retryMs);
        } finally {
          inFlight -= 1;
        }
      }
    }
    await client?.close();
  };
  const workers = Array.from({ length: callers }, (_, at) => work(at));
  return {
    attempts,
    inFlight: () => inFlight,
    done: Promise.all(workers).then(() => undefined),
  };
}

export interface CatalogueReader {
  /** How often it was read, and what was wrong with it: nothing, with a catalogue that never notices. */
  stop(): Promise<{ reads: number; failures: string[] }>;
}

/** Reads the catalogue at `url` every quarter of a second; it is to name `agent`. */
export function startCatalogueReader(url: string, agent: string): CatalogueReader {
  const stopping = new AbortController();
  const failures: string[] = [];
  let reads = 0;
  const reading = (async () => {
    while (!stopping.signal.aborted) {
      try {
        const response = await fetch(url, { signal: AbortSignal.timeout(readTimeoutMs) });
        const text = await response.text();
        if (response.status !== 200 || !text.includes(`/${agent}"`)) failures.push(`${response.status} ${text}`);
      } catch (error) {
        failures.push(describe(error));
      }
      reads += 1;
      await delay(retryMs);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await reading;
      return { reads, failures };
    },
  };
}
