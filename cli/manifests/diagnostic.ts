// What is said about the manifests, in the manner of a good compiler: file, line, field, what, cure, and the line itself.
import { isAbsolute, relative } from "node:path";
import type { Position } from "./positions.ts";

export interface Diagnostic {
  /** A problem keeps something from running; a warning and a note do not. */
  severity: "error" | "warning" | "note";
  /** Absolute path. */
  file: string;
  position?: Position;
  message: string;
  /** The line at `position`, shown below the message. Never given where it may hold a secret. */
  excerpt?: string;
}

const severities = ["error", "warning", "note"];

export const bySeverityAndPlace = (a: Diagnostic, b: Diagnostic): number =>
  severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
  a.file.localeCompare(b.file) ||
  (a.position?.line ?? 0) - (b.position?.line ?? 0);

/** `1 problem`, `2 problems`. */
export const count = (amount: number, word: string): string => `${amount} ${word}${amount === 1 ? "" : "s"}`;

const maxExcerptChars = 120;

/** The path as a person would write it here. */
export function displayPath(path: string, folder: string): string {
  if (!isAbsolute(path)) return path; // standard input
  const short = relative(folder, path);
  return short === "" || short.startsWith("..") ? path : short;
}

/** `agents.yaml:12:13: error: …`, on one line, as editors and grep read it. */
export function renderDiagnostic({ severity, file, position, message }: Diagnostic, folder: string): string {
  const place = position === undefined ? "" : `:${position.line}:${position.column}`;
  return `${displayPath(file, folder)}${place}: ${severity}: ${message}`;
}

/** The same, and below it the line with a mark under the place. */
export function renderWithExcerpt(diagnostic: Diagnostic, folder: string): string {
  const { position, excerpt } = diagnostic;
  const head = renderDiagnostic(diagnostic, folder);
  if (position === undefined || excerpt === undefined) return head;
  const gutter = `${position.line}`;
  // Long lines are shown around the place; tabs would shift the mark.
  const from = Math.max(0, position.column - 1 - Math.floor(maxExcerptChars / 2));
  const shown = excerpt.slice(from, from + maxExcerptChars).replaceAll("\t", " ");
  const at = position.column - 1 - from;
  // A quoted text as a whole, else the word.
  const [word = " "] = /^(?:"[^"]*"|'[^']*'|[^\s,:{}[\]]+)/.exec(shown.slice(at)) ?? [];
  const mark = `${" ".repeat(at)}${"^".repeat(word.length)}`;
  return `${head}\n  ${gutter} | ${shown}\n  ${" ".repeat(gutter.length)} | ${mark}`;
}

/** The same for scripts. */
export const toJson = ({ severity, file, position, message }: Diagnostic, folder: string) => ({
  severity,
  file: displayPath(file, folder),
  ...position,
  message,
});
