// A connection to one MCP server for a person who tries it: every list in the pages that it comes in, every answer as it came,
// everything the server says and asks heard by one listener, in both eras. Results are not judged, and nothing is cached.
import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import { defined } from "../process/defined.ts";
import type { LoggingLevel } from "./logging-levels.ts";
import { McpError, renderPlace } from "./mcp-error.ts";
import { openConnection, type CallOptions, type ConnectOptions, type OpenConnection } from "./open-connection.ts";
import { callWithAnswers, type OpenCall } from "./questions.ts";
import type { Era } from "./table.ts";
import { keepListening } from "./tool-changes.ts";
import { createWitness, type Listener } from "./witness.ts";

export type JsonObject = Record<string, unknown>;
/** What is asked; who answers back is the listener. */
export type InspectCall = Pick<CallOptions, "signal" | "idleTimeoutMs" | "totalTimeoutMs">;

export interface ServerFacts {
  era: Era;
  protocolVersion: string | undefined;
  name: string | undefined;
  title: string | undefined;
  version: string | undefined;
  instructions: string | undefined;
  capabilities: JsonObject;
}

/** Every method rejects with `McpError` only. */
export interface Inspection {
  readonly facts: ServerFacts;
  /** One page, the first without a cursor. Empty where the server does not offer the like. */
  list(what: "tools" | "resources" | "resourceTemplates" | "prompts", page: Page): Promise<JsonObject>;
  callTool(name: string, args: JsonObject, call: InspectCall): Promise<CallToolResult>;
  readResource(uri: string, call: InspectCall): Promise<JsonObject>;
  getPrompt(name: string, args: Record<string, string>, call: InspectCall): Promise<JsonObject>;
  /** A round trip: by `ping` in the 2025 era, which the 2026 era has no more; there by `server/discover`. */
  ping(call: InspectCall): Promise<void>;
  /** Of log messages from now on; in the 2026 era the server hears of it with each request. */
  setLevel(level: LoggingLevel, call: InspectCall): Promise<void>;
  /** At most `maxFollowed` resources. */
  subscribe(uri: string, call: InspectCall): Promise<void>;
  unsubscribe(uri: string, call: InspectCall): Promise<void>;
  /** The listener has other roots now. Never rejects; the 2026 era has no word for it. */
  tellRoots(): Promise<void>;
  close(): Promise<void>;
}

export interface Page extends InspectCall {
  cursor: string | undefined;
}

export interface InspectOptions extends Omit<ConnectOptions, "askable" | "witness"> {
  listener: Listener;
}

const maxFollowed = 64;
const everything = { form: true, url: true, sampling: true };
const logLevelKey = "io.modelcontextprotocol/logLevel";
const listMethods = {
  tools: "tools/list",
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
  prompts: "prompts/list",
} as const;

export async function inspectMcp({ listener, ...options }: InspectOptions): Promise<Inspection> {
  const open = await openConnection({ ...options, askable: everything, witness: createWitness(listener) });
  return new OpenInspection(open, listener);
}

class OpenInspection implements Inspection {
  readonly facts: ServerFacts;
  readonly #open: OpenConnection;
  readonly #listener: Listener;
  readonly #followed = new Set<string>();
  #level: LoggingLevel | undefined;
  #listening = new AbortController();

  constructor(open: OpenConnection, listener: Listener) {
    this.#open = open;
    this.#listener = listener;
    this.facts = readFacts(open.client);
    this.#listen();
  }

  async list(what: keyof typeof listMethods, { cursor, ...call }: Page): Promise<JsonObject> {
    const { client, outputSchemas } = this.#open;
    const offered = what === "resourceTemplates" ? "resources" : what;
    if (this.facts.capabilities[offered] === undefined) return { [what]: [] };
    const params = { ...defined({ cursor }), ...this.#told() };
    const page: JsonObject = await this.#run(call, (options) =>
      client.request({ method: listMethods[what], params }, options),
    );
    if (what !== "tools" || !Array.isArray(page["tools"])) return page;
    // Kept apart from the list, for the SDK's sake.
    const tools = page["tools"].map((tool: { name: string }) => {
      const outputSchema = outputSchemas.get(tool.name);
      return { ...tool, ...defined({ outputSchema }) };
    });
    return { ...page, tools };
  }

