// A small API server in this process for problems that a real one does not commit on demand: broken streams, silence,
// wrong answers. It takes objects of any kind, knows list pages, watch, label selectors for keys, get, create, apply (a
// plain merge), the status subresource and delete; and neither schemas, defaults nor rights.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { KubeConfig } from "@kubernetes/client-node";
import type { LiveObject } from "../object.ts";
import { apiVersionOf, collectionPath, type ResourceType } from "../resource.ts";

export const widgetType: ResourceType = { group: "example.com", version: "v1", plural: "widgets", kind: "Widget" };

type Json = Record<string, unknown>;

interface Stored {
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

/** An object's place: its collection's path without a namespace, the namespace and the name. */
interface Place {
  readonly collection: string;
  readonly namespace: string;
  readonly name: string;
}

interface HistoryEvent {
  readonly collection: string;
  readonly version: number;
  readonly object: Stored;
  readonly line: string;
}

interface OpenWatch {
  readonly collection: string;
  readonly wants: (object: Stored) => boolean;
  readonly response: ServerResponse;
}

export interface PutOptions {
  readonly namespace?: string;
  readonly metadata?: Json;
  /** Tells no watcher, as when an event is lost. */
  readonly quiet?: boolean;
  readonly type?: ResourceType;
}

export class FakeApiServer {
  readonly exchanges: Exchange[] = [];
  /** Taken one by one for the next requests of the kind, instead of the proper answer. */
  readonly next: { readonly list: Handler[]; readonly watch: Handler[]; readonly other: Handler[] } = {
    list: [],
    watch: [],
    other: [],
  };
  /** Answers a request in place of the proper way; undefined leaves it to that. */
  intercept: (exchange: Exchange) => Handler | undefined = () => undefined;
  readonly #objects = new Map<string, Map<string, Stored>>();
  readonly #watches = new Set<OpenWatch>();
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

  list(type: ResourceType = widgetType): LiveObject[] {
    const apiVersion = apiVersionOf(type);
    return [...this.#in(collectionPath(type)).values()].map((object) => ({ apiVersion, kind: type.kind, ...object }));
  }

  get(name: string, namespace = "default", type: ResourceType = widgetType): Stored | undefined {
    return this.#in(collectionPath(type)).get(`${namespace}/${name}`);
  }

  /** Creates or replaces an object, by default a widget. */
  put(name: string, fields: Json = {}, options: PutOptions = {}): Stored {
    const { type = widgetType, namespace = "default", metadata = {}, quiet = false } = options;
    const body = { apiVersion: apiVersionOf(type), kind: type.kind, ...fields };
    return this.#store({ collection: collectionPath(type), namespace, name }, body, metadata, quiet);
  }

  #store({ collection, namespace, name }: Place, fields: Json, metadata: Json, quiet = false): Stored {
    const objects = this.#in(collection);
    const key = `${namespace}/${name}`;
    const existing = objects.get(key);
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
    const stored: Stored = { ...fields, metadata: merged };
    objects.set(key, stored);
    if (!quiet) this.#publish(existing === undefined ? "ADDED" : "MODIFIED", collection, stored);
    return stored;
  }

  remove(name: string, options: Omit<PutOptions, "metadata"> = {}): void {
    const { type = widgetType, namespace = "default", quiet = false } = options;
    this.#remove({ collection: collectionPath(type), namespace, name }, quiet);
  }

  #remove({ collection, namespace, name }: Place, quiet = false): void {
    const key = `${namespace}/${name}`;
    const existing = this.#in(collection).get(key);
    if (existing === undefined) throw new Error(`the fake API server has no ${collection} ${key}`);
    this.#in(collection).delete(key);
    this.#version += 1;
    const last = { ...existing, metadata: { ...existing.metadata, resourceVersion: this.version } };
    if (!quiet) this.#publish("DELETED", collection, last);
  }

  #in(collection: string): Map<string, Stored> {
    const objects = this.#objects.get(collection) ?? new Map<string, Stored>();
    this.#objects.set(collection, objects);
    return objects;
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
    for (const { response } of this.#watches) response.write(bytes);
  }

  endWatches(): void {
    for (const { response } of this.#watches) response.end();
    this.#watches.clear();
  }

  resetWatches(): void {
    for (const { response } of this.#watches) response.destroy();
  }

  #publish(type: string, collection: string, object: Stored): void {
    const line = `${JSON.stringify({ type, object })}\n`;
    this.#history.push({ collection, version: this.#version, object, line });
    for (const watch of this.#watches) {
      if (watch.collection === collection && watch.wants(object)) watch.response.write(line);
    }
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
    const handler = this.next[kind === "list" || kind === "watch" ? kind : "other"].shift() ?? this.intercept(exchange);
    if (handler !== undefined) handler(response, exchange);
    else if (kind === "list") this.#list(response, exchange);
    else if (kind === "watch") this.#watch(response, exchange);
    else this.#single(response, exchange);
  }

  #list(response: ServerResponse, { path, query }: Exchange): void {
    const { collection, namespace } = placeOf(path);
    const wants = wanted(namespace, query);
    const all = [...this.#in(collection).values()].filter(wants);
    const from = Number(query.get("continue") ?? 0);
    const to = from + Number(query.get("limit") ?? all.length);
    // Like a real server, items of a list carry no apiVersion and kind.
    const items = all.slice(from, to).map((object) => ({ ...object, apiVersion: undefined, kind: undefined }));
    const next = to < all.length ? String(to) : undefined;
    answerJson(response, 200, { kind: "List", metadata: { resourceVersion: this.version, continue: next }, items });
  }

  #watch(response: ServerResponse, exchange: Exchange): void {
    const from = Number(exchange.query.get("resourceVersion"));
    if (from < this.#compactedAt) {
      answerStatus(410, "Expired")(response);
      return;
    }
    const { collection, wants } = this.#open(response, exchange);
    for (const event of this.#history) {
      if (event.collection === collection && event.version > from && wants(event.object)) response.write(event.line);
    }
  }

