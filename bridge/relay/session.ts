// One session of a client of the 2025 era and the server behind it. Messages pass as they are; it knows only which answer,
// progress and question belongs to which request. When its process ends, the calls in flight get one error each, and the next
// message is for a fresh process, which has been brought to where the client believes it to be.
import { JsonRpcError, rpcCodes } from "../../lib/mcp/json-rpc.ts";
import type { Clock } from "../../lib/process/clock.ts";
import { isId, renderError, renderMessage, type Message, type Received, type RpcId } from "../stdio/messages.ts";
import { renderLoss, type ProcessEvents } from "../stdio/server-process.ts";
import { Calls, type Call, type CallOutcome } from "./calls.ts";
import { ClientState } from "./client-state.ts";
import { Listener } from "./listener.ts";
import type { OpenPeer, Peer } from "./peer.ts";
import { Questions } from "./questions.ts";
import type { Reply } from "./reply.ts";
import { unknownTool, type ToolFilter } from "./tool-filter.ts";

export interface SessionParts {
  readonly openPeer: OpenPeer;
  readonly filter: ToolFilter;
  readonly timeoutMs: number;
  readonly onCallEnd: (call: Call, outcome: CallOutcome, durationMs: number) => void;
  /** Hears how many tools a whole list named. */
  readonly onToolCount: (count: number) => void;
  readonly onRestart: () => void;
  readonly clock: Clock;
}

export const sessionLimits = { maxCalls: 256, maxUnreadBytes: 16 * 1024 * 1024 };

export class RelaySession {
  readonly id: string;
  readonly listener: Listener;
  readonly #parts: SessionParts;
  readonly #client: ClientState;
  readonly #calls: Calls;
  readonly #questions: Questions;
  #peer: Peer | undefined;
  #opening: Promise<Peer> | undefined;
  #isClosed = false;

