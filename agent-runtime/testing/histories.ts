// Stores of histories in temporary folders, and the messages of a conversation, for tests.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../lib/process/clock.ts";
import type { ModelMessage } from "../model/types.ts";
import { openHistory, renderName } from "../session/history-files.ts";
import type { FolderOptions } from "../session/history-folder.ts";
import { readEntry, readIndex } from "../session/history-index.ts";
import { resolveImages } from "../session/history-reader.ts";
import { createLineReader } from "../session/line-reader.ts";
import { ImageFiles } from "../session/image-files.ts";
import { createJsonlStore } from "../session/jsonl-store.ts";
import type { SessionStore } from "../session/store.ts";
import type { HistoryEntry, WithdrawnEntry } from "../session/transcript.ts";
import { createTestLog, type TestLog } from "./servers.ts";

export interface TestStore extends SessionStore {
  append(key: string, entry: HistoryEntry | WithdrawnEntry, owner?: string): Promise<void>;
  /** All that was said and is kept, tools and summaries included. */
  readAll(key: string): Promise<HistoryEntry[]>;
  folder: string;
  lines: TestLog["lines"];
  stop(): Promise<void>;
}

/** A folder that goes with the test. */
export async function createTestFolder(): Promise<{ path: string; stop(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "pallas-histories-"));
  return { path, stop: () => rm(path, { recursive: true, force: true }) };
}

/** A store on a folder that somebody else removes, like the one that a process before it worked on. */
export function createTestStore(folder: string, changes: Partial<FolderOptions> = {}): TestStore {
  const { log, lines } = createTestLog("DEBUG");
  const limits = { maxBytes: 1e9, maxBytesPerConversation: 1e8, idleTtlMs: 86_400_000 };
  const store = createJsonlStore({ folder, ...limits, clock: systemClock, log, ...changes });
  return {
    ...store,
    append: (key, entry, owner = "") => store.append(key, entry, owner),
    async readAll(key) {
      const name = renderName(key);
      const file = (await readdir(folder)).find((each) => each.startsWith(name) && each.endsWith(".jsonl"));
      if (file === undefined) return [];
      await using handle = await openHistory(folder, file);
      const { entries } = await readIndex(handle, key);
      const lines = createLineReader(handle);
      const images = await ImageFiles.open(folder, Infinity, new Set([name]));
      const read: HistoryEntry[] = [];
      for (const place of entries) {
        read.push(await resolveImages(await readEntry(lines, place), Infinity, (image) => images.read(name, image)));
      }
      return read;
    },
    folder,
    lines,
    stop: store.close,
  };
}

export const user = (text: string): ModelMessage => ({ role: "user", content: [{ type: "text", text }] });

export const calls = (...ids: string[]): ModelMessage => ({
  role: "assistant",
  text: "",
  toolCalls: ids.map((id) => ({ id, name: `tool-${id}`, arguments: {} })),
});

export const result = (callId: string): ModelMessage => ({
  role: "tool",
  results: [{ callId, name: `tool-${callId}`, text: callId, images: [], isError: false }],
});
