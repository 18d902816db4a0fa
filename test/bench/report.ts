// What a benchmark says at its end: a table for people, and one line of JSON for whoever compares runs.
import { cpus, totalmem } from "node:os";

export interface Figure {
  /** Its key in the JSON; ends in its unit where it has one. */
  readonly key: string;
  readonly label: string;
  readonly value: number;
  /** What stands behind the value in the table, such as " ms". */
  readonly unit?: string;
  /** The goal, where there is one. */
  readonly atMost?: number;
  readonly atLeast?: number;
}

export interface Report {
  readonly name: string;
  /** The one figure to compare runs by: measured ÷ what it is measured against. */
  readonly ratio: number;
  readonly goal: number;
  readonly agents: number;
  readonly figures: readonly Figure[];
  /** What a reader must know to judge the figures, one sentence each. */
  readonly notes: readonly string[];
}

const gibibyte = 1024 ** 3;

/** Three significant digits; whole numbers stay whole. */
const round = (value: number): number =>
  Number.isInteger(value) || Math.abs(value) >= 1_000 ? Math.round(value) : Number(value.toPrecision(3));

const misses = ({ value, atMost, atLeast }: Figure): boolean =>
  (atMost !== undefined && !(value <= atMost)) || (atLeast !== undefined && !(value >= atLeast));

function renderRow(figure: Figure, width: number): string {
  const { label, value, unit = "", atMost, atLeast } = figure;
  const goals = [atLeast === undefined ? "" : `≥ ${atLeast}${unit}`, atMost === undefined ? "" : `≤ ${atMost}${unit}`];
  const shown = goals.filter((goal) => goal !== "").join(", ");
  const goal = shown === "" ? "" : shown.padEnd(12) + (misses(figure) ? "MISSED" : "ok");
  return `  ${label.padEnd(width)}  ${`${round(value)}${unit}`.padStart(12)}  ${goal}`.trimEnd();
}

/** The report as text, and the keys of the goals that are missed. A figure that is not a number misses its goal. */
export function renderReport({ name, ratio, goal, agents, figures, notes }: Report) {
  const width = Math.max(...figures.map(({ label }) => label.length));
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown CPU"}, ${round(totalmem() / gibibyte)} GiB, Node ${process.version}`;
  const missed = figures.filter(misses).map(({ key }) => key);
  if (!(ratio <= goal)) missed.unshift("ratio");
  const values = Object.fromEntries(figures.map(({ key, value }) => [key, round(value)]));
  const summary = { name, ratio: round(ratio), goal, pass: missed.length === 0, missed, agents, figures: values };
  const lines = [
    `${name}: ${agents} agents on ${machine}`,
    ...figures.map((figure) => renderRow(figure, width)),
    ...notes.map((note) => `  ${note}`),
    JSON.stringify(summary),
  ];
  return { text: `${lines.join("\n")}\n`, missed };
}

/** Prints the report. The exit code of the process becomes 1 when a goal is missed. */
export function printReport(report: Report): void {
  const { text, missed } = renderReport(report);
  process.stdout.write(text);
  if (missed.length > 0) process.exitCode = 1;
}

/** Says what is being done now, on standard error, so that standard output holds reports only. */
export function reportProgress(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The value below which `share` (0–1) of the numbers lie, by nearest rank. */
export function percentile(numbers: readonly number[], share: number): number {
  if (numbers.some(Number.isNaN)) throw new Error("expected measurements only, found one that is not a number");
  const sorted = numbers.toSorted((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (found === undefined) throw new Error("expected at least one measurement, found none");
  return found;
}
