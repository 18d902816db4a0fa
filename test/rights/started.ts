// Notes of the programs that tests start under a ServiceAccount, beside the audit logs: without them a test whose calls
// nobody recorded would look like one that made none.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { auditDir } from "../cluster/audit.ts";

const startedSchema = z.object({
  program: z.enum(["operator", "registry"]),
  /** `namespace/name` of its ServiceAccount. */
  account: z.string(),
  /** Where alone it may call; empty: in the whole cluster. */
  namespaces: z.array(z.string()),
  /** The test file that started it. */
  testPath: z.string(),
});
export type Started = z.infer<typeof startedSchema>;

const startedPath = join(auditDir, "started.jsonl");

export function noteStart(started: Started): void {
  mkdirSync(dirname(startedPath), { recursive: true });
  appendFileSync(startedPath, `${JSON.stringify(started)}\n`);
}

export function readStarts(): Started[] {
  if (!existsSync(startedPath)) return [];
  const lines = readFileSync(startedPath, "utf8").trimEnd().split("\n");
  return lines.map((line) => startedSchema.parse(JSON.parse(line)));
}