  callTool(name: string, args: JsonObject, call: InspectCall): Promise<CallToolResult> {
    const { client } = this.#open;
    const params = { name, arguments: args, ...this.#told() };
    return this.#ask(call, (answers, options) => client.callTool({ ...params, ...answers }, options));
  }

  readResource(uri: string, call: InspectCall): Promise<JsonObject> {
    const { client } = this.#open;
    const params = { uri, ...this.#told() };
    return this.#ask(call, (answers, options) =>
      client.readResource({ ...params, ...answers }, { ...options, cacheMode: "bypass" }),
    );
  }

  getPrompt(name: string, args: Record<string, string>, call: InspectCall): Promise<JsonObject> {
    const { client } = this.#open;
    const params = { name, arguments: args, ...this.#told() };
    return this.#ask(call, (answers, options) => client.getPrompt({ ...params, ...answers }, options));
  }

  async ping(call: InspectCall): Promise<void> {
    const { client } = this.#open;
    await this.#run<unknown>(call, (options) =>
      this.facts.era === "2026" ? client.discover(options) : client.ping(options),
    );
  }

  async setLevel(level: LoggingLevel, call: InspectCall): Promise<void> {
    if (this.facts.capabilities["logging"] === undefined) throw this.#lacks("log messages");
    const { client } = this.#open;
    if (this.facts.era === "2026") this.#level = level;
    else await this.#run(call, (options) => client.request({ method: "logging/setLevel", params: { level } }, options));
  }

  async subscribe(uri: string, call: InspectCall): Promise<void> {
    const { client } = this.#open;
    if (!this.#offers("resources", "subscribe")) throw this.#lacks("subscriptions");
    if (this.#followed.has(uri)) return;
    if (this.#followed.size >= maxFollowed) {
      throw new McpError("protocol", `at most ${maxFollowed} resources can be subscribed to; unsubscribe from some`);
    }
    if (this.facts.era === "2025") await this.#run(call, (options) => client.subscribeResource({ uri }, options));
    this.#followed.add(uri);
    this.#listen();
  }

  async unsubscribe(uri: string, call: InspectCall): Promise<void> {
    const { client } = this.#open;
    if (this.facts.era === "2025") await this.#run(call, (options) => client.unsubscribeResource({ uri }, options));
    if (this.#followed.delete(uri)) this.#listen();
  }

  async tellRoots(): Promise<void> {
    // A server that cannot be reached asks for them again when it can.
    if (this.facts.era === "2025") await this.#open.client.sendRootsListChanged().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#listening.abort();
    await this.#open.close();
  }

  /** In the 2026 era one stream carries all that changes; it is opened anew when it is to carry something else. */
  #listen(): void {
    if (this.facts.era === "2025") return;
    this.#listening.abort();
    this.#listening = new AbortController();
    const filter = {
      ...(this.#offers("tools", "listChanged") && { toolsListChanged: true }),
      ...(this.#offers("prompts", "listChanged") && { promptsListChanged: true }),
      ...(this.#offers("resources", "listChanged") && { resourcesListChanged: true }),
      ...(this.#followed.size > 0 && { resourceSubscriptions: [...this.#followed] }),
    };
    if (Object.keys(filter).length === 0) return;
    const closing = AbortSignal.any([this.#open.closing, this.#listening.signal]);
    void keepListening(this.#open.client, { filter, closing, onMissed: () => undefined });
  }

  #offers(what: string, part: string): boolean {
    return Reflect.get(Object(this.facts.capabilities[what]), part) === true;
  }

  #lacks(what: string): McpError {
    return new McpError("protocol", `${renderPlace(this.#open.url)} does not offer ${what}`);
  }

  #told(): { _meta?: JsonObject } {
    return this.#level === undefined ? {} : { _meta: { [logLevelKey]: this.#level } };
  }

  /** A request during which the server may ask. */
  #ask<Result extends object>(
    call: InspectCall,
    request: (answers: object, options: RequestOptions) => Promise<Result>,
  ): Promise<Result> {
    return this.#run(call, (options, open) =>
      open === undefined
        ? request({}, options)
        : callWithAnswers((answers) => request(answers, { ...options, ...open.options }), open, this.#open.url),
    );
  }

  #run<Result>(
    call: InspectCall,
    request: (options: RequestOptions, open: OpenCall | undefined) => Promise<Result>,
  ): Promise<Result> {
    return this.#open.run({ ...call, ask: this.#listener.ask }, request);
  }
}

type RequestOptions = NonNullable<Parameters<Client["ping"]>[0]>;

function readFacts(client: Client): ServerFacts {
  const { name, title, version } = client.getServerVersion() ?? {};
  return {
    era: client.getProtocolEra() === "modern" ? "2026" : "2025",
    protocolVersion: client.getNegotiatedProtocolVersion(),
    name,
    title,
    version,
    instructions: client.getInstructions(),
    capabilities: { ...client.getServerCapabilities() },
  };
}
