// Agent cards: Markdown with settings in front, or YAML, one agent each. A Markdown file without settings in front is
// no card.
import { posix } from "node:path";
import { workflowKinds, type Definition } from "./definition.ts";
import { emptyMap, type Field } from "./field.ts";
import type { Notes } from "./notes.ts";
import type { ProjectFiles } from "./project-files.ts";
import { readYamlField } from "./yaml-field.ts";

/** Where cards are looked for without being told. */
export const cardFolders = ["agent-cards", "tool-cards", ".fast-agent/agent-cards", ".fast-agent/tool-cards"] as const;

const isMarkdown = (name: string): boolean => /\.(md|markdown)$/i.test(name) && name !== "SKILL.md";
const isYaml = (name: string): boolean => /\.ya?ml$/i.test(name);
const isCardName = (name: string): boolean => isMarkdown(name) || isYaml(name);

/** The cards of a folder, or of one file that is a card. */
export function readCards(path: string, files: ProjectFiles, notes: Notes): Definition[] {
  const paths = isCardName(posix.basename(path))
    ? [path]
    : files.list(path).flatMap((name) => (isCardName(name) ? [posix.join(path, name)] : []));
  return paths.flatMap((each) => readCard(each, path, files, notes));
}

/** Settings that only a card has: other Markdown has a title, a description and tags in front, too. */
const cardKey = /^(type|name|instruction|model|servers|agents|default|tools|shell|skills):/m;

/** In the project's own folder only Markdown with a card's settings in front is one; other YAML there is something else. */
export const readRootCards = (files: ProjectFiles, notes: Notes): Definition[] =>
  files
    .list(".")
    .filter((name) => isMarkdown(name) && !/^readme\b/i.test(name))
    .filter((name) => {
      const read = files.read(name);
      return read.ok && cardKey.test(frontMatter.exec(read.text)?.[2] ?? "");
    })
    .flatMap((name) => readCard(name, ".", files, notes));

/** What is before it, the settings, and what begins the text. */
const frontMatter = /^(\s*---[ \t]*\n)([\s\S]*?\n|)---[ \t]*(?:\n|$)(?:\s*---SYSTEM[ \t]*\n)?/;
const lines = (text: string): number => text.split("\n").length;

function readCard(path: string, source: string, files: ProjectFiles, notes: Notes): Definition[] {
  const read = files.read(path);
  const { file } = read;
  if (!read.ok) {
    notes.warn({ file }, `not carried over: ${read.message}`);
    return [];
  }
  const [whole = "", before = "", settings] = isYaml(path) ? ["", "", read.text] : (frontMatter.exec(read.text) ?? []);
  if (settings === undefined) return [];
  const found = readYamlField(file, settings, notes, { lineOffset: lines(before) - 1 });
  if (found === undefined && isYaml(path)) return [];
  const { place, ...card } = found ?? emptyMap({ file });
  if (card.kind !== "map") {
    notes.problem(place, "expected a card, which is a mapping of settings; correct it, or take the file away");
    return [];
  }
  const kind = kindOf(card.entries.get("type"));
  if (kind === undefined) {
    notes.warn(place, `type: not carried over: expected agent, ${workflowKinds.join(", ")}; write the agent by hand`);
    return [];
  }
  const fields = new Map(card.entries);
  fields.delete("type");
  const body = isYaml(path) ? "" : read.text.slice(whole.length).trim();
  if (body !== "" && fields.has("instruction")) {
    notes.warn(place, "instruction: stands here and below the settings; the text below is taken");
  }
  const position = { line: lines(whole), column: 1 };
  if (body !== "") fields.set("instruction", { kind: "scalar", value: body, place: { file, position } });
  const name = fields.get("name");
  const given = name?.kind === "scalar" && typeof name.value === "string" ? name.value.trim() : "";
  const fallback = posix.basename(path).replace(/\.[^.]+$/, "");
  return [{ kind, name: (given || fallback).replaceAll(" ", "_"), place, source, fields }];
}

function kindOf(type: Field | undefined): string | undefined {
  if (type === undefined || (type.kind === "scalar" && type.value === null)) return "agent";
  const word = type.kind === "scalar" ? String(type.value).trim().toLowerCase().replaceAll("-", "_") : "";
  // `smart` is what earlier releases called an agent with tools of its own for calling others.
  return word === "agent" || word === "smart" ? "agent" : workflowKinds.find((kind) => kind === word);
}
