// Which index pip uses, from its configuration: variables, and the pip.conf files of the user and the machine. Pure; the files are read
// elsewhere.
import { addressOf, maxLineChars } from "./npmrc.ts";
import type { SourceAddress } from "./source-client.ts";

const pipDefaultIndex = "https://pypi.org/simple";

export interface PipSettings {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Texts of its files, the one that wins first. */
  readonly files: readonly string[];
}

const maxLines = 2_000;

/** Of the section [global]; `_` and `-` in keys are the same. */
function parsePipConf(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let isGlobal = false;
  for (const line of text.split("\n", maxLines)) {
    if (line.length > maxLineChars) continue;
    const bare = line.trim();
    if (bare.startsWith("[")) isGlobal = bare === "[global]";
    const cut = bare.search(/[=:]/);
    if (!isGlobal || cut === -1 || bare.startsWith("#") || bare.startsWith(";")) continue;
    found.set(bare.slice(0, cut).trim().toLowerCase().replaceAll("_", "-"), bare.slice(cut + 1).trim());
  }
  return found;
}

const isOn = (text: string | undefined): boolean => /^(1|y|yes|true|t|on)$/i.test(text ?? "");

/** Undefined where it uses none, or one that is no http(s) URL. */
export function findPipIndex({ variables, files }: PipSettings): SourceAddress | undefined {
  const parsed = files.map(parsePipConf);
  const written = (key: string) => parsed.map((file) => file.get(key)).find((value) => value);
  if (isOn(variables["PIP_NO_INDEX"] ?? written("no-index"))) return undefined;
  return addressOf(variables["PIP_INDEX_URL"] || written("index-url") || pipDefaultIndex);
}
