// Folds equal lines of a difference that are far from what changed; nothing new, changed or gone is ever folded. Pure.
import type { DifferenceLine } from "./definition-difference.ts";

export interface Piece {
  readonly kind: "lines" | "folded";
  readonly lines: readonly DifferenceLine[];
}

/** Equal lines that stay beside what changed. */
const kept = 3;
/** Fewer are not worth a fold. */
const leastFolded = 4;

export function foldEqual(lines: readonly DifferenceLine[]): Piece[] {
  const near = new Set<number>();
  lines.forEach(({ kind }, index) => {
    if (kind === "equal") return;
    for (let at = index - kept; at <= index + kept; at += 1) near.add(at);
  });
  const pieces: { kind: Piece["kind"]; lines: DifferenceLine[] }[] = [];
  lines.forEach((line, index) => {
    const kind = near.has(index) ? "lines" : "folded";
    const last = pieces.at(-1);
    if (last?.kind === kind) last.lines.push(line);
    else pieces.push({ kind, lines: [line] });
  });
  return pieces.map((piece) => (piece.lines.length < leastFolded ? { ...piece, kind: "lines" } : piece));
}
