import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createLogger } from "../process/log.ts";
import { ManualClock } from "../process/testing/manual-clock.ts";
import { createTokenTable, parseTokenLines, tableLimits } from "./token-table.ts";

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), "pallas-table-"))));
afterEach(() => rm(folder, { recursive: true }));

const hashOf = (token: string) => `sha256:${createHash("sha256").update(token).digest("hex")}`;

function open() {
  const clock = new ManualClock();
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ logger: "test", destination });
  const path = join(folder, "tokens");
  const table = createTokenTable({ name: "admins", path, clock, log });
  /** What a token is worth after the file has changed. */
  const judgeAnew = async (token: string) => {
    await clock.advance(1_000);
    return (await table.judge(token)).kind;
  };
  return { clock, table, path, lines, judgeAnew };
}

describe("MGM-1 a table of tokens", () => {
  test("may come, change, go and come again while the process runs", async () => {
    const { table, path, judgeAnew } = open();
    expect((await table.judge("one")).kind).toBe("unknown");
    await writeFile(path, hashOf("one"));
    expect(await judgeAnew("one")).toBe("listed");
    await writeFile(path, hashOf("two"));
    expect(await judgeAnew("one")).toBe("unknown");
    expect(await judgeAnew("two")).toBe("listed");
    await rm(path);
    expect(await judgeAnew("two")).toBe("unknown");
    expect(table.observeTrouble()).toBeUndefined();
    await writeFile(path, hashOf("two"));
    expect(await judgeAnew("two")).toBe("listed");
  });

  test("is read anew when a kubelet swaps the folder that it is in", async () => {
    const { path, judgeAnew } = open();
    for (const name of ["first", "second"]) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, "tokens"), hashOf(name));
    }
    await symlink("first", join(folder, "..data"));
    await symlink("..data/tokens", path);
    expect(await judgeAnew("first")).toBe("listed");
    await symlink("second", join(folder, "..next"));
    await rename(join(folder, "..next"), join(folder, "..data"));
    expect(await judgeAnew("first")).toBe("unknown");
    expect(await judgeAnew("second")).toBe("listed");
  });

  test("is read once for all that ask in a second", async () => {
    const { clock, table, path } = open();
    await writeFile(path, hashOf("one"));
    await Promise.all(Array.from({ length: 20 }, () => table.judge("one")));
    await writeFile(path, hashOf("two"));
    await clock.advance(999);
    expect((await table.judge("one")).kind).toBe("listed");
    await clock.advance(1);
    expect((await table.judge("one")).kind).toBe("unknown");
  });

  test("ends a token at its time, and keeps the id of each through an edit", async () => {
    const { clock, table, path } = open();
    const end = new Date(clock.wallNow() + 5_000).toISOString();
    await writeFile(path, `# who may do all\n\n${hashOf("forever")}\n${hashOf("brief")}\t${end}\n`);
    const before = await table.judge("brief");
    expect(before).toMatchObject({ kind: "listed", expiresAtMs: clock.wallNow() + 5_000 });
    await writeFile(path, `${hashOf("brief")} ${end}\n`);
    await clock.advance(4_999);
    expect(await table.judge("brief")).toEqual(before);
    await clock.advance(1);
    expect(await table.judge("brief")).toEqual({ kind: "refused", why: "the token has expired" });
  });

  test("names bad lines by number, once, and by nothing of what they hold; the others count", async () => {
    const { table, path, lines, judgeAnew } = open();
    const bad = [
      "a-token-in-clear",
      "sha256:abc",
      `${hashOf("x")} tomorrow`,
      `${hashOf("x")} 2030-01-01T00:00:00Z more`,
      `md5:${"0".repeat(64)}`,
    ];
    await writeFile(path, [bad[0], hashOf("good"), ...bad.slice(1)].join("\n"));
    expect(await judgeAnew("good")).toBe("listed");
    expect(await judgeAnew("x")).toBe("unknown");
    expect(table.observeTrouble()).toMatch(/token table admins: .* in line 1, 3, 4, 5, 6$/);
    expect(lines).toHaveLength(1);
    expect(lines.join()).not.toMatch(/a-token-in-clear|tomorrow|md5/);
  });

  test("that cannot be read, or is over a limit, lets nobody in and says so", async () => {
    const { table, path, judgeAnew } = open();
    const line = `${hashOf("one")}\n`;
    await writeFile(path, line.repeat(tableLimits.maxLines));
    expect(await judgeAnew("one")).toBe("listed");
    await writeFile(path, line.repeat(tableLimits.maxLines + 1));
    expect(await judgeAnew("one")).toBe("unavailable");
    expect(table.observeTrouble()).toContain("at most 1024 lines, found 1025");
    await writeFile(path, `${line}#`.padEnd(tableLimits.maxFileBytes, "x"));
    expect(await judgeAnew("one")).toBe("listed");
    await writeFile(path, `${line}#`.padEnd(tableLimits.maxFileBytes + 1, "x"));
    expect(await judgeAnew("one")).toBe("unavailable");
    expect(table.observeTrouble()).toContain("bytes");
    await rm(path);
    await mkdir(path);
    expect(await judgeAnew("one")).toBe("unavailable");
    expect(table.observeTrouble()).toContain("expected a file");
  });

  test("takes hashes in either case, line ends of either kind, and times with an offset", () => {
    const { entries, badLines } = parseTokenLines(
      `${hashOf("a").toUpperCase().replace("SHA256", "sha256")}\r\n${hashOf("b")} 2026-01-01T01:00:00+01:00\r\n`,
    );
    expect(badLines).toEqual([]);
    expect(entries.map(({ expiresAtMs }) => expiresAtMs)).toEqual([undefined, Date.UTC(2026, 0, 1)]);
  });
});
