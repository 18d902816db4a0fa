// Which versions of a package PyPI's simple API names (PEP 503, 691): as JSON, or as HTML where an index has no JSON. Pure, and linear in
// what strangers wrote.
import { memberOf } from "./source.ts";
import { maxVersionChars } from "./listing.ts";

const maxFiles = 5_000;
const versionPattern = /^\d[0-9A-Za-z.!+-]*$/;

export const isPypiVersion = (version: unknown): version is string =>
  typeof version === "string" && version.length <= maxVersionChars && versionPattern.test(version);

/** `mcp_server_fetch-0.1.0-py3-none-any.whl`, `mcp_server_fetch-0.1.0.tar.gz`. */
function versionOfFile(file: string): string | undefined {
  const bare = file.replace(/\.(whl|tar\.gz|zip)$/, "");
  if (bare === file) return undefined;
  const [, version] = file.endsWith(".whl") ? bare.split("-") : splitLast(bare);
  return isPypiVersion(version) ? version : undefined;
}

function splitLast(text: string): [string, string] {
  const cut = text.lastIndexOf("-");
  return [text.slice(0, cut), text.slice(cut + 1)];
}

export function versionsOfJson(value: unknown): string[] {
  const versions = memberOf(value, "versions");
  if (Array.isArray(versions)) return versions.slice(0, maxFiles).filter(isPypiVersion);
  const files = memberOf(value, "files");
  if (!Array.isArray(files)) return [];
  return uniqueVersions(files.slice(0, maxFiles).map((file) => memberOf(file, "filename")));
}

/** The texts of its links are names of files. */
export const versionsOfHtml = (html: string): string[] =>
  uniqueVersions(
    html
      .split("</a>", maxFiles)
      .slice(0, -1)
      .map((before) => before.slice(before.lastIndexOf(">") + 1).trim()),
  );

const uniqueVersions = (files: readonly unknown[]): string[] => [
  ...new Set(files.flatMap((file) => (typeof file === "string" ? (versionOfFile(file) ?? []) : []))),
];
