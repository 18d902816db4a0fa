// The folder in which `pallas up` keeps what it hands to its processes, and the lock that makes it the only one on it.
// Everything in it is for this user only.
import { createHash, randomUUID } from "node:crypto";
import { chmod, link, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { reasonOf } from "../manifests/find-files.ts";

export interface StateFolder {
  path: string;
  runConfig(key: string): string;
  liveConfig(key: string): string;
  /** Secrets and texts of a namespace: no reference crosses it. */
  secrets(namespace: string): string;
  texts(namespace: string): string;
  /** Beside them: a token of an agent or gateway, by whom it is shown to. */
  token(key: string, name: string): string;
  /** Of one agent. */
  histories(key: string): string;
  /** Of one gateway. */
  sessions(key: string): string;
  registrations(key: string): string;
  approvals(key: string): string;
  /** Of one tool server: where it runs, and what it writes. */
  work(key: string): string;
  log(key: string): string;
  localState: string;
  /** Replaces a file as a whole: a reader sees the old contents or the new ones. Creates its folders. */
  replace(path: string, contents: string | Uint8Array): Promise<void>;
}

/** A namespace may be any text, and must not lead out of the folder. */
const safe = (text: string): string => `_${encodeURIComponent(text)}`;
const fileName = (key: string): string => key.split("/").map(safe).join("");

/** Where the state of these folders is kept: PALLAS_STATE_DIR, else below the user's state folder (XDG). */
export function stateFolderPath(folders: readonly string[], env: Readonly<Record<string, string | undefined>>): string {
  if (env["PALLAS_STATE_DIR"]) return env["PALLAS_STATE_DIR"];
  const hash = createHash("sha256").update(folders.join("\n")).digest("hex").slice(0, 16);
  return join(env["XDG_STATE_HOME"] || join(homedir(), ".local", "state"), "pallas", hash);
}

/** Creates the folder (0700). */
export async function openStateFolder(path: string): Promise<StateFolder> {
  const temporary = join(path, "tmp");
  await mkdir(temporary, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
  return {
    path,
    runConfig: (key) => join(path, "run-configs", `${fileName(key)}.json`),
    liveConfig: (key) => join(path, "live-configs", `${fileName(key)}.json`),
    secrets: (namespace) => join(path, "secrets", safe(namespace)),
    texts: (namespace) => join(path, "texts", safe(namespace)),
    token: (key, name) => join(path, "secrets", "tokens", fileName(key), name),
    histories: (key) => join(path, "histories", fileName(key)),
    sessions: (key) => join(path, "sessions", `${fileName(key)}.json`),
    registrations: (key) => join(path, "registrations", `${fileName(key)}.json`),
    approvals: (key) => join(path, "approvals", `${fileName(key)}.json`),
    work: (key) => join(path, "work", fileName(key)),
    log: (key) => join(path, "logs", `${fileName(key).slice(1)}.log`),
    localState: join(path, "local-state.json"),
    async replace(target, contents) {
      await mkdir(join(target, ".."), { recursive: true, mode: 0o700 });
      const written = join(temporary, randomUUID());
      await writeFile(written, contents, { mode: 0o600 });
      await rename(written, target);
    },
  };
}

/** Another `pallas up` holds the state folder. */
export class LockedError extends Error {
  override readonly name = "LockedError";
}

/**
 * Takes the folder's lock; a lock whose process is gone is passed over.
 * Locks are numbered and the highest one counts, so that a stale one is never removed to make room: whoever makes the
 * next number first has it, and numbers are not used again.
 * @returns gives it back
 * @throws LockedError naming the process that holds it
 */
export async function lockStateFolder({ path }: StateFolder): Promise<() => Promise<void>> {
  const locks = join(path, "locks");
  await mkdir(locks, { recursive: true, mode: 0o700 });
  const mine = join(path, "tmp", randomUUID());
  await writeFile(mine, `${process.pid} ${await identityOf(process.pid)}\n`, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < maxLockAttempts; attempt += 1) {
      const highest = (await lockNumbers(locks)).at(-1) ?? 0;
      const holder = await livingHolder(join(locks, String(highest)));
      if (holder !== undefined) throw lockedError(holder, path);
      const next = join(locks, String(highest + 1));
      if (!(await linked(mine, next))) continue;
      const numbers = await lockNumbers(locks);
      if (numbers.at(-1) === highest + 1) {
        for (const number of numbers.slice(0, -1)) await rm(join(locks, String(number)), { force: true });
        return () => writeFile(next, "");
      }
      await rm(next);
    }
    throw new LockedError(`the lock of ${path} changes hands; try again`);
  } finally {
    await rm(mine, { force: true });
  }
}

const maxLockAttempts = 5;

const lockNumbers = async (locks: string): Promise<number[]> =>
  (await readdir(locks))
    .map(Number)
    .filter(Number.isInteger)
    .toSorted((a, b) => a - b);

/** Hard links are made or not made, never half, and only where nothing is. */
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (reasonOf(error) === "EEXIST") return false;
    throw error;
  }
}

const lockedError = (pid: number, path: string): LockedError =>
  new LockedError(
    `pallas up runs on these manifests already (process ${pid}); stop it first, or set PALLAS_STATE_DIR to another folder than ${path}`,
  );

async function livingHolder(lock: string): Promise<number | undefined> {
  const [pidText, identity] = (await readFile(lock, "utf8").catch(() => "")).trim().split(" ");
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (reasonOf(error) === "ESRCH") return undefined;
  }
  return (await identityOf(pid)) === identity ? pid : undefined;
}

/** Process ids are used again; the time of its start tells one process from its successor. "-" where it cannot be read. */
async function identityOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "-";
}
