// What axe finds wrong in a page or in a frame of one. Its script has to be there from the start.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Frame, Page } from "playwright-core";
import * as z from "zod";

export const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

const findingsSchema = z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }));

export async function findViolations(page: Page | Frame): Promise<string[]> {
  const options = JSON.stringify({ runOnly: { type: "tag", values: tags }, resultTypes: ["violations"] });
  const found: unknown = await page.evaluate(`axe.run(document, ${options}).then(({ violations }) => violations)`);
  return findingsSchema.parse(found).map(({ id, nodes }) => {
    const shown = nodes.slice(0, 3).map(({ html }) => html.slice(0, 160));
    return `${id}: ${shown.join(" | ")} (${nodes.length})`;
  });
}
