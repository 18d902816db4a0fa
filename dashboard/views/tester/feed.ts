// What came by while a server is tried, as lines: requests and their answers, progress, log messages, notifications, and what the server
// asked. Read from messages of the gateway's WebSocket; the newest so many are kept. Pure.
import * as z from "zod";
import { fill } from "../../words/fill.ts";
import { testerWords } from "../../words/tester.ts";
import { tellDuration } from "../../words/times.ts";

const words = testerWords.feed;

export const feedKinds = ["request", "progress", "log", "asked", "notification"] as const;
export type FeedKind = (typeof feedKinds)[number];
export type FeedMark = "ok" | "failed" | "sent" | "moves" | "asks" | "says";

export interface FeedLine {
  readonly key: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly kind: FeedKind;
  readonly mark: FeedMark;
  readonly text: string;
  /** JSON of the whole, where there is more than the text says. */
  readonly more: string | undefined;
}

export const maxFeedLines = 500;
const maxMoreChars = 16 * 1024;
const maxTextChars = 500;

export type NewLine = Omit<FeedLine, "key">;

/** The newest first; the oldest go. */
export function addLine(lines: readonly FeedLine[], line: NewLine): readonly FeedLine[] {
  return [{ ...line, key: (lines[0]?.key ?? 0) + 1 }, ...lines].slice(0, maxFeedLines);
}

const messageSchema = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("log_entry"),
    entry: z.looseObject({
      kind: z.string(),
      server: z.string(),
      tool: z.string(),
      latency_ms: z.number(),
      success: z.boolean(),
      caller: z.string(),
      timestamp: z.string(),
    }),
  }),
  z.looseObject({
    type: z.literal("notification"),
    serverName: z.string(),
    method: z.string(),
    params: z.unknown().optional(),
    ts: z.string(),
  }),
  z.looseObject({
    type: z.literal("progress"),
    serverName: z.string(),
    payload: z.looseObject({ progress: z.number(), total: z.number().nullish(), message: z.string().nullish() }),
    ts: z.string(),
  }),
]);
export type FeedMessage = z.output<typeof messageSchema>;

/** Undefined for what the tester does not show. */
export function parseFeedMessage(text: string): FeedMessage | undefined {
  try {
    return messageSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export const serverOf = (message: FeedMessage): string =>
  message.type === "log_entry" ? message.entry.server : message.serverName;

const methods: Readonly<Record<string, string>> = {
  call: "tools/call",
  "resource-read": "resources/read",
  "prompt-get": "prompts/get",
  ping: "ping",
};

const cut = (text: string): string => (text.length > maxTextChars ? `${text.slice(0, maxTextChars)}…` : text);

/** Undefined for what belongs to another server or person, or is told by another message. */
export function toLine(message: FeedMessage, server: string, subject: string): NewLine | undefined {
  if (serverOf(message) !== server) return undefined;
  if (message.type === "log_entry") return readEntry(message.entry, subject);
  const at = Date.parse(message.ts);
  if (message.type === "progress") return { at, ...readProgress(message.payload) };
  const { method, params } = message;
  const more = renderMore(params);
  if (isQuestion(message)) return { at, kind: "asked", mark: "asks", text: words.asks, more: undefined };
  if (method === "notifications/message") return { at, kind: "log", mark: "says", text: cut(tellLog(params)), more };
  const name = method.replace(/^notifications\//, "");
  const uri = Object(params)["uri"];
  const text = typeof uri === "string" ? `${name} ${uri}` : name;
  return { at, kind: "notification", mark: "says", text: cut(text), more };
}

function readEntry(entry: Extract<FeedMessage, { type: "log_entry" }>["entry"], subject: string): NewLine | undefined {
  const method = methods[entry.kind];
  if (method === undefined || entry.caller !== subject) return undefined;
  const values = { method, name: entry.kind === "ping" ? "" : entry.tool, duration: tellDuration(entry.latency_ms) };
  return {
    at: Date.parse(entry.timestamp),
    kind: "request",
    mark: entry.success ? "ok" : "failed",
    text: cut(fill(entry.success ? words.answered : words.failed, values).replace("  ", " ")),
    more: undefined,
  };
}

function readProgress({ progress, total, message }: Extract<FeedMessage, { type: "progress" }>["payload"]) {
  const done =
    typeof total === "number" ? fill(words.progressOf, { progress, total }) : fill(words.progress, { progress });
  const text = typeof message === "string" && message !== "" ? `${done}: ${message}` : done;
  return { kind: "progress", mark: "moves", text: cut(text), more: undefined } as const;
}

function tellLog(params: unknown): string {
  const { level, logger, data } = { level: "", logger: "", data: undefined, ...Object(params) };
  const said = typeof data === "string" ? data : JSON.stringify(data);
  return [String(level), String(logger), said].filter((each) => each !== "").join(": ");
}

function renderMore(params: unknown): string | undefined {
  const text = params === undefined || params === null ? "" : JSON.stringify(params, undefined, 2);
  if (text === "" || text === "{}") return undefined;
  return text.length > maxMoreChars ? `${text.slice(0, maxMoreChars)}…` : text;
}

/** Whether the server asks the person something now. */
export const isQuestion = (message: FeedMessage): boolean =>
  message.type === "notification" && ["elicitation/create", "sampling/createMessage"].includes(message.method);

/** Whether what the server offers may be another now. */
export const changesOffer = (message: FeedMessage): boolean =>
  message.type === "notification" && message.method.endsWith("/list_changed");

/** The resource that changed. */
export function changedResource(message: FeedMessage): string | undefined {
  if (message.type !== "notification" || message.method !== "notifications/resources/updated") return undefined;
  const uri: unknown = Object(message.params)["uri"];
  return typeof uri === "string" ? uri : undefined;
}

export const filterLines = (lines: readonly FeedLine[], kind: FeedKind | "all"): readonly FeedLine[] =>
  kind === "all" ? lines : lines.filter((line) => line.kind === kind);
