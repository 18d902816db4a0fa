// The variables of the project's `.env`: which there are, and what URLs are filled in with. Values of other variables
// are never asked for.
import { parseEnv } from "node:util";
import type { ProjectFiles } from "./project-files.ts";
import type { Notes } from "./notes.ts";

export interface Variables {
  names: ReadonlySet<string>;
  get(name: string): string | undefined;
}

export function readVariables(files: ProjectFiles, notes: Notes): Variables {
  const read = files.read(".env");
  if (!read.ok && !read.isMissing) notes.problem({ file: read.file }, read.message);
  const found = new Map(Object.entries(read.ok ? parseEnv(read.text) : {}));
  return { names: new Set(found.keys()), get: (name) => found.get(name) };
}
