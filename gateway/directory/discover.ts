// The one way in which the directory is asked (DIR-3, DIR-4): what callers give is read, entries pass all filters, then come pages,
// whose totals count what passed. One and the same endpoint must have the protocol, the transport and be alive.
import { protocols, transports } from "../../crds/registration.ts";
import { defined } from "../../lib/process/defined.ts";
import type { DirectoryEndpoint, DirectoryEntry } from "./entry.ts";
import { DirectoryRefused } from "./refused.ts";

export const maxPageSize = 100;
const defaultPageSize = 20;
const maxTags = 32;
const maxPage = 1_000_000;

export interface DiscoverQuery {
  readonly capability?: string;
  /** All of them, by whichever of its capabilities. */
  readonly tags: readonly string[];
  readonly protocol?: (typeof protocols)[number];
  readonly transport?: (typeof transports)[number];
  readonly liveOnly: boolean;
  readonly page: number;
  readonly pageSize: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly totalCount: number;
  readonly page: number;
  readonly pageSize: number;
  readonly totalPages: number;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** Names of parameters that nobody knows are left alone. Throws a DirectoryRefused. */
export function parseDiscoverQuery(parameters: URLSearchParams): DiscoverQuery {
  const read = (name: string): string | undefined => {
    const [value, ...others] = parameters.getAll(name);
    if (others.length > 0) throw new DirectoryRefused(400, `${name} is given ${others.length + 1} times: give it once`);
    return value === "" ? undefined : value;
  };
  const tags = [
    ...new Set(
      (read("tags") ?? "")
        .split(",")
        .map((tag) => tag.trim())
        .filter((tag) => tag !== ""),
    ),
  ];
  if (tags.length > maxTags) {
    throw new DirectoryRefused(400, `tags has ${tags.length} tags, more than ${maxTags}: give fewer`);
  }
  return {
    tags,
    liveOnly: parseFlag("liveOnly", read("liveOnly")) ?? true,
    page: parseCount("page", read("page"), maxPage) ?? 1,
    pageSize: parseCount("pageSize", read("pageSize"), maxPageSize) ?? defaultPageSize,
    ...defined({
      capability: read("capability"),
      protocol: parseWord("protocol", read("protocol"), protocols),
      transport: parseWord("transport", read("transport"), transports),
    }),
  };
}

/** In any case, as other directories take them. */
export function findWord<Word extends string>(text: string, words: readonly Word[]): Word | undefined {
  const asked = text.toLowerCase();
  return words.find((word) => word.toLowerCase() === asked);
}

const shorten = (text: string): string => (text.length <= 64 ? text : `${text.slice(0, 64)}…`);

function parseWord<Word extends string>(
  name: string,
  text: string | undefined,
  words: readonly Word[],
): Word | undefined {
  if (text === undefined) return undefined;
  const found = findWord(text, words);
  if (found !== undefined) return found;
  throw new DirectoryRefused(400, `${name} "${shorten(text)}" is none of ${words.join(", ")}`);
}

function parseFlag(name: string, text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text.toLowerCase() === "true") return true;
  if (text.toLowerCase() === "false") return false;
  throw new DirectoryRefused(400, `${name} "${shorten(text)}" is neither true nor false`);
}

function parseCount(name: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined;
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= max) return count;
  throw new DirectoryRefused(400, `${name} "${shorten(text)}" is no number from 1 to ${max}`);
}

export function discover(
  entries: Iterable<DirectoryEntry>,
  query: DiscoverQuery,
  isLive: (endpoint: DirectoryEndpoint) => boolean,
): Page<DirectoryEntry> {
  const { capability, tags, protocol, transport, liveOnly, page, pageSize } = query;
  const needsEndpoint = liveOnly || protocol !== undefined || transport !== undefined;
  const fits = (endpoint: DirectoryEndpoint) =>
    (protocol === undefined || endpoint.protocol === protocol) &&
    (transport === undefined || endpoint.transport === transport) &&
    (!liveOnly || isLive(endpoint));
  const passes = ({ words, endpoints }: DirectoryEntry) =>
    (capability === undefined || words.names.has(capability)) &&
    tags.every((tag) => words.tags.has(tag)) &&
    (!needsEndpoint || endpoints.some(fits));
  const first = (page - 1) * pageSize;
  const items: DirectoryEntry[] = [];
  let totalCount = 0;
  for (const entry of entries) {
    if (!passes(entry)) continue;
    if (totalCount >= first && items.length < pageSize) items.push(entry);
    totalCount += 1;
  }
  const totalPages = Math.ceil(totalCount / pageSize);
  return { items, totalCount, page, pageSize, totalPages, hasNextPage: page < totalPages, hasPreviousPage: page > 1 };
}
