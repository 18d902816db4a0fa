// Takes a Markdown text apart as it comes: each block is given once it is whole, so that it can be shown for good while the
// next one is still being written. What is inside a code fence, or indented below a list, stays with what it belongs to.
// Every character is looked at once, whoever wrote it.

/** Of the unfinished line, what is told of it. */
const tailLength = 400;
const fence = /^ {0,3}(?:```|~~~)/;

export interface MarkdownBlocks {
  /** Takes a piece; the blocks that it made whole. */
  push(piece: string): string[];
  /** The end of what is being written, on one line. */
  readonly tail: string;
  /** The blocks that are left. Nothing comes after it. */
  end(): string[];
}

export function readBlocks(): MarkdownBlocks {
  let lines: string[] = [];
  let begun = "";
  let tail = "";
  let inFence = false;
  let afterBlank = false;

  /** The block before a line that begins so, where that begins another one. */
  const closeBefore = (beginning: string): string[] => {
    if (!afterBlank || inFence || beginning === "" || /^\s/.test(beginning)) return [];
    const block = lines.join("\n").trimEnd();
    lines = [];
    afterBlank = false;
    return block === "" ? [] : [block];
  };
  const takeLine = (line: string): string[] => {
    const whole = closeBefore(line.trim() === "" ? "" : line);
    if (fence.test(line)) inFence = !inFence;
    if (!inFence && line.trim() === "") afterBlank = true;
    lines.push(line);
    return whole;
  };
  return {
    push(piece) {
      const [first = "", ...rest] = piece.split("\n");
      begun += first;
      tail = rest.length === 0 ? (tail + first).slice(-tailLength) : (rest.at(-1) ?? "").slice(-tailLength);
      const whole: string[] = [];
      for (const next of rest) {
        whole.push(...takeLine(begun));
        begun = next;
      }
      // As long as the line is short, its tail is all of it.
      return tail.length < tailLength ? [...whole, ...closeBefore(tail)] : whole;
    },
    get tail() {
      return tail;
    },
    end() {
      const whole = takeLine(begun);
      const left = lines.join("\n").trimEnd();
      return left === "" ? whole : [...whole, left];
    },
  };
}
