// What the host says of itself: whether it calls tools for this page, its theme, and its colours and fonts as far as it gives them. Colours that
// mean something keep ours, since their contrast is known.
import * as z from "zod";

export const hostContextSchema = z.looseObject({
  theme: z.enum(["light", "dark"]).optional().catch(undefined),
  styles: z
    .looseObject({ variables: z.record(z.string(), z.unknown()).optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
export type HostContext = z.output<typeof hostContextSchema>;

export const initializedSchema = z.looseObject({
  hostInfo: z
    .looseObject({ name: z.string().catch("") })
    .optional()
    .catch(undefined),
  hostCapabilities: z.looseObject({ serverTools: z.unknown().optional() }).catch({ serverTools: undefined }),
  hostContext: hostContextSchema.optional().catch(undefined),
});

/** Ours, by the host's names. Grounds and texts are taken together or not at all, so that each text can be read on its ground. */
const colours: Readonly<Record<string, readonly string[]>> = {
  "--color-background-primary": ["--surface", "--canvas"],
  "--color-background-secondary": ["--sunken"],
  "--color-background-tertiary": ["--hover"],
  "--color-text-primary": ["--ink"],
  "--color-text-secondary": ["--ink2", "--ink3"],
  "--color-border-primary": ["--edge"],
  "--color-border-secondary": ["--line"],
};
const fonts: Readonly<Record<string, readonly string[]>> = { "--font-sans": ["--sans"], "--font-mono": ["--mono"] };

const maxChars = 200;

/** A value that loads nothing and ends nothing. */
const isPlain = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= maxChars && !/url|image-set|[;{}<>\\@]/i.test(value);

/** Our variables with the host's values. Pure. */
export function hostVariables({ styles }: HostContext): ReadonlyMap<string, string> {
  const given = styles?.variables ?? {};
  const taken = new Map<string, string>();
  const take = (names: Readonly<Record<string, readonly string[]>>) => {
    for (const [theirs, ours] of Object.entries(names)) {
      const value = given[theirs];
      if (isPlain(value)) for (const name of ours) taken.set(name, value);
    }
  };
  if (Object.keys(colours).every((name) => isPlain(given[name]))) take(colours);
  take(fonts);
  return taken;
}

export function applyHostContext(context: HostContext, root: HTMLElement): void {
  if (context.theme !== undefined) {
    root.dataset["theme"] = context.theme;
    // For values by light-dark().
    root.style.colorScheme = context.theme;
  }
  for (const [name, value] of hostVariables(context)) root.style.setProperty(name, value);
}
