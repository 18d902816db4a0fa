// Agent cards: Markdown with settings in front, or YAML, one agent each. A Markdown file without settings in front is
// no card.
import { posix } from "node:path";
import type { Definition, DefinitionKind } from "./definition.ts";
import { workflowKinds } from "./definition.ts";
import type { Field } from "./field.ts";
import type { Notes } from "./notes.ts";
import type { ProjectFiles } from "./project-files.ts";
import { readYamlField } from "./yaml-field.ts";

/** Where cards are looked for without being told. */
export const cardFolders = ["agent-cards", ".fast-agent/agent-cards", ".fast-agent/tool-cards"] as const;

const isCardName = (name: string): boolean => /\.(md|markdown|ya?ml)$/i.test(name) && name !== "SKILL.md";

/** The cards of a folder, or of one file that is a card. */
export function readCards(path: string, files: ProjectFiles, notes: Notes): Definition[] {
  if (isCardName(posix.basename(path))) return readCard(path, files, notes);
  return files
    .list(path)
    .filter(isCardName)
    .flatMap((name) => readCard(posix.join(path, name), files, notes));
}

/** Settings that only a card has: other Markdown has a title, a description and tags in front, too. */
const cardKeys = ["type", "name", "instruction", "model", "servers", "agents", "default", "tools", "shell", "skills"];

/** In the project's own folder only Markdown with a card's settings in front is one; other YAML there is something else. */
export const readRootCards = (files: ProjectFiles, notes: Notes): Definition[] =>
  files
    .list(".")
    .filter((name) => /\.(md|markdown)$/i.test(name) && !/^readme\b/i.test(name) && isCardName(name))
    .filter((name) => {
      const read = files.read(name);
      const settings = read.ok ? (splitFrontMatter(read.text)?.settings ?? "") : "";
      return cardKeys.some((key) => new RegExp(`^${key}:`, "m").test(settings));
    })
    .flatMap((name) => readCard(name, files, notes));

function readCard(path: string, files: ProjectFiles, notes: Notes): Definition[] {
  const read = files.read(path);
  if (!read.ok) {
    notes.warn({ file: read.file }, `not carried over: ${read.message}`);
    return [];
  }
  if (/\.ya?ml$/i.test(path)) {
    const settings = readYamlField(read.file, read.text, notes);
    return settings === undefined ? [] : toDefinition(path, settings, undefined, notes);
  }
  const parts = splitFrontMatter(read.text);
  if (parts === undefined) return [];
  const settings = readYamlField(read.file, parts.settings, notes, { lineOffset: parts.settingsLine - 1 }) ?? {
    kind: "map",
    entries: new Map(),
    place: { file: read.file },
  };
  const body: Field = {
    kind: "scalar",
    value: parts.body.replace(/^\s*---SYSTEM[ \t]*\n/, "").trim(),
    place: { file: read.file, position: { line: parts.bodyLine, column: 1 } },
  };
  return toDefinition(path, settings, body, notes);
}

function splitFrontMatter(
  text: string,
): { settings: string; settingsLine: number; body: string; bodyLine: number } | undefined {
  const [whole, blank = "", settings = ""] = /^(\s*)---[ \t]*\n([\s\S]*?\n|)---[ \t]*(?:\n|$)/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const lines = (part: string): number => part.split("\n").length;
  return { settings, settingsLine: lines(blank) + 1, body: text.slice(whole.length), bodyLine: lines(whole) };
}

function toDefinition(path: string, settings: Field, body: Field | undefined, notes: Notes): Definition[] {
  if (settings.kind !== "map") {
    notes.fault(settings.place, "expected a card, which is a mapping of settings; correct it, or take the file away");
    return [];
  }
  const { place } = settings;
  const fields = new Map(settings.entries);
  const kind = kindOf(fields.get("type"));
  if (kind === undefined) {
    notes.warn(place, `type: not carried over: expected agent, ${workflowKinds.join(", ")}; write the agent by hand`);
    return [];
  }
  fields.delete("type");
  const hasBody = body?.kind === "scalar" && body.value !== "";
  if (hasBody && fields.has("instruction")) {
    notes.warn(place, "instruction: stands here and below the settings; the text below is taken");
  }
  if (hasBody) fields.set("instruction", body);
  const name = fields.get("name");
  const given = name?.kind === "scalar" && typeof name.value === "string" ? name.value.trim() : "";
  const fallback = posix.basename(path).replace(/\.[^.]+$/, "");
  return [{ kind, name: (given || fallback).replaceAll(" ", "_"), place, fields }];
}

function kindOf(type: Field | undefined): DefinitionKind | undefined {
  if (type === undefined || (type.kind === "scalar" && type.value === null)) return "agent";
  const word = type.kind === "scalar" ? String(type.value).trim().toLowerCase().replaceAll("-", "_") : "";
  // `smart` is what earlier releases called an agent with tools of its own for calling others.
  return word === "agent" || word === "smart" ? "agent" : workflowKinds.find((kind) => kind === word);
}
