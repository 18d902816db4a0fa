// Servers that others publish, as the gateway found them, and what of each can be installed: in the version that was found, under a name that
// it may have here. Pure.
import * as z from "zod";

const variable = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  required: z.boolean().default(false),
  secret: z.boolean().default(false),
});

const offer = z.looseObject({
  name: z.string(),
  version: z.string().nullish(),
  runtime: z.enum(["node", "python", "docker", "streamable-http", "sse"]),
  license: z.string().nullish(),
  command: z.string().nullable().default(null),
  args: z.array(z.string()).default([]),
  env: z.array(variable).default([]),
  headers: z.array(variable).default([]),
  missing_args: z.array(z.string()).default([]),
});
export type Offer = z.output<typeof offer>;

const published = z.looseObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().nullish(),
  version: z.string().nullish(),
  repository: z.string().nullish(),
  source: z.string(),
  tags: z.array(z.string()).default([]),
  packages: z.array(offer).default([]),
});
export type Published = z.output<typeof published>;

const source = z.looseObject({
  name: z.string(),
  kind: z.string(),
  status: z.string(),
  error: z.string().optional(),
  left_out: z.number().optional(),
});
export type BrowsedSource = z.output<typeof source>;

export const browsedSchema = z.looseObject({
  servers: z.array(published),
  next_cursor: z.string().nullable().default(null),
  sources: z.array(source).default([]),
});
export type Browsed = z.output<typeof browsedSchema>;

/** In which order the gateway takes one of several offers. */
const order = ["node", "python", "streamable-http", "docker", "sse"] as const;

type WhyNot = "docker" | "sse" | "template" | "none";

/** What would be installed, or why nothing can be. */
export function chooseOffer({ packages }: Pick<Published, "packages">): { offer?: Offer; whyNot?: WhyNot } {
  const [found] = order.flatMap((runtime) => packages.filter((each) => each.runtime === runtime));
  if (found === undefined) return { whyNot: "none" };
  if (found.runtime === "docker" || found.runtime === "sse") return { offer: found, whyNot: found.runtime };
  const isTemplate = found.runtime === "streamable-http" && /[{}]/.test(found.name);
  return isTemplate ? { offer: found, whyNot: "template" } : { offer: found };
}

const maxNameChars = 50;

/** What it would be called here: the end of its name, as the name of a resource. */
export function nameFor(name: string): string {
  const last = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
  const plain = last.replaceAll(/[^a-z0-9]+/g, "-").replace(/^-+/, "");
  const begun = /^[a-z]/.test(plain) ? plain : `s-${plain}`;
  return begun.slice(0, maxNameChars).replace(/-+$/, "");
}

export const isName = (name: string): boolean =>
  /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name) && name.length <= maxNameChars;

/** One server of one source once, whatever page it came with. */
export function joinPages(pages: readonly Browsed[]): readonly Published[] {
  const all = pages.flatMap(({ servers }) => servers);
  return [...new Map(all.map((each) => [`${each.source}\n${each.name}`, each])).values()];
}
