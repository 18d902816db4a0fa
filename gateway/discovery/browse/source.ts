// A place to browse, whatever it speaks: what it can be asked, and what reading one has in common with another.
import type { BrowseSource } from "../../../crds/gateway-config.ts";
import { isJsonObject } from "../../../lib/mcp/json-rpc.ts";
import { speaksOfMcp, type Listing } from "./listing.ts";
import type { SourceClient } from "./source-client.ts";

export interface SourcePage {
  readonly listings: readonly Listing[];
  /** Where the next page begins, in the place's own words. */
  readonly next?: string | undefined;
  /** How many entries could not be read. */
  readonly leftOut: number;
}

export interface Source {
  readonly name: string;
  readonly kind: BrowseSource["kind"];
  /** @param at the `next` of the page before, which a stranger may have written. Throws SourceFailed. */
  search(query: string, page: { size: number; at?: string | undefined }, signal: AbortSignal): Promise<SourcePage>;
  /** The server of exactly that name. */
  find(name: string, signal: AbortSignal): Promise<Listing | undefined>;
  /** Throws SourceFailed where it cannot be asked. */
  probe(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export type ReadSource = (named: Pick<BrowseSource, "name" | "kind">, client: SourceClient) => Omit<Source, "close">;

/** A member of what should be an object. */
export const memberOf = (value: unknown, key: string): unknown =>
  isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

/** Those of a few names that are there and have to do with MCP. Throws only where none could be asked. */
export async function findCandidates(
  names: readonly string[],
  find: Source["find"],
  signal: AbortSignal,
): Promise<Listing[]> {
  const findOfMcp = async (name: string): Promise<Listing | undefined> => {
    const listing = await find(name, signal);
    return listing && speaksOfMcp([name, listing.description, ...listing.tags]) ? listing : undefined;
  };
  const settled = await Promise.allSettled(names.map(findOfMcp));
  const found = settled.flatMap((each) => (each.status === "fulfilled" && each.value ? [each.value] : []));
  const failed = settled.find((each) => each.status === "rejected");
  if (found.length === 0 && failed !== undefined) throw failed.reason;
  return found;
}
