// What is said about the manifests, in the manner of a good compiler: file, line, field, what, cure, and the line itself.
import { relative } from "node:path";
import type { Position } from "./yaml-documents.ts";

export interface Diagnostic {
  /** A fault keeps something from running; a warning and a note do not. */
  severity: "fault" | "warning" | "note";
  /** Absolute path. */
  file: string;
  position?: Position;
  message: string;
  /** The line at `position`, shown below the message. Never given where it may hold a secret. */
  excerpt?: string;
}

const maxExcerptLength = 120;

/** The path as a person would write it here. */
export function displayPath(path: string, folder: string): string {
  const short = relative(folder, path);
  return short === "" || short.startsWith("..") ? path : short;
}

/** `agents.yaml:12:13: fault: …`, and below it the line with a mark under the place. */
export function renderDiagnostic({ severity, file, position, message, excerpt }: Diagnostic, folder: string): string {
  const place = position === undefined ? "" : `:${position.line}:${position.column}`;
  const head = `${displayPath(file, folder)}${place}: ${severity}: ${message}`;
  if (position === undefined || excerpt === undefined) return head;
  const gutter = `${position.line}`;
  // Long lines are shown around the place; tabs would shift the mark.
  const from = Math.max(0, position.column - 1 - Math.floor(maxExcerptLength / 2));
  const shown = excerpt.slice(from, from + maxExcerptLength).replaceAll("\t", " ");
  const mark = `${" ".repeat(position.column - 1 - from)}^`;
  return `${head}\n  ${gutter} | ${shown}\n  ${" ".repeat(gutter.length)} | ${mark}`;
}