  /** @param initialize of the client; the session has no process before `open` */
  constructor(id: string, initialize: Message, parts: SessionParts) {
    this.id = id;
    this.#parts = parts;
    this.#client = new ClientState(initialize);
    this.listener = new Listener();
    this.#questions = new Questions(parts.clock);
    this.#calls = new Calls({
      timeoutMs: parts.timeoutMs,
      isAsking: () => this.#questions.size > 0,
      onTimeout: (call) => this.#expire(call),
      onEnd: parts.onCallEnd,
      clock: parts.clock,
    });
  }

  get callCount(): number {
    return this.#calls.size;
  }

  isRunning(id: RpcId): boolean {
    return this.#calls.has(id);
  }

  /** Starts the session's process. Resolves to the server's answer to `initialize`; rejects with a JsonRpcError. */
  async open(): Promise<Received> {
    return (await this.#connect(false)).answer;
  }

  /** Passes a request on. Its answer goes out by `reply`, whatever comes. */
  async request(message: Message & { id: RpcId; method: string }, reply: Reply): Promise<void> {
    const { id, method, params } = message;
    if (this.#calls.size >= sessionLimits.maxCalls) {
      const text = `this session has ${sessionLimits.maxCalls} requests running; wait for one to end`;
      return reply.finish(renderError(id, rpcCodes.serverError, text));
    }
    const call = this.#calls.begin(message, reply);
    if (method === "tools/call" && !this.#parts.filter.isOffered(params?.["name"])) {
      return this.#calls.end(call, "refused", renderError(id, rpcCodes.invalidParams, unknownTool(params?.["name"])));
    }
    try {
      const peer = this.#peer ?? (await this.#connect(true));
      if (this.#calls.find(id) !== call) return;
      if (peer.unreadBytes() > sessionLimits.maxUnreadBytes) {
        throw new JsonRpcError(rpcCodes.serverError, "the server does not read what it is sent; try again later");
      }
      this.#client.note(message);
      peer.send(message);
    } catch (error) {
      this.#calls.end(call, "error", renderFailure(id, error));
    }
  }

  /** Passes on what the client says without waiting for an answer: a notification, or its answer to a question. */
  notify(message: Message): void {
    const { id, method, params } = message;
    if (method === undefined) {
      if (id !== undefined && this.#questions.end(id)) this.#peer?.send(message);
      return;
    }
    if (method === "notifications/cancelled") {
      const call = this.#findCall(params?.["requestId"]);
      if (call === undefined) return;
      this.#peer?.send(message);
      this.#calls.end(call, "cancelled");
      return;
    }
    this.#client.note(message);
    this.#peer?.send(message);
  }

  /** Ends the session with its process and its calls. */
  async close(why: string): Promise<void> {
    this.#isClosed = true;
    this.#questions.clear();
    this.#calls.endAll("lost", ({ id }) => renderError(id, rpcCodes.serverError, why));
    this.listener.close();
    const peer = this.#peer ?? (await this.#opening?.catch(() => undefined));
    this.#peer = undefined;
    await peer?.end();
  }

  async #connect(isAgain: boolean): Promise<Peer> {
    const begun = (this.#opening ??= this.#openPeer(isAgain).finally(() => (this.#opening = undefined)));
    return await begun;
  }

  async #openPeer(isAgain: boolean): Promise<Peer> {
    const { openPeer, onRestart } = this.#parts;
    if (this.#isClosed) throw new JsonRpcError(rpcCodes.sessionNotFound, "the session has ended");
    // What an earlier process says no more is of no concern.
    const opened: { peer?: Peer } = {};
    let loss: string | undefined;
    const events: ProcessEvents = {
      onMessage: (received) => this.#receive(received),
      onRefused: (refused) => this.#refuse(refused),
      onEnd: (why) => {
        loss = why;
        if (opened.peer !== undefined) this.#lose(opened.peer, why);
      },
    };
    const peer = await openPeer(isAgain ? this.#client.renderAgain() : this.#client.initialize, events);
    if (loss !== undefined) {
      const { code, message } = renderLoss(loss);
      throw new JsonRpcError(code, message);
    }
    opened.peer = peer;
    this.#peer = peer;
    if (isAgain) {
      onRestart();
      for (const message of this.#client.renderState()) peer.send(message);
    }
    return peer;
  }

  #receive({ message, text }: Received): void {
    const { id, method, params } = message;
    if (method === undefined) {
      const call = id === undefined ? undefined : this.#calls.find(id);
      if (call !== undefined) this.#answer(call, message, text);
      return;
    }
    if (id !== undefined) return this.#ask(id, message, text);
    if (method === "notifications/progress") {
      const token = params?.["progressToken"];
      if (isId(token)) this.#calls.progressed(token)?.reply.send(text);
      return;
    }
    if (method === "notifications/cancelled") {
      const asked = params?.["requestId"];
      if (!isId(asked) || !this.#questions.end(asked)) return;
    }
    this.listener.tell(message, text, this.#calls.onlyWorking()?.reply);
  }

  #answer(call: Call, message: Message, text: string): void {
    const outcome = message.error === undefined ? "ok" : "error";
    if (call.method !== "tools/list" || message.error !== undefined) return this.#calls.end(call, outcome, text);
    const { filter, onToolCount } = this.#parts;
    const result = filter.apply(message.result);
    const tools: unknown = Reflect.get(Object(result), "tools");
    if (Array.isArray(tools) && Reflect.get(Object(result), "nextCursor") === undefined) onToolCount(tools.length);
    this.#calls.end(call, outcome, filter.isActive ? renderMessage({ ...message, result }) : text);
  }

  /** A request of the server: its client is asked where it is clear for which call, or on its own stream. */
  #ask(id: RpcId, { method = "" }: Message, text: string): void {
    if (method === "ping") return this.#peer?.send({ id, result: {} });
    const refuse = (code: number, why: string) => this.#peer?.send({ id, error: { code, message: why } });
    if (!this.#client.canAnswer(method)) {
      return refuse(rpcCodes.methodNotFound, `this client did not say that it answers ${method}`);
    }
    const hasPlace = this.#questions.begin(id, () => refuse(rpcCodes.serverError, "the client did not answer"));
    if (!hasPlace) return refuse(rpcCodes.serverError, "too many questions to this client are open");
    if (this.listener.ask(text, this.#calls.onlyWorking()?.reply)) return;
    this.#questions.end(id);
    refuse(
      rpcCodes.invalidRequest,
      `${method} cannot be passed on: it cannot be told of which of several calls it is, and the client has opened no stream of its own`,
    );
  }

  #refuse({ id, why }: { id: RpcId | undefined; why: string }): void {
    const text = `The server's answer is too large to be passed on: ${why}; ask for less`;
    const call = id === undefined ? undefined : this.#calls.find(id);
    const end = (each: Call) => this.#calls.end(each, "refused", renderError(each.id, rpcCodes.serverError, text));
    if (call !== undefined) end(call);
    // Whose it was cannot be told; nobody shall wait for it in vain.
    else this.#calls.endAll("refused", (each) => renderError(each.id, rpcCodes.serverError, text));
  }

  #lose(peer: Peer, why: string): void {
    if (this.#peer !== peer) return;
    this.#peer = undefined;
    this.#questions.clear();
    const { code, message } = renderLoss(why);
    this.#calls.endAll("lost", ({ id }) => renderError(id, code, message));
  }

  #expire(call: Call): void {
    this.#peer?.send({ method: "notifications/cancelled", params: { requestId: call.id, reason: "deadline" } });
    const text = `The server did not answer ${call.method} within ${this.#parts.timeoutMs} ms, nor report progress`;
    this.#calls.end(call, "timeout", renderError(call.id, rpcCodes.serverError, text));
  }

  #findCall(id: unknown): Call | undefined {
    return isId(id) ? this.#calls.find(id) : undefined;
  }
}

function renderFailure(id: RpcId, error: unknown): string {
  if (error instanceof JsonRpcError) return renderError(id, error.code, error.message);
  return renderError(id, rpcCodes.internalError, "internal error, see the bridge's log");
}
