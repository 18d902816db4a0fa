// Cuts what a process writes into lines, each byte looked at once. A line over the limit is dropped as it comes, so that it
// costs no memory; whoever asks is given its beginning and its end, by which it may be told whose it was.
export interface LongLine {
  readonly head: string;
  readonly tail: string;
  readonly bytes: number;
}

export interface LineReaderOptions {
  /** Inclusive, without the end of line. */
  readonly maxLineBytes: number;
  readonly onLine: (line: string) => void;
  readonly onLong: (line: LongLine) => void;
}

export interface LineReader {
  push(chunk: Buffer): void;
  /** No more comes: what stands there without an end of line is the last line. */
  end(): void;
}

const lineFeed = 10;
/** Of each end of a long line. */
const keptBytes = 1_024;

export function createLineReader({ maxLineBytes, onLine, onLong }: LineReaderOptions): LineReader {
  let parts: Buffer[] = [];
  let bytes = 0;
  let head = "";
  let tail = Buffer.alloc(0);

  const add = (part: Buffer) => {
    if (bytes <= maxLineBytes) parts.push(part);
    bytes += part.length;
    if (bytes <= maxLineBytes) return;
    if (parts.length > 0) {
      head = Buffer.concat(takeFirst(parts)).toString("utf8");
      tail = Buffer.concat(takeFirst(parts.toReversed().map((each) => each.subarray(-keptBytes))).toReversed());
      parts = [];
    } else {
      tail = Buffer.concat([tail, part.subarray(-keptBytes)]);
    }
    tail = tail.subarray(-keptBytes);
  };
  const finish = () => {
    if (bytes > maxLineBytes) onLong({ head, tail: tail.toString("utf8"), bytes });
    else if (bytes > 0) onLine(withoutReturn(Buffer.concat(parts, bytes)));
    parts = [];
    bytes = 0;
    head = "";
    tail = Buffer.alloc(0);
  };
  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, from)) {
        add(chunk.subarray(from, at));
        finish();
        from = at + 1;
      }
      if (from < chunk.length) add(chunk.subarray(from));
    },
    end: finish,
  };
}

/** So many of the parts that the kept bytes are among them. */
function takeFirst(parts: readonly Buffer[]): Buffer[] {
  const taken: Buffer[] = [];
  let bytes = 0;
  for (const part of parts) {
    if (bytes >= keptBytes) break;
    taken.push(part.subarray(0, keptBytes));
    bytes += part.length;
  }
  return taken;
}

function withoutReturn(line: Buffer): string {
  const isReturn = line.at(-1) === 13;
  return line.toString("utf8", 0, isReturn ? line.length - 1 : line.length);
}
