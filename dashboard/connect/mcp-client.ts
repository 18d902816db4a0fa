// A client of the gateway's MCP endpoints for this page: the 2026 era alone, since gateway and page are of one release. Each call has
// a deadline, which progress moves; what a server asks of the person goes to whoever made the call.
import { Client } from "@modelcontextprotocol/client";
import { CallTransport } from "./call-transport.ts";
import type { GatewayFetch } from "./fetch.ts";

const revision = "2026-07-28";
const connectTimeoutMs = 10_000;
/** Our own deadlines decide; the client's must never fire first. */
export const neverMs = 2 ** 31 - 1;

/** No schema is checked by the client: its own validator would be a fifth of the page. */
const unusedValidator = {
  getValidator: () => () => ({ valid: false, data: undefined, errorMessage: "no schema is checked here" }) as const,
};

export interface McpClientOptions {
  /** Of the endpoint, such as `/mcp`. */
  path: string;
  origin: string;
  fetch: GatewayFetch;
  version: string;
  signal: AbortSignal;
  /** Whether people can be asked through it. */
  asks?: boolean;
}

/** Rejects when it cannot be reached, or asks for another sign-in. */
export async function connectClient({ path, origin, fetch, version, signal, asks }: McpClientOptions): Promise<Client> {
  const client = new Client(
    { name: "pallas-dashboard", version },
    {
      versionNegotiation: { mode: { pin: revision }, probe: { timeoutMs: connectTimeoutMs } },
      inputRequired: { autoFulfill: false },
      capabilities: asks === true ? { elicitation: { form: {} } } : {},
      jsonSchemaValidator: unusedValidator,
    },
  );
  const transport = new CallTransport(new URL(path, origin), { fetch });
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(connectTimeoutMs)]);
  try {
    await client.connect(transport, { signal: deadline, timeout: neverMs });
    return client;
  } catch (error) {
    await transport.close().catch(() => undefined);
    throw error;
  }
}
