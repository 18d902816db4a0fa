// The files of the project that is imported. Only what lies in its folder is read, in files of bounded size and number:
// a link that leads out of it is refused. Synchronous, since one file leads to the next and nothing else goes on.
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { reasonOf, UsageError } from "../manifests/find-files.ts";
import { maxFileBytes } from "../manifests/manifest-text.ts";

/** Files read in one import, and their size together. */
const maxProjectFiles = 1_000;
const maxProjectBytes = 64 * 1024 * 1024;

const tooMany = `is one too many: at most ${maxProjectFiles} files with ${maxProjectBytes} bytes are read; import a part of the project`;

export type ReadFile =
  | { ok: true; file: string; text: string }
  | { ok: false; file: string; isMissing: boolean; message: string };

export class ProjectFiles {
  /** Absolute, links resolved. */
  readonly folder: string;
  readonly #known = new Map<string, ReadFile>();
  #bytes = 0;

  /** @throws UsageError when it is not a folder that can be read */
  constructor(folder: string) {
    try {
      this.folder = realpathSync(resolve(folder));
      readdirSync(this.folder);
    } catch (cause) {
      const message = `${folder}: expected the folder of a project, but it cannot be read (${reasonOf(cause)}); name one that is there`;
      throw new UsageError(message, { cause });
    }
  }

  /** As a path relative to the project, for messages. */
  shown = (file: string): string => relative(this.folder, file) || ".";

  /** A text file, relative to the folder; line ends become \n, a byte order mark is dropped. */
  read(path: string): ReadFile {
    const file = resolve(this.folder, path);
    const known = this.#known.get(file) ?? this.#readNow(file);
    this.#known.set(file, known);
    return known;
  }

  /** Names of the files in a folder of the project, sorted; none when it is not there or leads out of it. */
  list(path: string): string[] {
    const folder = resolve(this.folder, path);
    try {
      if (!this.#isInside(realpathSync(folder))) return [];
      return readdirSync(folder, { withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map(({ name }) => name)
        .toSorted();
    } catch {
      return [];
    }
  }

  #isInside(real: string): boolean {
    return real === this.folder || real.startsWith(this.folder.endsWith(sep) ? this.folder : `${this.folder}${sep}`);
  }

  #readNow(file: string): ReadFile {
    const refuse = (message: string, isMissing = false): ReadFile => ({ ok: false, file, isMissing, message });
    const outside = "leads out of the project's folder, where nothing is read; copy the file into the project";
    if (!this.#isInside(file)) return refuse(outside);
    try {
      const real = realpathSync(file);
      if (!this.#isInside(real)) return refuse(outside);
      const found = statSync(real);
      if (!found.isFile()) return refuse("is not a file");
      if (found.size > maxFileBytes) {
        return refuse(`has ${found.size} bytes, at most ${maxFileBytes} are read; split it`);
      }
      this.#bytes += found.size;
      if (this.#bytes > maxProjectBytes || this.#known.size >= maxProjectFiles) return refuse(tooMany);
      return { ok: true, file, text: decode(readFileSync(real)) };
    } catch (error) {
      if (error instanceof TypeError) return refuse("is not UTF-8 text; save it as UTF-8");
      const reason = reasonOf(error);
      const isMissing = reason === "ENOENT" || reason === "ENOTDIR";
      return refuse(isMissing ? "is not there" : `cannot be read (${reason}); correct its permissions`, isMissing);
    }
  }
}

/** @throws TypeError when it is not UTF-8 */
const decode = (bytes: Uint8Array): string =>
  new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll(/\r\n?/g, "\n");
