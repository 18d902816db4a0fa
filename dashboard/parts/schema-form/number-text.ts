// Numbers as people write them, told from those of JSON, and compared without losing digits. Pure.
import { isNumberText } from "./json-text.ts";

/** What was probably meant: "18,40" is 18.40, ".5" is 0.5, "1 000" is 1000; undefined where it is no number at all. */
export function suggestNumber(written: string): string | undefined {
  const dense = written.trim().replace(/[\s\u00a0\u202f_'’]/g, "");
  return candidates(dense).map(tidy).find(isNumberText);
}

/** Which of comma and point stands before the fraction: the last one. */
function candidates(text: string): readonly string[] {
  const comma = text.lastIndexOf(",");
  const point = text.lastIndexOf(".");
  if (comma === -1) return [text, text.replaceAll(".", "")];
  if (point > comma) return [text.replaceAll(",", "")];
  if (point !== -1) return [text.replaceAll(".", "").replace(",", ".")];
  const isGrouped = text.indexOf(",") !== comma;
  return isGrouped ? [text.replaceAll(",", "")] : [text.replace(",", ".")];
}

const tidy = (text: string): string =>
  text
    .replace(/^\+/, "")
    .replace(/^(-?)\./, "$10.")
    .replace(/\.(?=$|[eE])/, "")
    .replace(/^(-?)0+(?=\d)/, "$1");

/** Whether nothing stands behind the point once the exponent is taken in. */
export function isWholeText(text: string): boolean {
  const [, digits = "", fraction = "", exponent = "0"] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const kept = fraction.replace(/0+$/, "");
  if (kept !== "") return Number(exponent) >= kept.length;
  const zeros = digits.length - digits.replace(/0+$/, "").length;
  return /^0+$/.test(digits) || Number(exponent) >= -zeros;
}

/** Below, equal or above 0 as `text` is below, at or above `bound`; whole numbers digit by digit. */
export function compareToBound(text: string, bound: number): number {
  if (/^-?\d+$/.test(text) && Number.isInteger(bound)) {
    const difference = BigInt(text) - BigInt(bound);
    return difference < 0n ? -1 : Number(difference > 0n);
  }
  return Number(text) - bound;
}
