// An API server in this process that holds the kinds the registry watches: lists, watches, and the end of both.
import { createServer, type ServerResponse } from "node:http";
import { KubeConfig } from "@kubernetes/client-node";

type Json = Record<string, unknown> & { metadata: Record<string, unknown> & { name: string; namespace?: string } };

interface WatchEvent {
  type: "ADDED" | "MODIFIED" | "DELETED";
  object: Json;
}

interface Collection {
  objects: Map<string, Json>;
  history: { version: number; line: string }[];
  watches: Set<ServerResponse>;
}

export class KubeServer {
  /** Paths with queries, as they were asked. */
  readonly asked: string[] = [];
  /** Answers 500 to everything and breaks open watches while true. */
  #broken = false;
  /** Leaves new watches without an answer while true. */
  holdWatches = false;
  #version = 100;
  /** Of these kinds lists and watches are answered 403. */
  readonly refused = new Set<string>();
  readonly #collections = new Map<string, Collection>();
  readonly #server = createServer((request, response) => this.#answer(request.url ?? "/", response));

  static async start(): Promise<KubeServer> {
    const kube = new KubeServer();
    await new Promise<void>((resolve) => kube.#server.listen(0, "127.0.0.1", resolve));
    return kube;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  kubeConfig(): KubeConfig {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the API server is not listening");
    const config = new KubeConfig();
    const server = `http://127.0.0.1:${address.port}`;
    // client-node refuses plain HTTP without skipTLSVerify.
    config.loadFromClusterAndUser({ name: "fake", server, skipTLSVerify: true }, { name: "tester", token: "t" });
    return config;
  }

  setBroken(broken: boolean): void {
    this.#broken = broken;
    if (!broken) return;
    for (const { watches } of this.#collections.values()) for (const watch of watches) watch.destroy();
  }

  put(plural: string, object: Json): void {
    this.#version += 1;
    const key = `${object.metadata.namespace}/${object.metadata.name}`;
    const { objects } = this.#collection(plural);
    const uid = objects.get(key)?.metadata["uid"] ?? `uid-${this.#version}`;
    const stored = { ...object, metadata: { ...object.metadata, uid, resourceVersion: String(this.#version) } };
    const type = objects.has(key) ? "MODIFIED" : "ADDED";
    objects.set(key, stored);
    this.#tell(plural, { type, object: stored });
  }

  remove(plural: string, name: string, namespace = "agents"): void {
    this.#version += 1;
    const { objects } = this.#collection(plural);
    const key = `${namespace}/${name}`;
    const object = objects.get(key);
    if (object === undefined) throw new Error(`there is no ${plural} ${key}`);
    objects.delete(key);
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
    this.#tell(plural, { type: "DELETED", object: last });
  }

  get openWatches(): number {
    return [...this.#collections.values()].reduce((sum, { watches }) => sum + watches.size, 0);
  }

  #tell(plural: string, event: WatchEvent): void {
    const { history, watches } = this.#collection(plural);
    const line = `${JSON.stringify(event)}\n`;
    history.push({ version: this.#version, line });
    for (const watch of watches) watch.write(line);
  }

  #answer(path: string, response: ServerResponse): void {
    this.asked.push(path);
    if (this.#broken) {
      response.writeHead(500, { "content-type": "application/json" }).end('{"kind":"Status","code":500}');
      return;
    }
    const { pathname, searchParams } = new URL(path, "http://fake");
    const plural = pathname.slice(pathname.lastIndexOf("/") + 1);
    if (this.refused.has(plural)) {
      response.writeHead(403, { "content-type": "application/json" }).end('{"kind":"Status","code":403}');
      return;
    }
    const { objects, watches, history } = this.#collection(plural);
    if (searchParams.has("watch") && this.holdWatches) return;
    response.writeHead(200, { "content-type": "application/json" });
    if (searchParams.has("watch")) {
      response.flushHeaders();
      // What happened since the list that the watch goes on from.
      const since = Number(searchParams.get("resourceVersion"));
      for (const { version, line } of history) if (version > since) response.write(line);
      watches.add(response);
      response.on("close", () => watches.delete(response));
    } else {
      const metadata = { resourceVersion: String(this.#version) };
      response.end(JSON.stringify({ kind: "List", metadata, items: [...objects.values()] }));
    }
  }

  #collection(plural: string): Collection {
    const existing = this.#collections.get(plural);
    if (existing !== undefined) return existing;
    const created: Collection = { objects: new Map(), history: [], watches: new Set() };
    this.#collections.set(plural, created);
    return created;
  }
}
