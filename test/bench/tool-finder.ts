// What the benchmark of tool searches asks of each program that finds tools, whoever made it: an MCP client of the SDK that calls
// the program's own tool for that.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { ProcessUsage } from "./process-usage.ts";

export interface FinderBackend {
  readonly name: string;
  readonly url: string;
}

export interface ToolFinder extends AsyncDisposable {
  /** Names of the tools it finds, best first, as `{server}__{tool}`. */
  find(query: string): Promise<string[]>;
  /** Resolves when it was told of one more server, whose tools it may find later. */
  add(backend: FinderBackend): Promise<void>;
  usage(): Promise<ProcessUsage>;
}

const callTimeoutMs = 60_000;

export interface OpenTool extends AsyncDisposable {
  /** The JSON of what it answers. */
  call(args: Record<string, unknown>): Promise<unknown>;
}

/** A session in which one tool is called. */
export async function openTool(
  url: string,
  tool: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<OpenTool> {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return {
    async call(args) {
      const result = await client.callTool({ name: tool, arguments: args }, { timeout: callTimeoutMs });
      if (result.structuredContent !== undefined) return result.structuredContent;
      const text = result.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
      if (result.isError === true) throw new Error(`expected ${tool} to answer, found: ${text.slice(0, 500)}`);
      return JSON.parse(text);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
