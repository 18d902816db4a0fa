// A caller of a gateway for tests: an MCP client with a bearer token, and short ways to what it asks.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import * as z from "zod";

export interface GatewayCaller {
  readonly client: Client;
  call(name: string, args?: Record<string, unknown>): Promise<unknown>;
  /** The JSON of a resource. */
  read(uri: string): Promise<unknown>;
  /** Ids of the calls that the agent works on. */
  runsOf(agent: string): Promise<string[]>;
  close(): Promise<void>;
}

const readSchema = z.object({ contents: z.tuple([z.object({ text: z.string() })]) });
const stateSchema = z.object({ runs: z.array(z.object({ run_id: z.string() })) });

/** @param url of its /mcp */
export async function openGatewayCaller(url: string | URL, token: string): Promise<GatewayCaller> {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  const read = async (uri: string): Promise<unknown> =>
    JSON.parse(readSchema.parse(await client.readResource({ uri })).contents[0].text);
  return {
    client,
    call: (name, args = {}) => client.callTool({ name, arguments: args }),
    read,
    runsOf: async (agent) =>
      stateSchema.parse(await read(`resource://agents/${agent}/state`)).runs.map(({ run_id }) => run_id),
    close: () => client.close(),
  };
}
