// One page of the list of servers (CAT-10): the records that a query selects after the one it had last. A page goes by
// name, so that servers that come and go meanwhile make none appear twice and hide none that stays.
import * as z from "zod";
import { countSchema } from "../../crds/catalogue.ts";
import { defined } from "../../lib/process/defined.ts";
import { digest } from "../../lib/process/entity-tag.ts";
import { renderCursor, type ServerQuery } from "./query.ts";
import { serverResponseSchema, type ServerRecord } from "./record.ts";

/** Letters that survive in a URL as they are. */
const cursorPattern = /^[A-Za-z0-9_-]+$/;
export const serverListSchema = z.object({
  servers: z.array(serverResponseSchema),
  metadata: z.object({ count: countSchema, nextCursor: z.string().regex(cursorPattern).exactOptional() }),
});

export interface Page {
  /** Quotes included. */
  etag: string;
  /** Joins the records' texts; called only for who has not the page yet. */
  render(): string;
}

/** `sorted` by name in code-unit order. */
export function selectPage(sorted: readonly ServerRecord[], query: ServerQuery): Page {
  const { limit, after } = query;
  const found: ServerRecord[] = [];
  let hasMore = false;
  for (let at = after === undefined ? 0 : firstAfter(sorted, after); at < sorted.length; at += 1) {
    const record = sorted[at];
    if (record === undefined || !isSelected(record, query)) continue;
    hasMore = found.length === limit;
    if (hasMore) break;
    found.push(record);
  }
  const last = found.at(-1);
  const next = hasMore && last !== undefined ? renderCursor({ ...query, after: last.name }) : undefined;
  return renderPage(found, next);
}

/** Always with metadata, which some clients read without looking whether it is there. */
export function renderPage(records: readonly ServerRecord[], nextCursor?: string): Page {
  const metadata = JSON.stringify({ ...defined({ nextCursor }), count: records.length });
  return {
    etag: `"${digest(`${records.map((record) => record.digest).join()}${metadata}`)}"`,
    render: () => `{"servers":[${records.map(({ text }) => text).join(",")}],"metadata":${metadata}}`,
  };
}

function isSelected(record: ServerRecord, { search, updatedSince, version, includeDeleted }: ServerQuery): boolean {
  return (
    (includeDeleted || !record.isDeleted) &&
    (updatedSince === undefined || record.updatedAt >= updatedSince) &&
    (version === undefined || record.version === version) &&
    (search === undefined || record.searched.includes(search))
  );
}

/** Index of the first record whose name comes after `name`. */
function firstAfter(sorted: readonly ServerRecord[], name: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle]?.name ?? "") <= name) low = middle + 1;
    else high = middle;
  }
  return low;
}
