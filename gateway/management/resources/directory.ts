// `resource://directory/list`: what the directory lists (DIR-4), with what of it is alive, as `GET /discover/agents` says it, and each
// card as it was submitted.
import type { Clock, Timer } from "../../../lib/process/clock.ts";
import type { Catalogue } from "../../directory/catalogue.ts";
import type { DirectoryEntry } from "../../directory/entry.ts";
import { renderEntry, renderEntryCard } from "../../directory/render.ts";
import { isViewer } from "../access.ts";
import type { ResourceFamily } from "./family.ts";

export const maxDirectoryItems = 1_000;
/** Of all items, in bytes of JSON: what comes behind has no card, and where even that is too much is left out. */
const maxWholeBytes = 2.5 * 1024 * 1024;
const maxListBytes = 3.5 * 1024 * 1024;
/** Beats come as they please, and an endpoint dies without a word. */
const lookMs = 2_000;

export interface DirectoryListParts {
  catalogue: Catalogue;
  clock: Clock;
}

export const createDirectoryList = ({ catalogue, clock }: DirectoryListParts): ResourceFamily => ({
  uri: "resource://directory/list",
  name: "Directory",
  description: "Agents and MCP servers of the directory, with what of them is alive.",
  listKeys: (identity) => (isViewer(identity) ? [""] : []),
  mayRead: (_key, identity) => isViewer(identity),
  async read(_key, identity) {
    const entries = [...catalogue.list(identity)];
    const render = (entry: DirectoryEntry) => ({ ...renderEntry(entry, catalogue, identity), kind: entry.kind });
    const card = (entry: DirectoryEntry) => renderEntryCard(entry, catalogue) ?? null;
    return { items: fitItems(entries.slice(0, maxDirectoryItems), render, card), totalCount: entries.length };
  },
  changedKeys: () => [""],
  follow(_key, onChange) {
    let before = sumUp(catalogue);
    let timer: Timer;
    const look = () => {
      const now = sumUp(catalogue);
      if (now !== before) onChange();
      before = now;
      timer = clock.schedule(lookMs, look);
    };
    timer = clock.schedule(lookMs, look);
    return () => timer.cancel();
  },
});

/** All that may change of what anybody reads. */
function sumUp(catalogue: DirectoryListParts["catalogue"]): string {
  const lines: string[] = [];
  for (const { id, updatedAt, endpoints } of catalogue.list(undefined)) {
    lines.push(`${id} ${updatedAt} ${endpoints.map((each) => catalogue.observe(each)).join(" ")}`);
  }
  return lines.join("\n");
}

function fitItems(
  entries: readonly DirectoryEntry[],
  render: (entry: DirectoryEntry) => object,
  renderCard: (entry: DirectoryEntry) => string | null,
) {
  const items: object[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const item = render(entry);
    const card = renderCard(entry);
    const whole = { ...item, card };
    const isRoom = bytes + sizeOf(whole) <= maxWholeBytes;
    const shown = isRoom ? whole : { ...item, card: null, ...(card !== null && { cardLeftOut: true }) };
    bytes += sizeOf(shown);
    if (bytes > maxListBytes) break;
    items.push(shown);
  }
  return items;
}

const sizeOf = (item: object): number => Buffer.byteLength(JSON.stringify(item)) + 1;
