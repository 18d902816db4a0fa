// The alerts as they are shipped, and what stands in their expressions.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { z } from "zod";

export const rulesPath = join(import.meta.dirname, "../../charts/pallas/files/alerts.yaml");

const ruleSchema = z.strictObject({
  alert: z.string(),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.strictObject({ severity: z.enum(["critical", "warning"]) }),
  annotations: z.strictObject({ summary: z.string().max(100), description: z.string(), runbook_url: z.string() }),
});

const fileSchema = z.strictObject({
  groups: z.array(z.strictObject({ name: z.string(), rules: z.array(ruleSchema) })),
});

export type AlertRule = z.infer<typeof ruleSchema>;

export const readRuleText = (): string => readFileSync(rulesPath, "utf8");

export function readRules(text: string = readRuleText()): AlertRule[] {
  return fileSchema.parse(load(text)).groups.flatMap(({ rules }) => rules);
}

const operators = new Set(["and", "or", "unless", "offset", "bool", "inf", "nan"]);

/** Names of the metrics in a PromQL expression: identifiers that are neither functions nor operators nor labels. */
export function metricsIn(expression: string): string[] {
  const bare = expression
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    .replaceAll(/\{[^}]*\}/g, "")
    .replaceAll(/\[[^\]]*\]/g, "")
    .replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, "")
    .replaceAll(/\b\d+(?:\.\d+)?[smhdwy]?\b/g, "");
  const found = [...bare.matchAll(/\b[a-zA-Z_:][\w:]*\b(?!\s*\()/g)].map(([name]) => name);
  return [...new Set(found.filter((name) => !operators.has(name.toLowerCase())))];
}
