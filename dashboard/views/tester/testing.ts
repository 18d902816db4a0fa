// One server while it is tried: what is asked of it and what came of that, what came by meanwhile, and what the server itself asks. Told by
// the gateway's feed, never asked for on a timer. It draws nothing.
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { doneSchema, questionsSchema, askServer, testerPath, type ServerQuestion } from "../../data/tester.ts";
import { renderJson, type Json } from "../../parts/schema-form/json-text.ts";
import type { Page } from "../../page.ts";
import { fill } from "../../words/fill.ts";
import { testerWords as words } from "../../words/tester.ts";
import { tellDuration } from "../../words/times.ts";
import {
  addLine,
  changedResource,
  changesOffer,
  isQuestion,
  parseFeedMessage,
  serverOf,
  toLine,
  type FeedLine,
  type NewLine,
} from "./feed.ts";
import { openFeedSocket } from "./feed-socket.ts";
import { addPast, keepDraft, type PastCall, type RequestOrigin, type TesterMemory } from "./memory.ts";
import type { TriedKind } from "./names.ts";
import { readOutcome } from "./outcome.ts";
import { methodOf, renderRequest, type Request } from "./sent-message.ts";

export interface TestingParts extends Pick<Page, "origin" | "fetch" | "rest" | "time" | "announcer"> {
  server: string;
  memory: TesterMemory;
  openSocket?: typeof openFeedSocket;
}

/** What waits while the feed stands still. */
const maxHeld = 500;
const expiryMarginMs = 500;

export const nameOf = (request: Request): string => (request.kind === "resources" ? request.uri : request.name);

export class Testing {
  readonly server: string;
  readonly memory: TesterMemory;
  readonly running: ReadonlySignal<Request | undefined>;
  readonly questions: ReadonlySignal<readonly ServerQuestion[]>;
  /** How often a resource changed since it is followed. */
  readonly updates: ReadonlySignal<ReadonlyMap<string, number>>;
  /** Grows when what the server offers may be another. */
  readonly offerChanges: ReadonlySignal<number>;
  /** Grows when a form is to be filled in anew from what is kept of it. */
  readonly refills: ReadonlySignal<number>;
  readonly isFeedLost: ReadonlySignal<boolean>;
  readonly isPaused: ReadonlySignal<boolean>;
  readonly lines: ReadonlySignal<readonly FeedLine[]>;
  readonly held: ReadonlySignal<number>;
  readonly #parts: TestingParts;
  readonly #running = signal<{ request: Request; abort: AbortController } | undefined>(undefined);
  readonly #questions = signal<readonly ServerQuestion[]>([]);
  readonly #updates = signal<ReadonlyMap<string, number>>(new Map());
  readonly #offerChanges = signal(0);
  readonly #refills = signal(0);
  readonly #isFeedLost = signal(false);
  readonly #isPaused = signal(false);
  readonly #lines = signal<readonly FeedLine[]>([]);
  readonly #held = signal<readonly NewLine[]>([]);
  #life = new AbortController();
  #cancelExpiry = () => {};
  #heardSinceSent: string | undefined;

  constructor(parts: TestingParts) {
    this.server = parts.server;
    this.memory = parts.memory;
    this.#parts = parts;
    this.running = computed(() => this.#running.value?.request);
    this.questions = this.#questions;
    this.updates = this.#updates;
    this.offerChanges = this.#offerChanges;
    this.refills = this.#refills;
    this.isFeedLost = this.#isFeedLost;
    this.isPaused = this.#isPaused;
    this.lines = this.#lines;
    this.held = computed(() => this.#held.value.length);
  }

  /** Listens; returns how to stop. A request that runs goes on, and what came of it is kept. */
  open(token: string): () => void {
    this.#life = new AbortController();
    const { origin, time, openSocket = openFeedSocket } = this.#parts;
    const close = openSocket({
      origin,
      token,
      time,
      onMessage: (text) => this.#hear(text),
      onOpen: (isOpen) => {
        this.#isFeedLost.value = !isOpen;
        if (isOpen) void this.#readQuestions();
      },
    });
    return () => {
      this.#life.abort();
      this.#cancelExpiry();
      close();
    };
  }

  async run(request: Request, form: RequestOrigin): Promise<void> {
    if (this.#running.peek() !== undefined) return;
    const { fetch, time, announcer } = this.#parts;
    const abort = new AbortController();
    this.#running.value = { request, abort };
    this.#heardSinceSent = undefined;
    const name = nameOf(request);
    const at = time.now();
    const startedMs = time.elapsed();
    this.#add({
      at,
      kind: "request",
      mark: "sent",
      text: fill(words.feed.sent, { method: methodOf(request), name }),
      more: undefined,
    });
    const { path, body } = renderRequest(this.server, request);
    const outcome = readOutcome(await askServer(fetch, path, body, abort.signal));
    const durationMs = time.elapsed() - startedMs;
    const call = { server: this.server, request, form, outcome, at, durationMs, lastHeard: this.#heardSinceSent };
    this.memory.past.value = addPast(this.memory.past.peek(), call);
    this.memory.shown.value = this.memory.past.peek()[0];
    this.#running.value = undefined;
    announcer.say(tellOutcome(name, outcome.kind, durationMs));
    await this.#readQuestions();
  }

  stop(): void {
    this.#running.peek()?.abort.abort();
  }

  /** Rejects with a Problem. */
  async answer({ id }: ServerQuestion, action: "accept" | "decline", content?: Json): Promise<void> {
    const path = testerPath(this.server, "elicitations", encodeURIComponent(id), "respond");
    const sent = content === undefined ? undefined : toPlain(content);
    await this.#parts.rest({ method: "POST", path, body: { action, content: sent }, schema: doneSchema });
    this.#add({
      at: this.#parts.time.now(),
      kind: "asked",
      mark: "ok",
      text: fill(words.feed.answeredQuestion, { action }),
      more: content && renderJson(content, 2),
    });
    this.#questions.value = this.#questions.peek().filter((each) => each.id !== id);
  }

