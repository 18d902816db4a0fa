// One process that several talk to at a time: sessions where the configuration says so, and every request of the 2026 era. Each
// has a view of its own; ids and progress tokens are exchanged for ones that are unique, so that nobody hears another's answer.
// A question of the server is passed on only while a single call runs, since nothing says which call it is about.
import { JsonRpcError, rpcCodes } from "../../lib/mcp/json-rpc.ts";
import type { Clock, Timer } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Peer } from "../relay/peer.ts";
import { isId, readProgressToken, renderMessage, type Message, type Received, type RpcId } from "../stdio/messages.ts";
import type { ProcessEvents, ServerProcess } from "../stdio/server-process.ts";
import type { Starts } from "../stdio/starts.ts";
import { SharedSubscriptions } from "./shared-subscriptions.ts";

interface View {
  readonly events: ProcessEvents;
}

/** A request on its way, by the id it has there. */
interface Route {
  readonly view: View;
  readonly id: RpcId;
  readonly method: string;
  readonly token: RpcId | undefined;
}

interface Live {
  readonly process: ServerProcess;
  readonly answer: Received;
  readonly views: Set<View>;
  readonly routes: Map<RpcId, Route>;
  /** Questions of the server that are open, by its ids. */
  readonly questions: Map<RpcId, View>;
  readonly subscriptions: SharedSubscriptions<View>;
  lastId: number;
  usedAt: number;
  readonly leavePlace: () => void;
}

/** Requests in which a server may ask something. */
const working: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read", "completion/complete"]);

export interface SharedServerParts {
  readonly starts: Starts;
  readonly clientVersion: string;
  /** Without a request for this long, and without subscriptions, its process ends. */
  readonly idleTtlMs: number;
  /** Asked before its process starts; what it returns is called when that ends. Throws a JsonRpcError when there is no place. */
  readonly takePlace: () => () => void;
  /** Hears of each new process. */
  readonly onStarted: () => void;
  readonly clock: Clock;
}

export class SharedServer {
  readonly #parts: SharedServerParts;
  #live: Live | undefined;
  #starting: Promise<Live> | undefined;
  #sweeper: Timer | undefined;

  constructor(parts: SharedServerParts) {
    this.#parts = parts;
  }

  /** Whether its process runs and does nothing: it may be ended to make room. */
  get isIdle(): boolean {
    return this.#live !== undefined && this.#live.routes.size === 0 && this.#live.subscriptions.size === 0;
  }

  /** A view of the process, which is started where there is none. Rejects with a JsonRpcError. */
  async open(events: ProcessEvents): Promise<Peer> {
    const live = this.#live ?? (await (this.#starting ??= this.#start().finally(() => (this.#starting = undefined))));
    const view: View = { events };
    live.views.add(view);
    return {
      answer: live.answer,
      send: (message) => this.#send(live, view, message),
      unreadBytes: () => live.process.unreadBytes(),
      end: async () => this.#leave(live, view),
    };
  }

  /** Resolves when no process is starting. */
  async settled(): Promise<void> {
    await this.#starting?.catch(() => undefined);
  }

  /** Ends the process, whose place is free at once; the next who needs one starts another. */
  async end(): Promise<void> {
    const live = this.#live;
    if (live === undefined) return;
    live.leavePlace();
    this.#lose(live, "was ended");
    await live.process.end();
  }

  async #start(): Promise<Live> {
    const { starts, clientVersion, takePlace, clock } = this.#parts;
    const leave = takePlace();
    let live: Live | undefined;
    let loss: string | undefined;
    const events: ProcessEvents = {
      onMessage: (received) => live && this.#receive(live, received),
      onRefused: (refused) => live && this.#refuse(live, refused),
      onEnd: (why) => {
        loss = why;
        leave();
        if (live !== undefined) this.#lose(live, why);
      },
    };
    try {
      const { process, answer } = await starts.start(renderInitialize(clientVersion), events);
      live = {
        process,
        answer,
        views: new Set(),
        routes: new Map(),
        questions: new Map(),
        subscriptions: new SharedSubscriptions(),
        lastId: 0,
        usedAt: clock.now(),
        leavePlace: leave,
      };
    } catch (error) {
      leave();
      throw error;
    }
    if (loss !== undefined) throw new JsonRpcError(rpcCodes.serverError, `the server's process ${loss}`);
    live.process.send(renderMessage({ method: "notifications/initialized" }));
    this.#live = live;
    this.#sweep(live);
    queueMicrotask(this.#parts.onStarted);
    return live;
  }

  #send(live: Live, view: View, message: Message): void {
    if (this.#live !== live) return;
    live.usedAt = this.#parts.clock.now();
    const { id, method } = message;
    if (method === undefined) {
      if (id !== undefined && live.questions.get(id) === view && live.questions.delete(id)) {
        live.process.send(renderMessage(message));
      }
    } else if (id === undefined) {
      this.#notify(live, view, message);
    } else {
      this.#request(live, view, { ...message, id, method });
    }
  }

