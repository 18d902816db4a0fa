// One conversation as the page holds it: its turns, its draft, what waits its turn, what the agent asks, and the answer that is on its way. It goes
// on while other views are looked at.
import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { mcpName } from "../../../../crds/names.ts";
import { toProblem } from "../../../connect/problem.ts";
import type { ShownConversation } from "../../../data/conversations.ts";
import type { Announcer } from "../../../shell/announcer.ts";
import { chatWords as words } from "../../../words/chat.ts";
import { fill } from "../../../words/fill.ts";
import { tellDuration } from "../../../words/times.ts";
import {
  createAgentConnection,
  type AgentConnection,
  type AgentConnectionParts,
  type Question,
  type QuestionAnswer,
} from "./agent-connection.ts";
import type { BegunConversation } from "./own-conversation.ts";
import type { Slots } from "./slots.ts";
import {
  addProgress,
  addText,
  beginAnswer,
  endAnswer,
  turnsOfHistory,
  type AgentTurn,
  type Ending,
  type ShownImage,
  type Turn,
} from "./turns.ts";

export interface Draft {
  readonly text: string;
  readonly images: readonly DraftImage[];
}
export interface DraftImage extends ShownImage {
  readonly data: string;
  readonly mimeType: string;
}
export const emptyDraft: Draft = { text: "", images: [] };

export interface Asked extends Question {
  answer(answer: QuestionAnswer): void;
}

export interface Chat {
  readonly agent: string;
  /** Undefined until the agent has named it, and where one history is for all. */
  readonly sessionId: ReadonlySignal<string | undefined>;
  readonly turns: ReadonlySignal<readonly Turn[]>;
  readonly queue: ReadonlySignal<readonly Draft[]>;
  readonly question: ReadonlySignal<Asked | undefined>;
  readonly historyProblem: ReadonlySignal<string | undefined>;
  readonly isLoading: ReadonlySignal<boolean>;
  /** Whether an answer of this page is on its way, or waits its turn. */
  readonly isAnswering: ReadonlySignal<boolean>;
  /** Whether what waits its turn waits for the person: the answer before it did not come. */
  readonly isHeld: ReadonlySignal<boolean>;
  /** When an answer ended while nobody looked. */
  readonly unseenAt: ReadonlySignal<number | undefined>;
  /** How often the person sent something. */
  readonly sent: ReadonlySignal<number>;
  /** How many turns were put before those that were there. */
  readonly prepended: ReadonlySignal<number>;
  /** Whether more was said before what is there. */
  readonly hasEarlier: ReadonlySignal<boolean>;
  readonly draft: Signal<Draft>;
  send(draft: Draft): void;
  takeBack(index: number): void;
  stop(): void;
  /** Sends what is held. */
  goOn(): void;
  loadEarlier(): Promise<void>;
  /** Somebody looks at it until what it returns is called. */
  show(): () => void;
  forget(): Promise<void>;
}

/** Whose history the agent keeps, as `spec.scope` says. */
export type Scope = "shared" | "connection" | "request";

export interface ChatPage extends AgentConnectionParts {
  announcer: Announcer;
}

interface ChatParts {
  agent: string;
  sessionId: string | undefined;
  scope: Scope;
  page: ChatPage;
  slots: Slots;
}

/** Text is painted at most twenty times a second. */
const paintMs = 50;
/** What was answered here, the list dates at most so much later. */
const knownSlackMs = 3_000;

/** What the person says of a picture goes with the text: images of a message have no words of their own. */
const withAlts = ({ text, images }: Draft): string =>
  [
    text,
    ...images.flatMap(({ alt }, index) => (alt === "" ? [] : fill(words.pictureSaid, { n: index + 1, text: alt }))),
  ]
    .filter((line) => line !== "")
    .join("\n");

const isUnderWay = (turn: Turn | undefined): boolean =>
  turn?.who === "agent" && (turn.state === "running" || turn.state === "waiting");

