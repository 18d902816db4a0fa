// Two texts compared line by line: what stays, what went, what came; and which equal lines, far from any of the others, may be folded.
// Nothing new, changed or gone is ever folded. Pure, and bounded in time and memory.

export interface DifferenceLine {
  readonly kind: "equal" | "added" | "removed";
  readonly text: string;
}

const toLine =
  (kind: DifferenceLine["kind"]) =>
  (text: string): DifferenceLine => ({ kind, text });

export const splitLines = (text: string): string[] => text.split(/\r\n|\n/);

/** Beyond it, the middle is told as gone and come as a whole: every line is still shown. */
export const maxCompared = 1_000;

export function compareLines(old: readonly string[], now: readonly string[]): DifferenceLine[] {
  const shortest = Math.min(old.length, now.length);
  let head = 0;
  while (head < shortest && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shortest - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  const [before, after] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)];
  const middle =
    before.length > maxCompared || after.length > maxCompared
      ? [...before.map(toLine("removed")), ...after.map(toLine("added"))]
      : compareMiddle(before, after);
  return [...now.slice(0, head).map(toLine("equal")), ...middle, ...now.slice(now.length - tail).map(toLine("equal"))];
}

/** The longest common lines stay. */
function compareMiddle(old: readonly string[], now: readonly string[]): DifferenceLine[] {
  const width = now.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DifferenceLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [before, after] = [old[i], now[j]];
    if (before !== undefined && before === after) {
      lines.push({ kind: "equal", text: before });
      i += 1;
      j += 1;
    } else if (before !== undefined && (after === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: "removed", text: before });
      i += 1;
    } else if (after !== undefined) {
      lines.push({ kind: "added", text: after });
      j += 1;
    }
  }
  return lines;
}

export interface Run<Item> {
  readonly kind: "shown" | "folded";
  readonly items: readonly Item[];
}

/** Beside what differs. */
const keptBeside = 3;
/** Fewer are not worth a fold. */
const leastFolded = 4;

/** Runs of what is shown and of what may be folded: equal, and not beside anything that is not. */
export function foldEqual<Item>(
  items: readonly Item[],
  isEqual: (item: Item) => boolean,
  least = leastFolded,
): Run<Item>[] {
  const near = new Set<number>();
  items.forEach((item, index) => {
    if (isEqual(item)) return;
    for (let at = index - keptBeside; at <= index + keptBeside; at += 1) near.add(at);
  });
  const runs: { kind: Run<Item>["kind"]; items: Item[] }[] = [];
  items.forEach((item, index) => {
    const kind = near.has(index) ? "shown" : "folded";
    const last = runs.at(-1);
    if (last?.kind === kind) last.items.push(item);
    else runs.push({ kind, items: [item] });
  });
  return runs.map((run) => (run.items.length < least ? { ...run, kind: "shown" } : run));
}
