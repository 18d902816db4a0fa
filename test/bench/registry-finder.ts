// Our gateway as the benchmark of tool searches sees it: the built one on a real API server, into which it writes the servers that it is
// told of by its REST, asked through its MCP tool `registry`.
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import { startRegisteringGateway } from "./registering-gateway.ts";
import { openTool, type FinderBackend, type ToolFinder } from "./tool-finder.ts";

const named = z.object({ call_as: z.string() });
const foundSchema = z.object({
  call_as: z.string().optional(),
  other_matches: z.array(named).default([]),
  /** Without the endpoint, or before it has given a vector of each tool. */
  degraded: z.boolean().default(false),
});
const prefix = "mcp__";
const rankedWithinMs = 60_000;
const pollMs = 50;

/** Resolves when it knows them all and, with an endpoint for embeddings, ranks by it. */
export async function startRegistryFinder(
  backends: readonly FinderBackend[],
  embeddingsUrl?: string,
): Promise<ToolFinder> {
  await using stack = new AsyncDisposableStack();
  const embeddings =
    embeddingsUrl === undefined
      ? {}
      : { embeddings: { kind: "openai", baseUrl: embeddingsUrl, model: "words" } as const };
  const gateway = stack.use(await startRegisteringGateway(embeddings));
  const add = async ({ name, url }: FinderBackend) => void (await gateway.register(name, url));
  for (const backend of backends) await add(backend);
  const registry = stack.use(await openTool(`${gateway.url}/mcp`, "registry", gateway.headers));
  const ask = async (query: string) =>
    foundSchema.parse(await registry.call({ action: "find_tool", query, auto_activate: false }));
  const startedAt = performance.now();
  while ((await ask("draw a chart")).degraded) {
    if (performance.now() - startedAt > rankedWithinMs) {
      throw new Error(`expected vectors of all tools within ${rankedWithinMs} ms: the answers are still degraded`);
    }
    await delay(pollMs);
  }
  const parts = stack.move();
  return {
    async find(query) {
      const found = await ask(query);
      const names = [found, ...found.other_matches].flatMap(({ call_as: name }) => name ?? []);
      return names.map((name) => name.slice(prefix.length));
    },
    add,
    usage: gateway.usage,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
