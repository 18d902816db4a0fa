// The pages that people read, taken apart: links, anchors, blocks of code and code inside sentences. It judges nothing.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Marked } from "marked";
import * as z from "zod";

export const root = join(import.meta.dirname, "../..");

export interface CodeBlock {
  /** What stands behind the fence, such as `yaml` or `sh kind`; empty when nothing does. */
  readonly language: string;
  readonly text: string;
}

export interface Page {
  readonly path: string;
  readonly text: string;
  /** Targets as they are written. */
  readonly links: readonly string[];
  /** What `#…` can lead to. */
  readonly anchors: ReadonlySet<string>;
  readonly blocks: readonly CodeBlock[];
  /** Code inside sentences and tables. */
  readonly spans: readonly string[];
}

const below = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => `${folder}/${path}`)
    .toSorted();

/** As GitHub makes them of headings. */
const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");

/** What of a token is looked at, whatever its type. */
const tokenSchema = z.object({
  type: z.string(),
  text: z.string().default(""),
  href: z.string().default(""),
  lang: z.string().default(""),
});

/** Anchors of headings, the second of a name with -1. */
function renderAnchors(headings: readonly string[]): Set<string> {
  const anchors = new Set<string>();
  for (const heading of headings) {
    const first = slug(heading.replaceAll("`", "").replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1"));
    let anchor = first;
    for (let again = 1; anchors.has(anchor); again += 1) anchor = `${first}-${again}`;
    anchors.add(anchor);
  }
  return anchors;
}

export function parsePage(path: string, text: string): Page {
  const tokens: z.output<typeof tokenSchema>[] = [];
  const marked = new Marked();
  void marked.walkTokens(marked.lexer(text), (token) => void tokens.push(tokenSchema.parse(token)));
  const ofType = (...types: string[]) => tokens.filter(({ type }) => types.includes(type));
  return {
    path,
    text,
    links: ofType("link", "image").map(({ href }) => href),
    anchors: renderAnchors(ofType("heading").map((heading) => heading.text)),
    blocks: ofType("code").map((code) => ({ language: code.lang, text: code.text })),
    spans: ofType("codespan").map((span) => span.text),
  };
}

const paths = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "charts/pallas/README.md",
  ...below("docs"),
  ...below("examples"),
];

export const pages: readonly Page[] = paths.map((path) => parsePage(path, readFileSync(join(root, path), "utf8")));
