// The model mock: OpenAI's chat completions and responses, Anthropic's messages, Gemini's generateContent, Bedrock's
// Converse, and the lists of models of the first two. It answers by script, on loopback and by a fetch inside the process, and remembers what it was asked. It understands no
// prompt and no key, but refuses what the vendor of the API refuses (see vendors/).
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { createReplyPicker, type Script } from "./conversations.ts";
import { createJournal, type Journal, type JournalEntry } from "./journal.ts";
import { createFetchLine, createSocketLine } from "./lines.ts";
import { renderModelList } from "./model-lists.ts";
import { playRefusal, playReply, sendBody, type Line, type Wait } from "./play-reply.ts";
import type { ScriptedReply } from "./script.ts";
import { checkChoice, judge, type Refusal, type VendorChoice } from "./vendors/judge.ts";
import { protocolOf } from "./wire.ts";

export interface ModelMockOptions {
  /** What the lists know: facts by name, such as Anthropic's `max_input_tokens`. */
  models?: Record<string, object>;
  /** Replaces the answer of the lists. */
  lists?: ScriptedReply;
  /** Whose rules a request must keep to; by the API unless set. Settings add limits and switch rules off. */
  vendor?: VendorChoice;
  /** 0 = any free port. */
  port?: number;
  host?: string;
  /** Replaces time. */
  clock?: { now: () => number; wait: Wait };
}

export interface ModelMock {
  /** Scheme, host and port: base URL for Anthropic. */
  origin: string;
  /** origin + /v1: base URL for OpenAI and compatible ones. */
  openaiUrl: string;
  journal: Journal["entries"];
  /** The journal's model calls, oldest first; its lists of models. */
  readonly requests: JournalEntry[];
  readonly listRequests: JournalEntry[];
  /** The model calls that the vendor refused. */
  readonly refused: JournalEntry[];
  /** Answers like the server and writes the same journal, without a socket. */
  fetch: typeof fetch;
  /** Appends to a script that is a list. */
  push(...replies: ScriptedReply[]): void;
  /** Cuts what is open. */
  close(): Promise<void>;
}

/** A request as it was written down, and what the vendor has against it. */
interface Judged {
  entry: JournalEntry;
  refusal?: Refusal;
}

const realClock: NonNullable<ModelMockOptions["clock"]> = {
  now: () => Date.now(),
  wait: (delayMs, signal) => delay(delayMs, undefined, { signal }),
};

/** Starts a mock on loopback. */
export async function startModelMock(script: Script = [], options: ModelMockOptions = {}): Promise<ModelMock> {
  const { clock = realClock, models = {}, lists, vendor } = options;
  checkChoice(vendor);
  const replies = createReplyPicker(script);
  const journal = createJournal();
  const closing = new AbortController();

  const record = (request: Pick<JournalEntry, "method" | "path" | "headers"> & { text: string }): Judged => {
    const { text, ...rest } = request;
    const kind = protocolOf(rest.path) === undefined ? "list" : "call";
    const entry = journal.add({ ...rest, kind, body: readBody(text), arrivedAtMs: clock.now() });
    const refusal = judge(vendor, { path: rest.path, text });
    if (refusal === undefined) return { entry };
    entry.refusal = { vendor: refusal.vendor, rule: refusal.rule, message: refusal.message };
    return { entry, refusal };
  };

  /** Plays the answer; what fails after the client has gone is no problem. */
  async function answer({ entry, refusal }: Judged, line: Line): Promise<void> {
    const protocol = protocolOf(entry.path);
    if (protocol !== undefined && refusal !== undefined) return playRefusal(line, protocol, refusal, clock.wait);
    if (protocol !== undefined) return playReply(line, protocol, entry, replies.pick(entry), clock.wait);
    if (lists?.silent === true) return;
    if (lists?.delayMs !== undefined) await clock.wait(lists.delayMs, line.signal);
    const vendor = entry.headers["anthropic-version"] === undefined ? "openai" : "anthropic";
    return sendBody(line, lists ?? renderModelList(vendor, entry.path, models));
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "", headers } = request;
    const text = await readText(request);
    if (path === "/__journal") return void response.end(JSON.stringify(journal.entries));
    const judged = record({ method, path, headers, text });
    await answer(judged, createSocketLine(response, { entry: judged.entry, now: clock.now, closing: closing.signal }));
  }

  const mockFetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const headers = Object.fromEntries(request.headers);
    const judged = record({ method: request.method, path: pathname + search, headers, text: await request.text() });
    // Not the request's own signal: that one follows only as long as the request is held.
    const client = init?.signal ?? new AbortController().signal;
    const { line, response } = createFetchLine(client, {
      entry: judged.entry,
      now: clock.now,
      closing: closing.signal,
    });
    answer(judged, line).catch(() => line.cut());
    return response;
  };

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  const origin = await listen(server, options.port ?? 0, options.host ?? "127.0.0.1");
  return {
    origin,
    openaiUrl: `${origin}/v1`,
    journal: journal.entries,
    get requests() {
      return journal.entries.filter((entry) => entry.kind === "call");
    },
    get listRequests() {
      return journal.entries.filter((entry) => entry.kind === "list");
    },
    get refused() {
      return journal.entries.filter((entry) => entry.refusal !== undefined);
    },
    fetch: mockFetch,
    push: replies.push,
    close: () => {
      closing.abort();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function listen(server: ReturnType<typeof createServer>, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      const address = server.address();
      const bound = typeof address === "object" && address !== null ? address.port : port;
      resolve(`http://${host.includes(":") ? `[${host}]` : host}:${bound}`);
    });
  });
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function readBody(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text; // Kept as it came, so that the journal shows it.
  }
}
