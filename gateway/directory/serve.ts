// The directory of an instance as a gateway serves it, put together from where registrations are kept and from what the gateway knows:
// routes for callers who were named, reads for everybody where the instance says so, and MCP tools, for agents at an endpoint of their own,
// since an agent's `/mcp` is its compositor.
import { Hono } from "hono";
import type { GatewayConfig } from "../../crds/gateway-config.ts";
import { serveMcp } from "../../lib/mcp/serve.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { createMemoryBudget, deriveBudgetBytes } from "../../lib/process/memory-budget.ts";
import { createDirectoryList } from "../management/resources/directory.ts";
import type { ResourceFamily } from "../management/resources/family.ts";
import { createToolSource } from "../management/tools/source.ts";
import type { ManagementTool } from "../management/tools/tool.ts";
import type { GatewayRoutes } from "../name-caller.ts";
import type { StateSource } from "../state/state.ts";
import { Catalogue } from "./catalogue.ts";
import { Directory } from "./directory.ts";
import { createPublicReads } from "./reads.ts";
import { createDirectoryRoutes } from "./routes.ts";
import type { RegistrationStore } from "./store.ts";
import { createDirectoryTools } from "./tools.ts";

/** Its endpoint is at `{path}/mcp`. */
const directoryPath = "/directory";
const bodyLimitBytes = 64 * 1024;
const sessions = { idleTtlMs: 60 * 60_000, max: 1_024 };

export interface ServedDirectoryParts {
  config: Pick<GatewayConfig, "instance" | "directory">;
  state: StateSource;
  store: RegistrationStore;
  log: Logger;
  clock: Clock;
}

export interface ServedDirectory {
  routes: Hono<GatewayRoutes>;
  /** For before callers are named. */
  publicReads?: Hono<GatewayRoutes>;
  /** For the management table too. */
  tools: readonly ManagementTool[];
  /** The same. */
  resources: readonly ResourceFamily[];
  close(): Promise<void>;
}

export function serveDirectory({ config, state, store, log, clock }: ServedDirectoryParts): ServedDirectory {
  const { name, namespace, version } = config.instance;
  const catalogue = new Catalogue({ store, own: state, version, log, clock });
  const directory = new Directory({ catalogue, store, namespace, instance: name, clock });
  const tools = createDirectoryTools(catalogue);
  const table = {
    server: { name: "pallas-directory", title: `Directory of ${name}`, version },
    instructions: "Find agents and MCP servers of this instance's directory.",
    tools: createToolSource(tools, false),
    prompts: [],
  };
  const endpoint = serveMcp(table, { log, bodyLimitBytes, callers: "named", sessions, clock });
  const routes = new Hono<GatewayRoutes>();
  routes.route("/", createDirectoryRoutes({ directory, budget: createMemoryBudget(deriveBudgetBytes()), log }));
  routes.route(directoryPath, endpoint.app);
  return {
    routes,
    ...(config.directory?.public === true && {
      publicReads: createPublicReads(catalogue, () => state.observeUnready()),
    }),
    tools,
    resources: [createDirectoryList({ catalogue, clock })],
    async close() {
      catalogue.close();
      await endpoint.close();
    },
  };
}
