/**
 * A small API server in this process for faults that a real one does not commit on demand: broken streams, silence,
 * wrong answers. It holds one collection, and knows list pages, watch, get, apply (a plain merge) and delete.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { KubeConfig } from "@kubernetes/client-node";
import type { ResourceType } from "../resource.ts";
import { collectionPath } from "../resource.ts";

export const widgetType: ResourceType = { group: "example.com", version: "v1", plural: "widgets", kind: "Widget" };

type Json = Record<string, unknown>;

interface Widget {
  readonly metadata: Json & { readonly name: string; readonly namespace: string; uid: string; resourceVersion: string };
  readonly [field: string]: unknown;
}

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: Json | undefined;
}

export type Handler = (response: ServerResponse, exchange: Exchange) => void;

interface HistoryEvent {
  readonly version: number;
  readonly line: string;
}

export class FakeApiServer {
  readonly exchanges: Exchange[] = [];
  /** Taken one by one for the next requests of the kind, instead of the proper answer. */
  readonly next: { readonly list: Handler[]; readonly watch: Handler[]; readonly other: Handler[] } = {
    list: [],
    watch: [],
    other: [],
  };
  readonly #widgets = new Map<string, Widget>();
  readonly #watches = new Set<ServerResponse>();
  readonly #server = createServer((request, response) => void this.#receive(request, response));
  #history: HistoryEvent[] = [];
  #version = 100;
  #compactedAt = 0;
  #uids = 0;

  static async start(): Promise<FakeApiServer> {
    const fake = new FakeApiServer();
    await new Promise<void>((resolve) => fake.#server.listen(0, "127.0.0.1", resolve));
    return fake;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the fake API server is not listening");
    return `http://127.0.0.1:${address.port}`;
  }

  kubeConfig(token = "secret"): KubeConfig {
    const config = new KubeConfig();
    // client-node refuses plain HTTP without skipTLSVerify.
    config.loadFromClusterAndUser({ name: "fake", server: this.url, skipTLSVerify: true }, { name: "tester", token });
    return config;
  }

  get version(): string {
    return String(this.#version);
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  seen(kind: "list" | "watch" | "write"): Exchange[] {
    return this.exchanges.filter((exchange) => kindOf(exchange) === kind);
  }

  get(name: string, namespace = "default"): Widget | undefined {
    return this.#widgets.get(`${namespace}/${name}`);
  }

  /** Creates or replaces a widget; `quiet` tells no watcher, as when an event is lost. */
  put(name: string, fields: Json = {}, options: { namespace?: string; metadata?: Json; quiet?: boolean } = {}): Widget {
    const { namespace = "default", metadata = {}, quiet = false } = options;
    const key = `${namespace}/${name}`;
    const existing = this.#widgets.get(key);
    const uid = existing?.metadata.uid ?? `uid-${(this.#uids += 1)}`;
    this.#version += 1;
    const merged = {
      ...metadata,
      name,
      namespace,
      uid,
      resourceVersion: this.version,
      managedFields: [{ manager: "fake" }],
    };
    const widget: Widget = { apiVersion: "example.com/v1", kind: "Widget", ...fields, metadata: merged };
    this.#widgets.set(key, widget);
    if (!quiet) this.#publish(existing === undefined ? "ADDED" : "MODIFIED", widget);
    return widget;
  }

  remove(name: string, options: { namespace?: string; quiet?: boolean } = {}): void {
    const key = `${options.namespace ?? "default"}/${name}`;
    const existing = this.#widgets.get(key);
    if (existing === undefined) throw new Error(`the fake API server has no widget ${key}`);
    this.#widgets.delete(key);
    this.#version += 1;
    const last = { ...existing, metadata: { ...existing.metadata, resourceVersion: this.version } };
    if (options.quiet !== true) this.#publish("DELETED", last);
  }

  /** Tells all watchers how far they are, as after changes of other namespaces. */
  bookmark(): void {
    this.#version += 1;
    const object = { apiVersion: "example.com/v1", kind: "Widget", metadata: { resourceVersion: this.version } };
    this.sendRaw(`${JSON.stringify({ type: "BOOKMARK", object })}\n`);
  }

  /** Forgets the history: watches from before now get 410. */
  compact(): void {
    this.#history = [];
    this.#compactedAt = this.#version;
  }

  /** The history goes back, as after restoring a backup. */
  rewind(version: number): void {
    this.#version = version;
    this.compact();
  }

  sendRaw(bytes: string | Uint8Array): void {
    for (const watch of this.#watches) watch.write(bytes);
  }

  endWatches(): void {
    for (const watch of this.#watches) watch.end();
    this.#watches.clear();
  }

  resetWatches(): void {
    for (const watch of this.#watches) watch.destroy();
  }

  #publish(type: string, widget: Widget): void {
    const line = `${JSON.stringify({ type, object: widget })}\n`;
    this.#history.push({ version: this.#version, line });
    this.sendRaw(line);
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const url = new URL(request.url ?? "/", "http://fake");
    const exchange: Exchange = {
      method: request.method ?? "",
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: text === "" ? undefined : JSON.parse(text),
    };
    this.exchanges.push(exchange);
    const kind = kindOf(exchange);
    const handler = this.next[kind === "list" || kind === "watch" ? kind : "other"].shift();
    if (handler !== undefined) handler(response, exchange);
    else if (kind === "list") this.#list(response, exchange);
    else if (kind === "watch") this.#watch(response, exchange);
    else this.#single(response, exchange);
  }

  #list(response: ServerResponse, { path, query }: Exchange): void {
    const namespace = /\/namespaces\/([^/]+)\//.exec(path)?.[1];
    const all = [...this.#widgets.values()].filter(
      (widget) => namespace === undefined || widget.metadata.namespace === namespace,
    );
    const from = Number(query.get("continue") ?? 0);
    const to = from + Number(query.get("limit") ?? all.length);
    // Like a real server, items of a list carry no apiVersion and kind.
    const items = all.slice(from, to).map((widget) => ({ ...widget, apiVersion: undefined, kind: undefined }));
    const next = to < all.length ? String(to) : undefined;
    answerJson(response, 200, {
      kind: "WidgetList",
      metadata: { resourceVersion: this.version, continue: next },
      items,
    });
  }

  #watch(response: ServerResponse, { query }: Exchange): void {
    const from = Number(query.get("resourceVersion"));
    if (from < this.#compactedAt) {
      answerStatus(410, "Expired")(response);
      return;
    }
    this.openWatch(response);
    for (const event of this.#history) if (event.version > from) response.write(event.line);
  }

  /** Accepts a watch without sending what it missed. */
  openWatch(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    this.#watches.add(response);
    response.on("close", () => this.#watches.delete(response));
  }

  #single(response: ServerResponse, { method, path, body }: Exchange): void {
    const { namespace = "", name = "" } =
      /\/namespaces\/(?<namespace>[^/]+)\/widgets\/(?<name>[^/]+)/.exec(path)?.groups ?? {};
    const existing = this.get(name, namespace);
    if (method === "PATCH") {
      const wanted = parseJson(body?.["metadata"]);
      if (wanted["uid"] !== undefined && wanted["uid"] !== existing?.metadata.uid) {
        answerStatus(existing === undefined ? 409 : 422, "WrongUid")(response);
      } else if (
        existing !== undefined &&
        (wanted["resourceVersion"] ?? existing.metadata.resourceVersion) !== existing.metadata.resourceVersion
      ) {
        answerStatus(409, "Conflict")(response);
      } else if (existing === undefined && path.endsWith("/status")) {
        answerStatus(404, "NotFound")(response);
      } else {
        const metadata = { ...existing?.metadata, ...wanted };
        answerJson(response, 200, this.put(name, { ...existing, ...body }, { namespace, metadata }));
      }
    } else if (existing === undefined) {
      answerStatus(404, "NotFound")(response);
    } else if (method === "GET") {
      answerJson(response, 200, existing);
    } else {
      const asked = parseJson(body?.["preconditions"]);
      const met =
        asked["uid"] === existing.metadata.uid && asked["resourceVersion"] === existing.metadata.resourceVersion;
      if (met) this.remove(name, { namespace });
      answerStatus(met ? 200 : 409, met ? "Success" : "Conflict")(response);
    }
  }
}

/** A Status object with this code. */
export function answerStatus(
  code: number,
  reason: string,
  headers: Record<string, string> = {},
): (response: ServerResponse) => void {
  return (response) => {
    answerJson(response, code, { kind: "Status", apiVersion: "v1", code, reason, message: `fake ${reason}` }, headers);
  };
}

export function answerJson(
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(code, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

function kindOf({ method, path, query }: Exchange): "list" | "watch" | "get" | "write" {
  if (method !== "GET") return "write";
  if (query.has("watch")) return "watch";
  return path.endsWith(`/${widgetType.plural}`) || path === collectionPath(widgetType) ? "list" : "get";
}

function parseJson(value: unknown): Json {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
