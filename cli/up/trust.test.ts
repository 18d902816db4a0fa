import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../testing/manifests.ts";
import { openStateFolder } from "./state-folder.ts";
import { describeHeld, digestOf, judgeProgram, readAllowed, writeAllowed, type Program } from "./trust.ts";

const program = {
  kind: "command",
  command: ["node", "server.js", "--mode", "read only"],
  cwd: "/m",
  env: [
    { name: "MODE", value: "ro" },
    { name: "TOKEN", secret: { name: "keys", key: "token" } },
  ],
} satisfies Program;
const key = "server/default/a";

test("SEC-8 what was allowed is known to the next run, and a file that cannot be read allows nothing", async () => {
  const folder = await openStateFolder(await temporaryFolder());
  const judge = async (digest: string) => judgeProgram(await readAllowed(folder.path), key, digest);
  expect(await judge(digestOf(program))).toBe("unknown");
  await writeAllowed(folder, new Map([[key, digestOf(program)]]));
  expect(await judge(digestOf(program))).toBe("allowed");
  expect(await judge(digestOf({ ...program, cwd: "/n" }))).toBe("changed");
  await writeFile(join(folder.path, "trusted.json"), '{"folders": ["/m"]}');
  expect(await judge(digestOf(program))).toBe("unknown");
});

test.each<[string, Partial<Extract<Program, { kind: "command" }>>]>([
  ["its command", { command: ["node", "server.js", "--mode", "read", "only"] }],
  ["its folder", { cwd: "/m/n" }],
  ["that it has a folder", { cwd: "" }],
  ["a variable", { env: [{ name: "NODE_OPTIONS", value: "--require=./evil.js" }] }],
  ["where a variable is from", { env: [program.env[0] ?? [], { name: "TOKEN", value: "x" }].flat() }],
])("SEC-8 another program is one that differs in %s", (_what, other) => {
  expect(digestOf({ ...program, ...other })).not.toBe(digestOf(program));
  expect(digestOf(structuredClone(program))).toBe(digestOf(program));
});

test("SEC-8 one that is held says what would run, with its place and variables, and what to do", () => {
  const shown = 'node server.js --mode "read only" in /m with MODE, TOKEN set; if you know that program';
  expect(describeHeld(program, "unknown")).toContain(
    `it would run, with your rights, ${shown}, start again with --trust`,
  );
  expect(describeHeld(program, "changed")).toContain(`what it runs changed since you allowed it, and is now ${shown}`);
  const long = describeHeld({ kind: "command", command: ["x".repeat(400), "y"], env: [] }, "unknown");
  expect(long).toContain(`${"x".repeat(399)}…; if`);
  expect(describeHeld({ kind: "command", command: ["x".repeat(400)], env: [] }, "unknown")).not.toContain("…");
});

test("SEC-8 another version, program or argument of a package of npm is another program", () => {
  const published = {
    kind: "npm",
    package: { name: "owls", version: "1.0.0" },
    args: ["--hoot"],
    env: [],
  } satisfies Program;
  const others: Program[] = [
    { ...published, package: { name: "owls", version: "1.0.1" } },
    { ...published, package: { name: "owls" } },
    { ...published, package: { ...published.package, program: "screech" } },
    { ...published, args: [] },
    { ...published, env: [{ name: "A", value: "b" }] },
  ];
  expect(new Set([published, ...others].map(digestOf)).size).toBe(6);
  expect(describeHeld(published, "unknown")).toContain("with your rights, npx -y owls@1.0.0 --hoot; if you know");
});
