// What a list says of a history: its title and how many messages of callers it has. Only the beginnings of lines are looked at,
// and only of what came since the last look; a long history is counted over several looks. Nothing of it is stored.
import type { FileHandle } from "node:fs/promises";
import { renderTitle } from "./conversation-title.ts";
import { parseAnyHeader, type HistoryHeader } from "./history-text.ts";

/** Of a line: enough for its role, how much it withdraws, and a title. */
export const lineHeadBytes = 16 * 1024;
const chunkBytes = 64 * 1024;
/** Of one history: a longer one is listed, and its messages are no longer counted. */
export const maxCountedMessages = 16_384;
const lineBreak = 0x0a;
const rolePattern = /^\{"role":"(user|assistant|tool)"[,}]/;
const withdrawnPattern = /^\{"role":"withdrawn","messages":(\d{1,9})[,}]/;

export interface HistorySummary {
  key: string;
  title: string;
  createdAt: string;
  /** Messages of callers; undefined while they are not all counted. */
  turns: number | undefined;
}

/** One history as far as it was looked at. */
export class HistoryScan {
  #header: HistoryHeader | undefined;
  #title = "";
  /** Of each message that counts the first letter of its role: withdrawals take back the last ones. */
  #roles = "";
  #users = 0;
  #atBytes = 0;
  #lineStart = 0;

  /** Up to where it was looked at, the beginning of a line that is not over included. */
  get atBytes(): number {
    return this.#atBytes;
  }

  get #isTooLong(): boolean {
    return this.#roles.length > maxCountedMessages;
  }

  /** What is known of a file of this size. Undefined: it has no header yet, or nothing is left of what was said in it. */
  render(endBytes: number): HistorySummary | undefined {
    if (this.#header === undefined) return undefined;
    const isCounted = this.#atBytes >= endBytes && !this.#isTooLong;
    if (isCounted && this.#users === 0) return undefined;
    const { key, createdAt } = this.#header;
    return { key, title: this.#title, createdAt, turns: isCounted ? this.#users : undefined };
  }

  /** Looks on from where it stopped, up to `endBytes`, at no more than `maxBytes`. Throws where the file is no history. */
  async advance(file: FileHandle, endBytes: number, maxBytes: number): Promise<void> {
    const stopAt = Math.min(endBytes, this.#atBytes + maxBytes);
    const chunk = Buffer.allocUnsafe(Math.max(0, Math.min(chunkBytes, stopAt - this.#atBytes)));
    while (this.#atBytes < stopAt && !this.#isTooLong) {
      const base = this.#atBytes;
      const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, stopAt - base), base);
      if (bytesRead === 0) return;
      const bytes = chunk.subarray(0, bytesRead);
      for (let from = 0, at = bytes.indexOf(lineBreak); at !== -1; at = bytes.indexOf(lineBreak, from)) {
        const start = this.#lineStart;
        const isHere = start >= base;
        this.#takeLine(isHere ? headOf(bytes.subarray(start - base, at)) : await readHead(file, start, base + at));
        from = at + 1;
        this.#lineStart = base + from;
      }
      this.#atBytes = base + bytesRead;
    }
  }

  #takeLine(head: Buffer): void {
    if (this.#header === undefined) {
      this.#header = parseAnyHeader(head);
      return;
    }
    const text = head.toString("utf8");
    const withdrawn = withdrawnPattern.exec(text)?.[1];
    if (withdrawn !== undefined) {
      this.#roles = this.#roles.slice(0, Math.max(0, this.#roles.length - Number(withdrawn)));
      this.#users = this.#roles.split("u").length - 1;
    }
    const role = rolePattern.exec(text)?.[1];
    if (role === undefined) return;
    if (role === "user") {
      if (this.#users === 0) this.#title = renderTitle(text);
      this.#users += 1;
    }
    this.#roles += role.charAt(0);
  }
}

const headOf = (line: Buffer): Buffer => line.subarray(0, lineHeadBytes);

async function readHead(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const head = Buffer.allocUnsafe(Math.min(lineHeadBytes, end - start));
  const { bytesRead } = await file.read(head, 0, head.length, start);
  return head.subarray(0, bytesRead);
}
