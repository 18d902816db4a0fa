// A tool server as a place to browse publishes it, whatever that place speaks: what it is called, and the ways in which it may be run or
// reached (DSC-7). All of it is strangers' text: cut to size, on one line, without what a terminal acts upon. Pure.
import type { BrowseSource } from "../../../crds/gateway-config.ts";

/** What a server is told when it is started, or asked with. */
export interface Variable {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  /** Of one that is no secret, where the publisher gives one. */
  readonly value?: string | undefined;
}

export type Runtime = "node" | "python" | "docker" | "streamable-http" | "sse";

/** One way to have a server. */
export interface Offer {
  readonly runtime: Runtime;
  /** The package, the image, or the URL. */
  readonly name: string;
  /** Absent: of an image, which names it itself, and of what is reached at a URL. */
  readonly version?: string | undefined;
  readonly license?: string | undefined;
  /** Arguments that its publisher gives. */
  readonly args: readonly string[];
  /** What its publisher asks users to give as arguments, by their hints. */
  readonly missingArgs: readonly string[];
  readonly env: readonly Variable[];
  readonly headers: readonly Variable[];
}

export interface Listing {
  readonly source: Pick<BrowseSource, "name" | "kind">;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly version: string;
  readonly repository?: string | undefined;
  readonly tags: readonly string[];
  readonly offers: readonly Offer[];
}

export const maxNameChars = 214;
export const maxVersionChars = 64;
const maxDescriptionChars = 300;
const maxTagChars = 63;
const maxTags = 8;
const maxUrlChars = 2_048;

/** Control characters, and marks that turn the direction of writing round. */
const unsafe = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]+/gu;

/** One line of at most so many characters. */
export function lineOf(text: unknown, maxChars = maxDescriptionChars): string {
  if (typeof text !== "string") return "";
  // What comes after is cut off, so that nobody looks through it.
  const line = text
    .slice(0, 2 * maxChars)
    .toWellFormed()
    .replaceAll(unsafe, " ")
    .trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).toWellFormed()}…`;
}

/** Words that a server is found by. */
export const tagsOf = (words: unknown): string[] => {
  const all: unknown[] = Array.isArray(words) ? words.slice(0, 64) : [];
  const fit = all.filter(
    (word): word is string =>
      typeof word === "string" && word.length <= maxTagChars && /^[!-~]([ -~]*[!-~])?$/.test(word),
  );
  return [...new Set(fit)].slice(0, maxTags);
};

/** Where its source text is, as a URL for people. */
export function repositoryOf(value: unknown): string | undefined {
  const text: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "url") : value;
  if (typeof text !== "string" || text.length > maxUrlChars) return undefined;
  const plain = text.replace(/^git\+/, "").replace(/\.git$/, "");
  const url = URL.parse(plain);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
    ? url.href
    : undefined;
}

/** Whether one of the texts that describe a package says that it has to do with MCP. */
export const speaksOfMcp = (texts: readonly string[]): boolean =>
  texts.some((text) => /(^|[^a-z])mcp([^a-z]|$)|model.?context.?protocol/i.test(text));

/** The words of a query as part of a package's name; empty where it has none. */
export const slugOf = (query: string): string =>
  query
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .join("-");