  #request(live: Live, view: View, message: Message & { id: RpcId; method: string }): void {
    const { id, method, params } = message;
    const uri = params?.["uri"];
    if (method === "resources/unsubscribe" && !live.subscriptions.remove(uri, view)) {
      // Others still follow it, or nobody did.
      return view.events.onMessage(renderReceived({ id, result: {} }));
    }
    if (method === "resources/subscribe" && !live.subscriptions.add(uri, view)) {
      const error = { code: rpcCodes.invalidParams, message: "too many subscriptions; end some" };
      return view.events.onMessage(renderReceived({ id, error }));
    }
    const own = (live.lastId += 1);
    const token = readProgressToken(params);
    live.routes.set(own, { view, id, method, token });
    live.process.send(renderMessage({ ...message, id: own, ...defined({ params: withToken(params, token, own) }) }));
  }

  #notify(live: Live, view: View, { method = "", params }: Message): void {
    // The rest is between the server and its one client, which is the bridge.
    if (method !== "notifications/cancelled") return;
    for (const [own, route] of live.routes) {
      if (route.view !== view || route.id !== params?.["requestId"]) continue;
      live.routes.delete(own);
      live.process.send(renderMessage({ method, params: { ...params, requestId: own } }));
    }
  }

  #receive(live: Live, received: Received): void {
    const { id, method, params } = received.message;
    if (method === undefined) {
      const route = id === undefined ? undefined : live.routes.get(id);
      if (route === undefined || id === undefined) return;
      live.routes.delete(id);
      route.view.events.onMessage(renderReceived({ ...received.message, id: route.id }));
    } else if (id !== undefined) {
      this.#ask(live, id, received);
    } else if (method === "notifications/progress") {
      const token = params?.["progressToken"];
      const route = isId(token) ? live.routes.get(token) : undefined;
      if (route?.token === undefined) return;
      route.view.events.onMessage(renderReceived({ method, params: { ...params, progressToken: route.token } }));
    } else if (method === "notifications/resources/updated") {
      for (const view of live.subscriptions.holders(params?.["uri"])) view.events.onMessage(received);
    } else if (method.endsWith("/list_changed")) {
      for (const view of live.views) view.events.onMessage(received);
    } else {
      const asked = params?.["requestId"];
      const view = method === "notifications/cancelled" && isId(asked) ? live.questions.get(asked) : onlyWorking(live);
      view?.events.onMessage(received);
    }
  }

  #ask(live: Live, id: RpcId, received: Received): void {
    const view = onlyWorking(live);
    if (received.message.method === "ping") return live.process.send(renderMessage({ id, result: {} }));
    if (view === undefined) {
      const text = `${received.message.method} cannot be passed on: it cannot be told of which of the running calls it is`;
      return live.process.send(renderMessage({ id, error: { code: rpcCodes.invalidRequest, message: text } }));
    }
    live.questions.set(id, view);
    view.events.onMessage(received);
  }

  #refuse(live: Live, { id, why }: { id: RpcId | undefined; why: string }): void {
    const route = id === undefined ? undefined : live.routes.get(id);
    if (route !== undefined && id !== undefined) {
      live.routes.delete(id);
      route.view.events.onRefused({ id: route.id, why });
      return;
    }
    for (const view of new Set([...live.routes.values()].map((each) => each.view))) {
      view.events.onRefused({ id: undefined, why });
    }
    live.routes.clear();
  }

  #lose(live: Live, why: string): void {
    if (this.#live !== live) return;
    this.#live = undefined;
    this.#sweeper?.cancel();
    for (const view of live.views) view.events.onEnd(why);
    live.views.clear();
  }

  #leave(live: Live, view: View): void {
    live.views.delete(view);
    for (const [own, route] of live.routes) {
      if (route.view !== view) continue;
      live.routes.delete(own);
      live.process.send(renderMessage({ method: "notifications/cancelled", params: { requestId: own } }));
    }
    for (const [id, asked] of live.questions) {
      if (asked !== view) continue;
      live.questions.delete(id);
      const error = { code: rpcCodes.serverError, message: "the client has gone" };
      live.process.send(renderMessage({ id, error }));
    }
    for (const uri of live.subscriptions.removeAll(view)) {
      const own = (live.lastId += 1);
      live.process.send(renderMessage({ id: own, method: "resources/unsubscribe", params: { uri } }));
    }
  }

  #sweep(live: Live): void {
    const { clock, idleTtlMs } = this.#parts;
    const restMs = this.isIdle ? live.usedAt + idleTtlMs - clock.now() : idleTtlMs;
    if (restMs <= 0) {
      void this.end();
      return;
    }
    this.#sweeper = clock.schedule(restMs, () => this.#live === live && this.#sweep(live));
  }
}

function onlyWorking({ routes }: Live): View | undefined {
  let only: View | undefined;
  for (const { method, view } of routes.values()) {
    if (!working.has(method)) continue;
    if (only !== undefined) return undefined;
    only = view;
  }
  return only;
}

const renderReceived = (message: Message): Received => ({ message, text: renderMessage(message) });

function withToken(params: Message["params"], token: RpcId | undefined, own: number): Message["params"] {
  if (token === undefined) return params;
  return { ...params, _meta: { ...Object(params?.["_meta"]), progressToken: own } };
}

function renderInitialize(version: string) {
  const id = "initialize";
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: { elicitation: { form: {}, url: {} }, sampling: {} },
    clientInfo: { name: "pallas-bridge", version },
  };
  return { id, text: renderMessage({ id, method: "initialize", params }) };
}