export class OpenChat implements Chat {
  readonly agent: string;
  readonly sessionId: Signal<string | undefined>;
  readonly turns = signal<readonly Turn[]>([]);
  readonly queue = signal<readonly Draft[]>([]);
  readonly question = signal<Asked | undefined>(undefined);
  readonly historyProblem = signal<string | undefined>(undefined);
  readonly isLoading = signal(false);
  readonly isAnswering = computed(() => isUnderWay(this.turns.value.at(-1)));
  readonly isHeld = signal(false);
  readonly prepended = signal(0);
  readonly sent = signal(0);
  readonly unseenAt = signal<number | undefined>(undefined);
  readonly hasEarlier = computed(() => this.#earlier.value !== undefined);
  readonly draft = signal<Draft>(emptyDraft);
  readonly #earlier = signal<number | undefined>(undefined);
  readonly #page: ChatPage;
  readonly #connection: AgentConnection;
  readonly #slots: Slots;
  readonly #scope: Scope;
  #abort: AbortController | undefined;
  /** The answer as it is, of which a paint may be owed. */
  #answer: AgentTurn | undefined;
  #isPaintOwed = false;
  #isShown = false;
  #begun: BegunConversation | undefined;
  /** Until when what was said is known here. */
  #knownUntil = Number.NEGATIVE_INFINITY;

  constructor({ agent, sessionId, scope, page, slots }: ChatParts) {
    this.agent = agent;
    this.sessionId = signal(sessionId);
    this.#scope = scope;
    this.#page = page;
    this.#slots = slots;
    this.#connection = createAgentConnection(agent, page);
    if (sessionId !== undefined || scope === "shared") void this.#load();
  }

  /** What the agent's list may know under another name; undefined: nothing. */
  get begun(): BegunConversation | undefined {
    return this.sessionId.peek() === undefined && this.#scope === "connection" ? this.#begun : undefined;
  }

  /** Its list named it. */
  name(sessionId: string): void {
    this.sessionId.value = sessionId;
  }

  /** What the agent's list says of it: what was said elsewhere is read. */
  hear({ last_at, answering }: Pick<ShownConversation, "last_at" | "answering">): void {
    if (answering || !this.isIdle || this.isLoading.peek() || !(Date.parse(last_at) > this.#knownUntil)) return;
    void this.#load();
  }

  show(): () => void {
    this.#isShown = true;
    this.unseenAt.value = undefined;
    return () => {
      this.#isShown = false;
    };
  }

  get isIdle(): boolean {
    return this.#abort === undefined;
  }

  send(draft: Draft): void {
    this.queue.value = [...this.queue.peek(), draft];
    this.sent.value += 1;
    this.goOn();
  }

  goOn(): void {
    this.isHeld.value = false;
    this.#next();
  }

  takeBack(index: number): void {
    const taken = this.queue.peek()[index];
    this.queue.value = this.queue.peek().filter((_, at) => at !== index);
    if (taken !== undefined && this.draft.peek().text === "") this.draft.value = taken;
  }

  stop(): void {
    this.#abort?.abort();
  }

  /** Sends nothing any more. */
  end(): void {
    this.queue.value = [];
    this.stop();
  }

  async forget(): Promise<void> {
    this.end();
    await this.#connection.forget(this.sessionId.peek());
    this.turns.value = [];
  }

  async loadEarlier(): Promise<void> {
    const before = this.#earlier.peek();
    if (before === undefined || this.isLoading.peek()) return;
    await this.#read(before, (turns) => {
      this.prepended.value = this.prepended.peek() + turns.length;
      return [...turns, ...this.turns.peek()];
    });
  }

  /** What was said while it is read stays behind it. */
  async #load(): Promise<void> {
    const held = this.turns.peek();
    this.#knownUntil = this.#page.time.now();
    await this.#read(undefined, (turns) => [...turns, ...this.turns.peek().slice(held.length)]);
  }

