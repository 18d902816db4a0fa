// Texts with named places and plural forms, so that all words of the page stand in this folder and can be translated: a file of
// texts for each view. `fill` and `plural` refuse, at compile time, a place that is not given.

/** The names in braces of a text. */
type Places<Text extends string> = Text extends `${string}{${infer Place}}${infer Rest}` ? Place | Places<Rest> : never;
type Values<Text extends string> = Readonly<Record<Places<Text>, string | number>>;

const isKey = <Key extends string>(name: string, values: Readonly<Record<Key, unknown>>): name is Key => name in values;

/** Numbers as people of the page's language write them. */
const numbers = new Intl.NumberFormat("en");
export const tellNumber = (value: number): string => numbers.format(value);

/** The text with its places filled: numbers are grouped by thousands. */
export function fill<Text extends string>(text: Text, values: Values<Text>): string {
  return text.replace(/\{([a-zA-Z]+)\}/g, (place, name: string) => {
    if (!isKey(name, values)) return place;
    const value: string | number = values[name];
    return typeof value === "number" ? tellNumber(value) : value;
  });
}

export interface PluralText {
  readonly one: string;
  readonly other: string;
}

const rules = new Intl.PluralRules("en");

/** The form for this many, with `{n}` and further places filled. */
export function plural<Text extends PluralText>(
  text: Text,
  n: number,
  ...[values]: Exclude<Places<Text["one"] | Text["other"]>, "n"> extends never
    ? []
    : [Readonly<Record<Exclude<Places<Text["one"] | Text["other"]>, "n">, string | number>>]
): string {
  const form: string = rules.select(n) === "one" ? text.one : text.other;
  const filled: Readonly<Record<string, string | number>> = { ...values, n };
  return fill<string>(form, filled);
}
