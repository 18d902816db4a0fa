// The conversations that this page holds, each with its answer as it comes, for as long as somebody is signed in: an answer goes on while other
// views are looked at. At most three answers run at once, since a browser opens six connections to one host, and the page
// needs some of them; further messages wait their turn.
import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { toProblem } from "../../../connect/problem.ts";
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
import { createSlots, type Slots } from "./slots.ts";
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
  readonly draft: Signal<Draft>;
  send(draft: Draft): void;
  takeBack(index: number): void;
  stop(): void;
  forget(): Promise<void>;
}

export interface Chats {
  /** @param sessionId undefined: a conversation that has not begun, or the one history for all */
  open(agent: string, sessionId: string | undefined, keepsOne: boolean): Chat;
  /** A conversation that has not begun takes the place of the one that was begun. */
  startAnew(agent: string): Chat;
  clear(): void;
}

const maxRunning = 3;
const maxKept = 64;
/** Text is painted at most twenty times a second. */
const paintMs = 50;

interface ChatPage extends AgentConnectionParts {
  announcer: Announcer;
}

export function createChats(page: ChatPage): Chats {
  const slots = createSlots(maxRunning);
  let chats: OpenChat[] = [];
  const add = (agent: string, sessionId: string | undefined, keepsOne: boolean): OpenChat => {
    const chat = new OpenChat({ agent, sessionId, keepsOne, page, slots });
    const idle = chats.find((each) => each.isIdle);
    if (chats.length >= maxKept && idle !== undefined) chats = chats.filter((each) => each !== idle);
    chats.push(chat);
    return chat;
  };
  return {
    open(agent, sessionId, keepsOne) {
      const found = chats.findLast((each) => each.agent === agent && each.sessionId.peek() === sessionId);
      return found ?? add(agent, sessionId, keepsOne);
    },
    startAnew(agent) {
      chats = chats.filter((each) => each.agent !== agent || each.sessionId.peek() !== undefined || !each.isIdle);
      return add(agent, undefined, false);
    },
    clear() {
      for (const chat of chats) chat.end();
      chats = [];
    },
  };
}

const isUnderWay = (turn: Turn | undefined): boolean =>
  turn?.who === "agent" && (turn.state === "running" || turn.state === "waiting");

interface ChatParts {
  agent: string;
  sessionId: string | undefined;
  keepsOne: boolean;
  page: ChatPage;
  slots: Slots;
}

class OpenChat implements Chat {
  readonly agent: string;
  readonly sessionId: Signal<string | undefined>;
  readonly turns = signal<readonly Turn[]>([]);
  readonly queue = signal<readonly Draft[]>([]);
  readonly question = signal<Asked | undefined>(undefined);
  readonly historyProblem = signal<string | undefined>(undefined);
  readonly isLoading = signal(false);
  readonly isAnswering = computed(() => isUnderWay(this.turns.value.at(-1)));
  readonly draft = signal<Draft>(emptyDraft);
  readonly #page: ChatPage;
  readonly #connection: AgentConnection;
  readonly #slots: Slots;
  readonly #keepsOne: boolean;
  #abort: AbortController | undefined;
  /** The answer as it is, of which a paint may be owed. */
  #answer: AgentTurn | undefined;
  #isPaintOwed = false;

  constructor({ agent, sessionId, keepsOne, page, slots }: ChatParts) {
    this.agent = agent;
    this.sessionId = signal(sessionId);
    this.#keepsOne = keepsOne;
    this.#page = page;
    this.#slots = slots;
    this.#connection = createAgentConnection(agent, page);
    if (sessionId !== undefined || keepsOne) void this.#load();
  }

  get isIdle(): boolean {
    return this.#abort === undefined;
  }

  send(draft: Draft): void {
    this.queue.value = [...this.queue.peek(), draft];
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

  async #load(): Promise<void> {
    this.isLoading.value = true;
    try {
      const before = turnsOfHistory(await this.#connection.history(this.sessionId.peek()));
      this.turns.value = [...before, ...this.turns.peek()];
    } catch (error) {
      this.historyProblem.value = fill(words.historyFailed, { reason: toProblem(error).message });
    } finally {
      this.isLoading.value = false;
    }
  }

  #next(): void {
    const [draft] = this.queue.peek();
    if (draft === undefined || this.#abort !== undefined) return;
    this.#abort = new AbortController();
    this.queue.value = this.queue.peek().slice(1);
    void this.#run(draft, this.#abort);
  }

  async #run(draft: Draft, abort: AbortController): Promise<void> {
    const { time, announcer } = this.#page;
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
    const said = ending.state === "done" ? words.announced : words.announcedFailed;
    announcer.say(fill<string>(said, { agent: this.agent }));
    this.#next();
  }

  async #ask(draft: Draft, signalOfRun: AbortSignal): Promise<Ending> {
    const { time } = this.#page;
    const mcpName = this.agent.replaceAll("-", "_");
    const answered = await this.#connection.send(
      {
        text: draft.text,
        images: draft.images.map(({ data, mimeType }) => ({ data, mime_type: mimeType })),
        sessionId: this.#keepsOne ? undefined : (this.sessionId.peek() ?? "new"),
      },
      {
        onText: (delta) => this.#update((turn) => addText(turn, delta)),
        onProgress: (message) => this.#update((turn) => addProgress(turn, message, mcpName, time.elapsed())),
        ask: (question, signal) => this.#askPerson(question, signal),
      },
      signalOfRun,
    );
    if (answered.sessionId !== undefined && !this.#keepsOne) this.sessionId.value = answered.sessionId;
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