  async #read(before: number | undefined, put: (turns: readonly Turn[]) => readonly Turn[]): Promise<void> {
    this.isLoading.value = true;
    this.historyProblem.value = undefined;
    try {
      const { messages, earlier } = await this.#connection.history(this.sessionId.peek(), before);
      this.turns.value = put(turnsOfHistory(messages));
      this.#earlier.value = earlier;
    } catch (error) {
      this.historyProblem.value = fill(words.historyFailed, { reason: toProblem(error).message });
    } finally {
      this.isLoading.value = false;
    }
  }

  #next(): void {
    const [draft] = this.queue.peek();
    if (draft === undefined || this.#abort !== undefined || this.isHeld.peek()) return;
    this.#abort = new AbortController();
    this.queue.value = this.queue.peek().slice(1);
    void this.#run(draft, this.#abort);
  }

  async #run(draft: Draft, abort: AbortController): Promise<void> {
    const { time, announcer } = this.#page;
    this.#begun ??= { text: draft.text, at: time.now() };
    const own: Turn = { who: "me", text: draft.text, images: draft.images, at: time.now() };
    this.#answer = { ...beginAnswer(time.now(), time.elapsed()), state: "waiting" };
    this.turns.value = [...this.turns.peek(), own, this.#answer];
    let ending: Ending;
    try {
      const release = await this.#slots.take(abort.signal);
      try {
        this.#update((turn) => ({ ...turn, state: "running", at: time.now(), startedAtMs: time.elapsed() }));
        ending = await this.#ask(draft, abort.signal);
      } finally {
        release();
      }
    } catch (error) {
      ending = this.#endingOf(error, abort.signal);
    }
    this.#update((turn) => endAnswer(turn, ending, time.elapsed()));
    this.#paint();
    this.question.value = undefined;
    this.#answer = undefined;
    this.#abort = undefined;
    this.#knownUntil = time.now() + knownSlackMs;
    if (!this.#isShown) this.unseenAt.value = time.now();
    // What follows a failure may no longer be meant.
    this.isHeld.value = ending.state !== "done" && this.queue.peek().length > 0;
    const said = { done: words.announced, failed: words.announcedFailed, stopped: words.announcedStopped };
    announcer.say(fill<string>(said[ending.state], { agent: this.agent }));
    this.#next();
  }

  async #ask(draft: Draft, signalOfRun: AbortSignal): Promise<Ending> {
    const { time } = this.#page;
    const spelled = mcpName(this.agent);
    const answered = await this.#connection.send(
      {
        text: withAlts(draft),
        images: draft.images.map(({ data, mimeType }) => ({ data, mime_type: mimeType })),
        sessionId: this.#scope === "connection" ? (this.sessionId.peek() ?? "new") : undefined,
      },
      {
        onText: (delta) => this.#update((turn) => addText(turn, delta)),
        onProgress: (message) => this.#update((turn) => addProgress(turn, message, spelled, time.elapsed())),
        ask: (question, signal) => this.#askPerson(question, signal),
      },
      signalOfRun,
    );
    if (answered.sessionId !== undefined && this.#scope === "connection") this.sessionId.value = answered.sessionId;
    const { text, usage, stopReason = "end" } = answered;
    if (answered.isError) return { state: "failed", text: undefined, note: fill(words.failedAnswer, { reason: text }) };
    const cut: Readonly<Record<string, string>> = words.cut;
    return { state: "done", text, note: cut[stopReason], usage };
  }

  #endingOf(error: unknown, signalOfRun: AbortSignal): Ending {
    const { time } = this.#page;
    if (signalOfRun.aborted) {
      const duration = tellDuration(time.elapsed() - (this.#answer?.startedAtMs ?? time.elapsed()));
      return { state: "stopped", text: undefined, note: fill(words.stoppedAfter, { duration }) };
    }
    const { kind, message } = toProblem(error);
    const said = kind === "unreachable" || kind === "timeout" ? words.lost : words.failedAnswer;
    return { state: "failed", text: undefined, note: fill<string>(said, { reason: message }) };
  }

  #askPerson(question: Question, signalOfRun: AbortSignal): Promise<QuestionAnswer> {
    this.#page.announcer.say(fill(words.announcedQuestion, { agent: this.agent }));
    return new Promise((resolve, reject) => {
      signalOfRun.addEventListener("abort", () => reject(signalOfRun.reason), { once: true });
      const answer = (given: QuestionAnswer) => {
        this.question.value = undefined;
        resolve(given);
      };
      this.question.value = { ...question, answer };
    });
  }

  #update(change: (turn: AgentTurn) => AgentTurn): void {
    if (this.#answer === undefined) return;
    this.#answer = change(this.#answer);
    if (this.#isPaintOwed) return;
    this.#isPaintOwed = true;
    this.#page.time.after(paintMs, () => this.#paint());
  }

  #paint(): void {
    this.#isPaintOwed = false;
    if (this.#answer !== undefined) this.turns.value = [...this.turns.peek().slice(0, -1), this.#answer];
  }
}
