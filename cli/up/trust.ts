// Which programs manifests may start here. A folder is data (SEC-8), and a tool server is somebody's program: until its user has
// allowed it, it is known and not started. What is remembered is what runs, not the folder, so that whatever an edit or a pull puts in its
// place is asked about again. It lies beside the state of their runs.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { BridgeTarget } from "../../crds/bridge-config.ts";
import type { StateFolder } from "./state-folder.ts";

/** Placeholders are as they are written: a key that is rotated makes no other program. */
export type Program = Extract<BridgeTarget, { kind: "command" | "npm" }>;
/** What was allowed, by the key of its server: a digest. */
export type Allowed = ReadonlyMap<string, string>;
export type Verdict = "allowed" | "changed" | "unknown";

const maxShownChars = 400;

const pathIn = (stateFolder: string): string => join(stateFolder, "trusted.json");
const fileSchema = z.object({ programs: z.record(z.string(), z.string()) });

export const digestOf = (program: Program): string =>
  createHash("sha256")
    .update(JSON.stringify([renderCommand(program), placeOf(program), program.env]))
    .digest("hex");

export async function readAllowed(stateFolder: string): Promise<Allowed> {
  try {
    const { programs } = fileSchema.parse(JSON.parse(await readFile(pathIn(stateFolder), "utf8")));
    return new Map(Object.entries(programs));
  } catch {
    return new Map(); // nothing was allowed yet, or not in a way that can be read
  }
}

export const writeAllowed = (folder: StateFolder, allowed: Allowed): Promise<void> =>
  folder.replace(pathIn(folder.path), `${JSON.stringify({ programs: Object.fromEntries(allowed) })}\n`);

export function judgeProgram(allowed: Allowed, key: string, digest: string): Verdict {
  const before = allowed.get(key);
  if (before === undefined) return "unknown";
  return before === digest ? "allowed" : "changed";
}

const placeOf = (program: Program): string | undefined => (program.kind === "command" ? program.cwd : undefined);

/** As one would type it. */
function renderCommand(program: Program): readonly string[] {
  if (program.kind === "command") return program.command;
  const { package: published, args } = program;
  const { name, version, program: own } = published;
  const spec = version === undefined ? name : `${name}@${version}`;
  return ["npx", "-y", ...(own === undefined ? [spec] : ["-p", spec, own]), ...args];
}

const showWord = (word: string): string => (/^[\w@%+=:,./~^-]+$/.test(word) ? word : JSON.stringify(word));

/** With all that decides what it does. */
function describeProgram(program: Program): string {
  const { env } = program;
  const cwd = placeOf(program);
  const place = cwd === undefined ? "" : ` in ${showWord(cwd)}`;
  const variables = env.length === 0 ? "" : ` with ${env.map(({ name }) => name).join(", ")} set`;
  const shown = `${renderCommand(program).map(showWord).join(" ")}${place}${variables}`;
  return shown.length > maxShownChars ? `${shown.slice(0, maxShownChars - 1)}…` : shown;
}

/** Why it is not started, and what to do about that. */
export function describeHeld(program: Program, verdict: Exclude<Verdict, "allowed">): string {
  const why =
    verdict === "changed" ? "what it runs changed since you allowed it, and is now" : "it would run, with your rights,";
  return `${why} ${describeProgram(program)}; if you know that program, start again with --trust, which allows what these manifests run now`;
}
