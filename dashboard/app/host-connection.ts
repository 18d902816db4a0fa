// The gateway as this page reaches it in a host of MCP Apps: the host calls the gateway's tools for it, and nothing else is there. Nobody tells of
// changes here, so that what is on screen is read again every few seconds while the page is visible, and after each decision.
import { signal } from "@preact/signals";
import * as z from "zod";
import type { Connection, ConnectionState, ToolAnswer } from "../connect/connection.ts";
import { Problem } from "../connect/problem.ts";
import { approvalUri, pendingUri } from "../data/approvals.ts";
import { callerSchema, type Caller } from "../session/caller.ts";
import type { PageTime } from "../time.ts";
import { appWords as words } from "../words/app.ts";
import type { HostLink } from "./host-link.ts";

const resultSchema = z.looseObject({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).default([]),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});
type Result = z.output<typeof resultSchema>;

const listSchema = z.object({ approvals: z.array(z.unknown()), caller: callerSchema, now: z.string() });
type Listed = z.output<typeof listSchema>;

const timeoutMs = 60_000;
export const readEveryMs = 5_000;
const listTool = "approvals_list";

export interface HostConnectionParts {
  link: Pick<HostLink, "ask">;
  /** Whether the host calls tools for its apps. */
  callsTools: boolean;
  time: Pick<PageTime, "after" | "learn">;
  isVisible(): boolean;
  /** Who asks, each time that the gateway says it. */
  onCaller(caller: Caller): void;
}

export interface HostConnection extends Connection {
  /** A result of `approvals_list` that the host brought by itself; false where it is something else. */
  take(result: unknown): boolean;
  /** Reads again what is on screen. */
  refresh(): void;
}

export const createHostConnection = (parts: HostConnectionParts): HostConnection => new AppConnection(parts);

class AppConnection implements HostConnection {
  readonly #parts: HostConnectionParts;
  readonly #state = signal<ConnectionState>({ kind: "idle" });
  readonly #followed = new Map<string, Set<() => void>>();
  /** What the host brought, until it is read; where the host calls no tools, for good. */
  #brought: Listed | undefined;
  #cancelTimer = () => {};

  constructor(parts: HostConnectionParts) {
    this.#parts = parts;
  }

  get state() {
    return this.#state;
  }

  open = (): void => {
    this.#state.value = { kind: "live" };
    this.#wait();
  };

  close = (): void => {
    this.#cancelTimer();
    this.#state.value = { kind: "idle" };
  };

  retry = (): void => this.refresh();

  take(result: unknown): boolean {
    const parsed = resultSchema.safeParse(result);
    const listed = listSchema.safeParse(parsed.data?.structuredContent);
    if (!listed.success) return false;
    this.#brought = this.#learn(listed.data);
    this.refresh();
    return true;
  }

  refresh = (): void => {
    for (const listeners of this.#followed.values()) for (const listener of listeners) listener();
  };

  async read(uri: string): Promise<string> {
    if (uri === pendingUri) {
      const listed = await this.#readPending();
      return JSON.stringify(listed.approvals);
    }
    const callId = findCallId(uri);
    if (callId === undefined) throw new Problem("gone", words.noResource);
    const { approvals } = this.#parts.callsTools ? await this.#list({ call_id: callId }) : this.#known();
    const found = approvals.find((each) => hasId(each, callId));
    if (found === undefined) throw new Problem("gone", words.noResource);
    return JSON.stringify(found);
  }

  async call(tool: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer> {
    const result = await this.#callTool(tool, args);
    // The list that is on screen is another now.
    this.refresh();
    return { text: textOf(result), structured: result.structuredContent };
  }

  follow(uri: string, onChange: () => void): () => void {
    const listeners = this.#followed.get(uri) ?? new Set();
    this.#followed.set(uri, listeners);
    listeners.add(onChange);
    return () => {
      listeners.delete(onChange);
      if (listeners.size === 0) this.#followed.delete(uri);
    };
  }

  async #readPending(): Promise<Listed> {
    const brought = this.#brought;
    if (!this.#parts.callsTools) return this.#known();
    this.#brought = undefined;
    return brought ?? (await this.#list({}));
  }

  #known(): Listed {
    if (this.#brought === undefined) throw new Problem("refused", words.nothingBrought);
    return this.#brought;
  }

  async #list(args: Readonly<Record<string, unknown>>): Promise<Listed> {
    const { structuredContent } = await this.#callTool(listTool, args);
    const listed = listSchema.safeParse(structuredContent);
    if (!listed.success) throw new Problem("refused", words.strange, { cause: listed.error });
    return this.#learn(listed.data);
  }

  async #callTool(name: string, args: Readonly<Record<string, unknown>>): Promise<Result> {
    if (!this.#parts.callsTools) throw new Problem("refused", words.cannotDecide);
    const answer = await this.#parts.link.ask("tools/call", { name, arguments: args }, timeoutMs);
    const result = resultSchema.safeParse(answer);
    if (!result.success) throw new Problem("refused", words.strange, { cause: result.error });
    if (result.data.isError !== true) return result.data;
    throw new Problem(kindOf(result.data), textOf(result.data), { data: result.data.structuredContent });
  }

  #learn(listed: Listed): Listed {
    this.#parts.time.learn(new Date(listed.now).toUTCString());
    this.#parts.onCaller(listed.caller);
    return listed;
  }

  #wait(): void {
    this.#cancelTimer = this.#parts.time.after(readEveryMs, () => {
      if (this.#parts.callsTools && this.#parts.isVisible()) this.refresh();
      this.#wait();
    });
  }
}

const refusalSchema = z.looseObject({ error: z.looseObject({ type: z.string() }) });

const kindOf = ({ structuredContent }: Result) =>
  refusalSchema.safeParse(structuredContent).data?.error.type === "not_found" ? "gone" : "refused";

const textOf = ({ content }: Result): string => content.flatMap(({ text }) => text ?? []).join("\n");

const idSchema = z.looseObject({ call_id: z.string() });
const hasId = (approval: unknown, callId: string): boolean => idSchema.safeParse(approval).data?.call_id === callId;

/** Of the URI of one call. */
function findCallId(uri: string): string | undefined {
  const before = approvalUri("");
  return uri.startsWith(before) ? decodeURIComponent(uri.slice(before.length)) : undefined;
}
