// What the benchmark of gateways for tool servers asks of each of them, whoever made it.
import type { Target } from "./mcp-load.ts";
import type { ProcessUsage } from "./process-usage.ts";

export interface RegisteredServer {
  /** Names of its tools as the gateway lists them now. */
  listTools(): Promise<string[]>;
  /** Where a call of its tool goes through the gateway. */
  target(tool: string): Target;
}

export interface ToolGateway extends AsyncDisposable {
  /** Resolves when the gateway has answered that it knows the server, whose tools it may list later. */
  register(name: string, serverUrl: string): Promise<RegisteredServer>;
  usage(): Promise<ProcessUsage>;
}
