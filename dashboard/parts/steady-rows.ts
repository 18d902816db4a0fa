// Keeps the rows of a list where they are while somebody points at them or has the focus inside: values change in place, but rows that
// came, went or would change places wait until both are outside, or until they are asked for. What went stays, struck, meanwhile.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useInside, type Inside } from "./use-inside.ts";

export interface SteadyRow<Row> {
  readonly key: string;
  readonly row: Row;
  /** It is no longer among the rows. */
  readonly isGone: boolean;
  /** Its value is another than at the last paint. */
  readonly isChanged: boolean;
}

/** What is shown while held: the order of then, with the values of now. Pure. */
export function holdRows<Row>(
  shown: readonly SteadyRow<Row>[],
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): { rows: SteadyRow<Row>[]; waiting: number } {
  const now = new Map(rows.map((row) => [keyOf(row), row]));
  const held = shown.map((before): SteadyRow<Row> => {
    const row = now.get(before.key);
    if (row === undefined) return { ...before, isGone: true, isChanged: false };
    return { key: before.key, row, isGone: false, isChanged: row !== before.row };
  });
  const known = new Set(shown.map(({ key }) => key));
  const added = rows.filter((row) => !known.has(keyOf(row))).length;
  const gone = held.filter(({ isGone }) => isGone).length;
  const orderBefore = held.flatMap(({ key, isGone }) => (isGone ? [] : [key]));
  const orderNow = rows.map(keyOf).filter((key) => known.has(key));
  const moved = orderBefore.filter((key, index) => key !== orderNow[index]).length;
  return { rows: held, waiting: added + gone + moved };
}

/** The rows as they are, each marked where it says something else than before. Pure. */
export function takeRows<Row>(
  shown: readonly SteadyRow<Row>[],
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): SteadyRow<Row>[] {
  const before = new Map(shown.map(({ key, row }) => [key, row]));
  return rows.map((row) => {
    const key = keyOf(row);
    const isChanged =
      before.size > 0 && before.get(key) !== row && JSON.stringify(before.get(key)) !== JSON.stringify(row);
    return { key, row, isGone: false, isChanged };
  });
}

export interface Steady<Row> {
  readonly rows: readonly SteadyRow<Row>[];
  /** How many rows wait to come, go or move. */
  readonly waiting: number;
  /** Shows them now. */
  apply(): void;
  /** For the element around the rows. */
  readonly holds: Inside["holds"];
}

/** @param asked what the person asked to see, as a text: another is shown at once, wherever pointer and focus are */
export function useSteadyRows<Row>(rows: readonly Row[], keyOf: (row: Row) => string, asked = ""): Steady<Row> {
  const { isInside, holds } = useInside();
  const [applied, setApplied] = useState(0);
  const shown = useRef<readonly SteadyRow<Row>[]>([]);
  const isHeld = isInside && shown.current.length > 0;
  const lastApplied = useRef(0);
  const lastAsked = useRef(asked);
  const result = useMemo(() => {
    const isSame = lastApplied.current === applied && lastAsked.current === asked;
    if (isHeld && isSame) return holdRows(shown.current, rows, keyOf);
    return { rows: takeRows(shown.current, rows, keyOf), waiting: 0 };
  }, [rows, isHeld, applied, keyOf, asked]);
  useEffect(() => {
    shown.current = result.rows;
    lastApplied.current = applied;
    lastAsked.current = asked;
  }, [result, applied, asked]);
  return {
    ...result,
    apply: () => setApplied((count) => count + 1),
    holds,
  };
}
