// The peer among tool searches: vmcp of ToolHive with its optimizer, built with Go from the pinned module in toolhive/, over servers
// that its configuration lists. It reads that once, so that one more server means another start.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dump } from "js-yaml";
import * as z from "zod";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { buildToolhive } from "./peer-build.ts";
import { startServer, type ServerUnderTest } from "./server-under-test.ts";
import { openTool, type FinderBackend, type OpenTool, type ToolFinder } from "./tool-finder.ts";

/** What parts a server's name from a tool's. */
const separator = "__";

const renderConfig = (backends: readonly FinderBackend[], embeddingsUrl: string): string =>
  dump({
    name: "bench",
    groupRef: "bench",
    incomingAuth: { type: "anonymous" },
    outgoingAuth: { source: "inline", default: { type: "unauthenticated" } },
    backends: backends.map(({ name, url }) => ({ name, url, transport: "streamable-http" })),
    aggregation: {
      conflictResolution: "prefix",
      conflictResolutionConfig: { prefixFormat: `{workload}${separator}` },
    },
    optimizer: { embeddingProvider: "openai", embeddingService: embeddingsUrl, embeddingModel: "words" },
  });

const foundSchema = z.object({ tools: z.array(z.object({ name: z.string() })) });

async function startVmcp(
  program: string,
  backends: readonly FinderBackend[],
  embeddingsUrl: string,
): Promise<ServerUnderTest> {
  const port = await findFreePorts();
  const url = `http://127.0.0.1:${port}`;
  return startServer(async (dir) => {
    const config = join(dir, "vmcp.yaml");
    await writeFile(config, renderConfig(backends, embeddingsUrl));
    const args = ["serve", "--config", config, "--host", "127.0.0.1", "--port", String(port)];
    const env = { HOME: dir, XDG_CONFIG_HOME: dir, XDG_DATA_HOME: dir, XDG_STATE_HOME: dir, CI: "true" };
    return { name: "vmcp", file: program, args, env, url, readyUrl: `${url}/health` };
  });
}

/** Throws where it cannot be built. */
export async function startVmcpFinder(
  first: readonly FinderBackend[],
  embeddingsUrl: string,
): Promise<ToolFinder & { version: string }> {
  const peer = await buildToolhive("vmcp");
  if ("missing" in peer) throw new Error(`expected vmcp of ToolHive, but it could not be built: ${peer.missing}`);
  const backends = [...first];
  let server: ServerUnderTest;
  let tool: OpenTool;
  const start = async () => {
    server = await startVmcp(peer.program, backends, embeddingsUrl);
    tool = await openTool(`${server.url}/mcp`, "find_tool");
  };
  const stop = async () => {
    await tool[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
  await start();
  return {
    version: peer.version,
    async find(query) {
      const { tools } = foundSchema.parse(await tool.call({ tool_description: query }));
      return tools.map(({ name }) => name);
    },
    async add(backend) {
      backends.push(backend);
      await stop();
      await start();
    },
    usage: () => server.usage(),
    [Symbol.asyncDispose]: stop,
  };
}
