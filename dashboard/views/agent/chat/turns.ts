// What is said in a conversation, as the page holds it: turns of the person and of the agent, the latter as blocks of steps and of text in
// the order in which they came. Pure; all changes give new values.
import type { TextDelta } from "../../../../crds/text-delta.ts";
import { addLine, endSteps, noSteps, parseLine, type Steps } from "./progress-steps.ts";

export interface ShownImage {
  /** A data: address. */
  readonly url: string;
  readonly alt: string;
}

export type Block =
  | { readonly kind: "steps"; readonly steps: Steps }
  | { readonly kind: "text"; readonly text: string; readonly step: number; readonly hasGap: boolean };

export interface OwnTurn {
  readonly who: "me";
  readonly text: string;
  readonly images: readonly ShownImage[];
  /** RFC 3339; undefined of what was said before. */
  readonly at: number | undefined;
}

export type AnswerState = "waiting" | "running" | "done" | "failed" | "stopped";

export interface AgentTurn {
  readonly who: "agent";
  readonly state: AnswerState;
  readonly blocks: readonly Block[];
  readonly at: number | undefined;
  readonly startedAtMs: number;
  readonly endedAtMs: number | undefined;
  /** Why it failed, was cut or stopped. */
  readonly note: string | undefined;
  readonly usage: { readonly input: number; readonly output: number } | undefined;
}

export type Turn = OwnTurn | AgentTurn;

export const beginAnswer = (at: number, nowMs: number): AgentTurn => ({
  who: "agent",
  state: "running",
  blocks: [],
  at,
  startedAtMs: nowMs,
  endedAtMs: undefined,
  note: undefined,
  usage: undefined,
});

/** A line of progress: it goes to the last block of steps, or begins one after a text. */
export function addProgress(turn: AgentTurn, message: string, agent: string, nowMs: number): AgentTurn {
  const line = parseLine(message);
  if (line === undefined) return turn;
  const index = turn.blocks.findLastIndex(({ kind }) => kind === "steps");
  const last = turn.blocks[index];
  // What is said of a call that has begun is about that call, also where text came after it.
  const isAboutBegun =
    line.kind === "waits" || line.kind === "note" || (line.kind === "call" && line.event !== "started");
  const goesOn = last?.kind === "steps" && (isAboutBegun || index === turn.blocks.length - 1);
  if (goesOn) {
    return {
      ...turn,
      blocks: turn.blocks.with(index, { kind: "steps", steps: addLine(last.steps, line, agent, nowMs) }),
    };
  }
  const steps = addLine(noSteps, line, agent, nowMs);
  // A step of the model alone shows nothing yet.
  if (steps.list.length === 0 && turn.blocks.length > 0) return turn;
  return { ...turn, blocks: [...turn.blocks, { kind: "steps", steps }] };
}

/** A piece of the answer's text; a step that begins anew takes back what was shown of it. */
export function addText(turn: AgentTurn, { step, text, start = false, gap = false }: TextDelta): AgentTurn {
  const last = turn.blocks.at(-1);
  if (last?.kind === "text" && last.step === step) {
    const goesOn = start
      ? { ...last, text, hasGap: gap }
      : { ...last, text: last.text + text, hasGap: last.hasGap || gap };
    return { ...turn, blocks: [...turn.blocks.slice(0, -1), goesOn] };
  }
  return { ...turn, blocks: [...turn.blocks, { kind: "text", text, step, hasGap: gap || !start }] };
}

export interface Ending {
  state: Exclude<AnswerState, "running" | "waiting">;
  /** The whole answer; undefined where none came. */
  text: string | undefined;
  note?: string | undefined;
  usage?: AgentTurn["usage"];
}

/** The answer is over. Where what was shown of its text is not all of it, the whole text takes its place, behind the steps. */
export function endAnswer(turn: AgentTurn, { state, text, note, usage }: Ending, nowMs: number): AgentTurn {
  const ended = turn.blocks.map((block) =>
    block.kind === "steps" ? { ...block, steps: endSteps(block.steps, nowMs) } : block,
  );
  const shown = ended.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("\n\n");
  const isWhole =
    text === undefined || (shown === text && !ended.some((block) => block.kind === "text" && block.hasGap));
  const blocks: readonly Block[] = isWhole
    ? ended
    : [...ended.filter(({ kind }) => kind === "steps"), { kind: "text", text, step: 0, hasGap: false }];
  return {
    ...turn,
    state,
    blocks: blocks.filter((block) => block.kind === "steps" || block.text !== ""),
    note,
    usage,
    endedAtMs: nowMs,
  };
}

/** What was said before: text and pictures, as the history prompt has them. */
export function turnsOfHistory(messages: readonly HistoryMessage[]): Turn[] {
  const turns: Turn[] = [];
  for (const { role, content } of messages) {
    const last = turns.at(-1);
    const text = content.type === "text" ? (content.text ?? "") : "";
    const images = content.type === "image" && content.data !== undefined ? [imageOf(content)] : [];
    if (role === "user") {
      const isSame = last?.who === "me";
      const before = isSame ? last : { who: "me" as const, text: "", images: [], at: undefined };
      const turn = { ...before, text: join(before.text, text), images: [...before.images, ...images] };
      turns.splice(isSame ? -1 : turns.length, 1, turn);
      continue;
    }
    const block: Block = { kind: "text", text, step: 0, hasGap: false };
    if (last?.who === "agent") turns[turns.length - 1] = { ...last, blocks: [...last.blocks, block] };
    else turns.push({ ...beginAnswer(0, 0), at: undefined, state: "done", blocks: [block], endedAtMs: 0 });
  }
  return turns;
}

export interface HistoryPage {
  readonly messages: readonly HistoryMessage[];
  /** Before which message there are more; undefined: these are the first. */
  readonly earlier: number | undefined;
}

const earlierMark = /^\[The conversation began earlier: .{0,100}before: "(\d{1,15})"/;

/** A page as the agent gives it: its first message says in words where the one before it ends. */
export function readHistoryPage(messages: readonly HistoryMessage[]): HistoryPage {
  const [first, ...rest] = messages;
  const [, before] = earlierMark.exec(first?.role === "user" ? (first.content.text ?? "") : "") ?? [];
  return before === undefined ? { messages, earlier: undefined } : { messages: rest, earlier: Number(before) };
}

export interface HistoryMessage {
  readonly role: "user" | "assistant";
  readonly content: {
    readonly type: string;
    readonly text?: string | undefined;
    readonly data?: string | undefined;
    readonly mimeType?: string | undefined;
  };
}

const join = (before: string, text: string): string => [before, text].filter((each) => each !== "").join("\n\n");

/** Only pictures that the page may show at all. */
const imageOf = ({ data, mimeType }: HistoryMessage["content"]): ShownImage => ({
  url: /^image\/(?:png|jpeg|gif|webp)$/.test(mimeType ?? "") ? `data:${mimeType};base64,${data}` : "data:,",
  alt: "",
});
