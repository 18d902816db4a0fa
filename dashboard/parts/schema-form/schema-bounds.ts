// The bounds that a schema sets, in the words in which they stand beside a field: "0.01 to 50,000", "at most 34 characters". Pure.
import { fill, tellNumber } from "../../words/fill.ts";
import { schemaFormWords } from "../../words/schema-form.ts";
import { numberOf, textOf, type Schema } from "./resolve-schema.ts";

const words = schemaFormWords.bounds;

/** Whole ones grouped, others with all their digits. */
export const tellBound = (value: number): string => (Number.isSafeInteger(value) ? tellNumber(value) : String(value));

interface RangeWords {
  readonly between: string;
  readonly atLeast: string;
  readonly atMost: string;
}

function tellRange(min: number | undefined, max: number | undefined, texts: RangeWords): readonly string[] {
  const values = { min: tellBound(min ?? 0), max: tellBound(max ?? 0) };
  if (min !== undefined && max !== undefined) return [fill<string>(texts.between, values)];
  if (min !== undefined) return [fill<string>(texts.atLeast, values)];
  return max === undefined ? [] : [fill<string>(texts.atMost, values)];
}

export function tellBounds(schema: Schema): readonly string[] {
  const { exclusiveMinimum: above, exclusiveMaximum: below, multipleOf: step } = schema;
  const found = [
    ...tellRange(numberOf(schema["minimum"]), numberOf(schema["maximum"]), words),
    ...(typeof above === "number" ? [fill(words.above, { min: tellBound(above) })] : []),
    ...(typeof below === "number" ? [fill(words.below, { max: tellBound(below) })] : []),
    ...(typeof step === "number" ? [fill(words.step, { step: tellBound(step) })] : []),
    ...tellRange(numberOf(schema["minLength"]), numberOf(schema["maxLength"]), {
      between: words.charsBetween,
      atLeast: words.charsAtLeast,
      atMost: words.charsAtMost,
    }),
    ...tellRange(numberOf(schema["minItems"]), numberOf(schema["maxItems"]), {
      between: words.itemsBetween,
      atLeast: words.itemsAtLeast,
      atMost: words.itemsAtMost,
    }),
    ...(schema["uniqueItems"] === true ? [words.unique] : []),
  ];
  const format = textOf(schema["format"]);
  const pattern = textOf(schema["pattern"]);
  return [
    ...found,
    ...(format === undefined ? [] : [fill(words.format, { format: format.slice(0, maxQuotedChars) })]),
    ...(pattern === undefined ? [] : [fill(words.pattern, { pattern: pattern.slice(0, maxQuotedChars) })]),
  ];
}

const maxQuotedChars = 120;