  /** Accepts a watch without sending what it missed. */
  #open(response: ServerResponse, { path, query }: Exchange): OpenWatch {
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    const { collection, namespace } = placeOf(path);
    const watch = { collection, wants: wanted(namespace, query), response };
    this.#watches.add(watch);
    response.on("close", () => this.#watches.delete(watch));
    return watch;
  }

  #single(response: ServerResponse, exchange: Exchange): void {
    const { method, path, body = {} } = exchange;
    const place = placeOf(path);
    const existing = this.#in(place.collection).get(`${place.namespace}/${place.name}`);
    if (method === "PATCH") {
      this.#apply(response, exchange, place, existing);
    } else if (method === "POST") {
      const metadata = parseJson(body["metadata"]);
      answerJson(response, 201, this.#store({ ...place, name: String(metadata["name"]) }, body, metadata));
    } else if (existing === undefined) {
      answerStatus(404, "NotFound")(response);
    } else if (method === "GET") {
      answerJson(response, 200, existing);
    } else {
      const { uid } = existing.metadata;
      const met = uid === (parseJson(body["preconditions"])["uid"] ?? uid);
      if (met) this.#remove(place);
      answerStatus(met ? 200 : 409, met ? "Success" : "Conflict")(response);
    }
  }

  #apply(response: ServerResponse, { path, body = {} }: Exchange, place: Place, existing: Stored | undefined): void {
    const asked = parseJson(body["metadata"]);
    if (asked["uid"] !== undefined && asked["uid"] !== existing?.metadata.uid) {
      answerStatus(existing === undefined ? 409 : 422, "WrongUid")(response);
    } else if (
      existing !== undefined &&
      (asked["resourceVersion"] ?? existing.metadata.resourceVersion) !== existing.metadata.resourceVersion
    ) {
      answerStatus(409, "Conflict")(response);
    } else if (path.endsWith("/status")) {
      if (existing === undefined) answerStatus(404, "NotFound")(response);
      else answerJson(response, 200, this.#store(place, { ...existing, status: body["status"] }, existing.metadata));
    } else {
      const applied = { ...existing, ...body };
      const generation = Number(existing?.metadata["generation"] ?? 0) + (isSameContent(existing, applied) ? 0 : 1);
      answerJson(response, 200, this.#store(place, applied, { ...existing?.metadata, ...asked, generation }));
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

/** `/apis/apps/v1/namespaces/agents/deployments/echo/status` in its parts; no namespace and no name are empty. */
function placeOf(path: string): Place {
  const pattern =
    /^(?<root>\/api\/[^/]+|\/apis\/[^/]+\/[^/]+)(?:\/namespaces\/(?<namespace>[^/]+))?\/(?<plural>[^/]+)(?:\/(?<name>[^/]+))?/;
  const { root = "", namespace = "", plural = "", name = "" } = pattern.exec(path)?.groups ?? {};
  return { collection: `${root}/${plural}`, namespace, name };
}

/** Whether nothing but metadata and status differs. */
function isSameContent(before: Json | undefined, after: Json): boolean {
  const contentOf = (object: Json) => JSON.stringify({ ...object, metadata: 0, status: 0 });
  return before !== undefined && contentOf(before) === contentOf(after);
}

/** Whether an object is in this namespace, if one is asked for, and meets every `key` and `key=value` of the selector. */
function wanted(namespace: string, query: URLSearchParams): (object: Stored) => boolean {
  const asked = (query.get("labelSelector") ?? "").split(",").filter((requirement) => requirement !== "");
  return ({ metadata }) => {
    const labels = parseJson(metadata["labels"]);
    const meets = (requirement: string) => {
      const [key = "", value] = requirement.split("=");
      return value === undefined ? Object.hasOwn(labels, key) : labels[key] === value;
    };
    return (namespace === "" || metadata.namespace === namespace) && asked.every(meets);
  };
}

function kindOf({ method, path, query }: Exchange): "list" | "watch" | "get" | "write" {
  if (method !== "GET") return "write";
  if (query.has("watch")) return "watch";
  return placeOf(path).name === "" ? "list" : "get";
}

function parseJson(value: unknown): Json {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
