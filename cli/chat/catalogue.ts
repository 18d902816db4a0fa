// The agents that a registry lists: who can be talked to, and where. It asks once and keeps nothing.
import * as z from "zod";
import { cataloguePath, runtimeMetaKey } from "../../crds/catalogue.ts";
import { createSafeFetch } from "../../lib/mcp/safe-fetch.ts";
import { withoutEndSlashes } from "../../lib/process/end-slashes.ts";
import { reasonOf, UsageError } from "../manifests/find-files.ts";
import { plainLine } from "../plain-text.ts";
import { ChatError } from "./chat-error.ts";

export interface ListedAgent {
  /** The agent's name as its URL and history prompt have it. */
  name: string;
  /** With its instance's namespace in front. */
  wholeName: string;
  description: string;
  url: string;
  isReady: boolean;
  /** Why it is not ready or not well, where the registry knows. */
  reason: string | undefined;
}

const timeoutMs = 5_000;
const maxBytes = 32 * 1024 * 1024;

const line = z.string().transform(plainLine);
const catalogueSchema = z.object({
  servers: z.array(
    z.object({
      server: z.object({ name: line, description: line, remotes: z.array(z.object({ url: z.url() })).min(1) }),
      _meta: z.object({
        [runtimeMetaKey]: z.object({ readyReplicas: z.number(), message: line.optional() }).optional(),
      }),
    }),
  ),
});

/**
 * All agents of the registry at this base URL, by name.
 * @throws ChatError when it cannot be asked, UsageError for a URL that is none
 */
export async function listAgents(registry: string): Promise<ListedAgent[]> {
  if (!URL.canParse(registry) || !/^https?:$/.test(new URL(registry).protocol)) {
    throw new UsageError(`--registry ${registry}: expected a URL such as http://localhost:24200`);
  }
  const url = `${withoutEndSlashes(registry).replace(cataloguePath, "")}${cataloguePath}`;
  const result = catalogueSchema.safeParse(await fetchJson(url));
  if (!result.success) throw noCatalogue(url, result.error);
  return result.data.servers
    .map(({ server, _meta: { [runtimeMetaKey]: runtime } }) => ({
      name: server.name.slice(server.name.lastIndexOf("/") + 1),
      wholeName: server.name,
      description: server.description,
      url: server.remotes[0]?.url ?? "",
      // A registry that says nothing of it leaves it to the call.
      isReady: runtime === undefined || runtime.readyReplicas > 0,
      reason: runtime?.message,
    }))
    .toSorted((a, b) => a.name.localeCompare(b.name));
}

async function fetchJson(url: string): Promise<unknown> {
  const safeFetch = createSafeFetch({ connectTimeoutMs: timeoutMs, maxResponseBytes: maxBytes });
  let response: Response;
  let text: string;
  try {
    response = await safeFetch.fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    text = await response.text();
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new ChatError(
      `the registry at ${url} does not answer (${reasonOf(cause)}); is "pallas up" running? If it is elsewhere, name it with --registry URL`,
      { cause: error },
    );
  } finally {
    await safeFetch.close();
  }
  if (response.status === 503) {
    throw new ChatError(`the registry at ${url} is still reading its resources; try again in a moment`);
  }
  if (!response.ok) throw noCatalogue(url, new Error(`it answers ${response.status}`));
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed;
  } catch (error) {
    throw noCatalogue(url, error);
  }
}

const noCatalogue = (url: string, cause: unknown): ChatError =>
  new ChatError(`what answers at ${url} is not a Pallas registry; correct --registry`, { cause });
