// Notes of the programs that tests start under a ServiceAccount, beside the audit logs: without them a test whose calls
// nobody recorded would look like one that made none. And of the test files that are left out, which did make none.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { auditDir } from "../cluster/audit.ts";

const startedSchema = z.object({
  program: z.enum(["operator", "registry", "gateway"]),
  /** `namespace/name` of its ServiceAccount. */
  account: z.string(),
  /** Where alone it may call; empty: in the whole cluster. */
  namespaces: z.array(z.string()),
  /** The test file that started it. */
  testPath: z.string(),
});
export type Started = z.infer<typeof startedSchema>;

const leftOutSchema = z.string();

export interface RunNotes {
  noteStart(started: Started): void;
  /** @param testPath the file, absolute, none of whose programs will be started */
  noteLeftOut(testPath: string): void;
  readStarts(): Started[];
  /** The files of `expected` that neither started a program nor were left out: those that were not run. */
  findNotRun(expected: readonly string[]): string[];
}

export function openRunNotes(folder: string): RunNotes {
  const startedPath = join(folder, "started.jsonl");
  const leftOutPath = join(folder, "left-out.jsonl");
  const append = (path: string, value: unknown): void => {
    mkdirSync(folder, { recursive: true });
    appendFileSync(path, `${JSON.stringify(value)}\n`);
  };
  const read = <Value>(path: string, schema: z.ZodType<Value>): Value[] => {
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    return lines.map((line) => schema.parse(JSON.parse(line)));
  };
  const readStarts = (): Started[] => read(startedPath, startedSchema);
  return {
    noteStart: (started) => append(startedPath, started),
    noteLeftOut: (testPath) => append(leftOutPath, testPath),
    readStarts,
    findNotRun(expected) {
      const known = new Set([...readStarts().map(({ testPath }) => testPath), ...read(leftOutPath, leftOutSchema)]);
      return expected.filter((path) => !known.has(path));
    },
  };
}

/** Of the run of tests that is going on. */
export const runNotes = openRunNotes(auditDir);
