// Tables that change, for tests: notes that have readers, and a tool that can be shown and hidden. Served to named callers.
import { Hono } from "hono";
import { listen } from "../process/http-server.ts";
import { createLogger } from "../process/log.ts";
import type { NamedCaller } from "./caller.ts";
import { type McpEndpoint, type McpVariables, serveMcp, type ServeOptions } from "./serve.ts";
import type { IsFor, McpTable, Requester, ResourceChange, ToolEntry } from "./table.ts";

/** What a middleware knows of a caller beside its name. */
class TestCaller implements NamedCaller {
  readonly subject: string;
  readonly isAdmin: boolean;

  constructor(subject: string) {
    this.subject = subject;
    this.isAdmin = subject === "admin";
  }
}

export interface ChangingTable {
  table: McpTable;
  /** Notes by their URIs. Those under note://secret/ are for the caller "admin" only. */
  put(uri: string, text: string): void;
  /** Takes it away, and says that it changed. */
  remove(uri: string): void;
  /** From now on "admin" is nobody special, or is again. */
  setAdmin(isAdmin: boolean): void;
  announceList(isFor?: IsFor): void;
  /** Shows the tool `extra`, to that caller only. */
  showExtra(subject: string): void;
  /** URIs that were read. */
  reads: string[];
  /** How many listen to the sources. */
  listeners(): number;
}

export function createChangingTable(): ChangingTable {
  const notes = new Map<string, string>([
    ["note://a", "first"],
    ["note://b", "second"],
    ["note://secret/x", "hidden"],
  ]);
  const onChange = new Set<(change: ResourceChange) => void>();
  const onTools = new Set<(isFor?: IsFor) => void>();
  const shownTo = new Set<string>();
  const reads: string[] = [];
  let hasAdmin = true;
  const isAdmin = ({ caller }: Requester) => hasAdmin && caller instanceof TestCaller && caller.isAdmin;
  const mayRead = (uri: string, requester: Requester) =>
    notes.has(uri) && (!uri.startsWith("note://secret/") || isAdmin(requester));
  const tool = (name: string): ToolEntry => ({
    name,
    description: `The tool ${name}.`,
    inputSchema: { type: "object" },
    icons: [{ src: "data:image/png;base64,AA==", mimeType: "image/png", sizes: ["any"] }],
    meta: { "ca.example/kind": "test" },
    call: async () => ({ content: [{ type: "text", text: name }] }),
  });
  const subjectOf = ({ caller }: Requester) => (caller === "anyone" ? "" : caller.subject);
  const announce = (change: ResourceChange) => onChange.forEach((tell) => tell(change));
  const follow = <T>(set: Set<T>, each: T) => {
    set.add(each);
    return () => void set.delete(each);
  };
  return {
    reads,
    listeners: () => onChange.size + onTools.size,
    setAdmin: (value) => (hasAdmin = value),
    put(uri, text) {
      notes.set(uri, text);
      announce({ uri });
    },
    remove(uri) {
      notes.delete(uri);
      announce({ uri });
    },
    announceList: (isFor) => announce({ list: true, ...(isFor && { isFor }) }),
    showExtra(subject) {
      shownTo.add(subject);
      onTools.forEach((tell) => tell((requester) => subjectOf(requester) === subject));
    },
    table: {
      server: { name: "changing", version: "1.0.0" },
      prompts: [],
      tools: {
        list: (requester) => (shownTo.has(subjectOf(requester)) ? [tool("always"), tool("extra")] : [tool("always")]),
        find: (name) => (["always", "extra"].includes(name) ? tool(name) : undefined),
        changes: (tell) => follow(onTools, tell),
      },
      resources: {
        list: (requester) =>
          [...notes.keys()].filter((uri) => mayRead(uri, requester)).map((uri) => ({ uri, name: uri.slice(7) })),
        templates: () => [{ uriTemplate: "note://{name}", name: "note", mimeType: "text/plain" }],
        mayRead,
        async read(uri) {
          reads.push(uri);
          if (uri === "note://b" && notes.get(uri) === "broken") throw new Error("the password is hunter2");
          return [{ uri, mimeType: "text/plain", text: notes.get(uri) ?? "" }];
        },
        changes: (tell) => follow(onChange, tell),
      },
    },
  };
}

export interface ServedTable extends ChangingTable {
  url: string;
  endpoint: McpEndpoint;
  /** Without the network: who does not read the answer's body stands still at once. */
  request(init: RequestInit): Promise<Response>;
  logLines: string[];
  stop(): Promise<void>;
}

/** Callers say who they are in the header x-caller. */
export async function serveChangingTable(
  options: Partial<ServeOptions> = {},
  changing: ChangingTable = createChangingTable(),
): Promise<ServedTable> {
  const logLines: string[] = [];
  const destination = { write: (line: string) => void logLines.push(line) };
  const log = createLogger({ logger: "test", level: "DEBUG", destination });
  const endpoint = serveMcp(changing.table, {
    log,
    bodyLimitBytes: 4_000_000,
    callers: "named",
    sessions: { idleTtlMs: 60_000, max: 2_000 },
    ...options,
  });
  const app = new Hono<McpVariables>();
  app.use(async (context, next) => {
    context.set("caller", new TestCaller(context.req.header("x-caller") ?? "somebody"));
    await next();
  });
  app.route("/", endpoint.app);
  const server = await listen(app.fetch, { port: 0, hostname: "127.0.0.1", log });
  return {
    ...changing,
    url: `${server.url}/mcp`,
    endpoint,
    logLines,
    request: async (init) => await app.request("http://localhost/mcp", init),
    async stop() {
      await endpoint.close();
      await server.close({ graceMs: 0 });
    },
  };
}
