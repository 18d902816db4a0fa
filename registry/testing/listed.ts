// Servers as the lister gives them, for tests of what is made of a listing.
import type { InstanceStatus } from "../../crds/instance.ts";
import { renderCatalogueEntry } from "../../plan/catalogue.ts";
import { publishedAgentUrl } from "../../plan/urls.ts";
import type { ListedServer, Listing } from "../catalogue/listing.ts";
import { makeAgent, makeInstance } from "./resources.ts";

/** A new object at each call, as after a change. */
export function sampleServer(
  name = "research",
  agentSpec: Record<string, unknown> = {},
  instanceSpec: Record<string, unknown> = {},
  instanceStatus: InstanceStatus = {},
): ListedServer {
  const agent = makeAgent(name, agentSpec);
  const instance = { ...makeInstance(instanceSpec), status: instanceStatus };
  const entry = renderCatalogueEntry(agent, instance, publishedAgentUrl(agent, instance));
  return { agent, entry, text: JSON.stringify(entry) };
}

export const listingOf = (...servers: ListedServer[]): Listing => ({ servers, conflicts: [] });