  /** Begins to count changes. Rejects with a Problem. */
  async follow(uri: string, isFollowed: boolean): Promise<void> {
    const path = testerPath(this.server, "resource", isFollowed ? "subscribe" : "unsubscribe");
    await this.#parts.rest({ method: "POST", path, body: { uri }, schema: doneSchema });
    const updates = new Map(this.#updates.peek());
    if (isFollowed) updates.set(uri, 0);
    else updates.delete(uri);
    this.#updates.value = updates;
  }

  /** Shows a call of before, and fills in its form again. */
  refill(call: PastCall): void {
    const { kind, name, value } = call.form;
    keepDraft(this.memory, draftKey(call.server, kind, name), value);
    this.memory.shown.value = call;
    this.#refills.value += 1;
  }

  pause(isPaused: boolean): void {
    this.#isPaused.value = isPaused;
    if (isPaused) return;
    const held = this.#held.peek();
    this.#held.value = [];
    for (const line of held) this.#add(line);
  }

  clear(): void {
    this.#lines.value = [];
    this.#held.value = [];
  }

  #add(line: NewLine): void {
    if (this.#isPaused.peek()) this.#held.value = [...this.#held.peek(), line].slice(-maxHeld);
    else this.#lines.value = addLine(this.#lines.peek(), line);
  }

  #hear(text: string): void {
    const message = parseFeedMessage(text);
    if (message === undefined || serverOf(message) !== this.server) return;
    const line = toLine(message, this.server, this.memory.subject);
    if (line !== undefined) {
      this.#add(line);
      if (this.#running.peek() !== undefined && line.kind !== "request") this.#heardSinceSent = line.text;
    }
    if (isQuestion(message)) void this.#readQuestions();
    if (changesOffer(message)) this.#offerChanges.value += 1;
    const uri = changedResource(message);
    const count = uri === undefined ? undefined : this.#updates.peek().get(uri);
    if (uri !== undefined && count !== undefined) {
      this.#updates.value = new Map([...this.#updates.peek(), [uri, count + 1]]);
    }
  }

  async #readQuestions(): Promise<void> {
    const { signal: ended } = this.#life;
    const before = this.#questions.peek();
    try {
      const path = testerPath(this.server, "elicitations");
      const { entries } = await this.#parts.rest({ path, schema: questionsSchema, signal: ended });
      if (ended.aborted) return;
      this.#questions.value = entries.map((entry) => before.find(({ id }) => id === entry.id) ?? entry);
      if (entries.some(({ id }) => before.every((each) => each.id !== id))) {
        this.#parts.announcer.say(fill(words.questions.said, { server: this.server }));
      }
    } catch {
      // The feed says it again, and the connection's own trouble is told at the top of the page.
      return;
    }
    this.#awaitExpiry();
  }

  /** What nobody answered in time is gone. */
  #awaitExpiry(): void {
    const { time } = this.#parts;
    this.#cancelExpiry();
    const ends = this.#questions.peek().map(({ expiresAt }) => expiresAt);
    if (ends.length === 0) return;
    const leftMs = Math.max(0, Math.min(...ends) - time.now()) + expiryMarginMs;
    this.#cancelExpiry = time.after(leftMs, () => void this.#readQuestions());
  }
}

function tellOutcome(name: string, kind: PastCall["outcome"]["kind"], durationMs: number): string {
  const said: string = words.said[kind];
  return fill<string>(said, { name, duration: tellDuration(durationMs) });
}

/** What a form made, for an answer whose numbers are small. */
const toPlain = (value: Json): unknown => JSON.parse(renderJson(value));

export const draftKey = (server: string, kind: TriedKind, name: string): string => JSON.stringify([server, kind, name]);
