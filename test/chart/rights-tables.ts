// Reads the tables of rights in docs/security.md: a line `| resource | verbs |` below a heading that names the account.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./rendered-chart.ts";

/** `resource verbs`, sorted. */
export interface RightsTables {
  readonly cluster: readonly string[];
  readonly election: readonly string[];
  readonly registry: readonly string[];
  readonly gateway: readonly string[];
  /** With `management: readWrite`, besides. */
  readonly managing: readonly string[];
}

const headings = {
  cluster: "### Operator, in every namespace it looks after",
  election: "### Operator, in its own namespace",
  registry: "### Registry, in its own namespace",
  gateway: "### Gateway, in its own namespace",
  managing: "### Gateway with `management: readWrite`, besides",
} as const;

export async function readRightsTables(): Promise<RightsTables> {
  const page = await readFile(join(root, "docs/security.md"), "utf8");
  const read = (heading: string): string[] => {
    const section = page.split(`${heading}\n`)[1]?.split(/^#/m)[0];
    if (section === undefined) throw new Error(`expected the heading "${heading}" in docs/security.md, found none`);
    return [...section.matchAll(/^\| `([^`]+)` \| ([a-z ]+) \|$/gm)]
      .map(([, what, verbs]) => `${what} ${verbs}`)
      .toSorted();
  };
  return {
    cluster: read(headings.cluster),
    election: read(headings.election),
    registry: read(headings.registry),
    gateway: read(headings.gateway),
    managing: read(headings.managing),
  };
}
