// Kubernetes quantities (`500m`, `1Gi`, `1e3`), only as far as telling whether two texts mean the same amount.

const quantityPattern = /^([+-]?)(\d+)(?:\.(\d*))?(?:([eE][+-]?\d{1,2})|(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E))?$/;
const binaryUnits = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const decimal: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
/** Longer texts are no amount that anyone means, and are not worth the arithmetic. */
const maxChars = 64;

/** False also when one of the two is no quantity. */
export function isSameQuantity(a: string | number, b: string | number): boolean {
  const [left, right] = [parseQuantity(String(a)), parseQuantity(String(b))];
  if (left === undefined || right === undefined) return false;
  const shift = Math.min(left.exponent, right.exponent);
  return left.digits * 10n ** BigInt(left.exponent - shift) === right.digits * 10n ** BigInt(right.exponent - shift);
}

/** The amount is `digits · 10^exponent`. */
function parseQuantity(text: string): { digits: bigint; exponent: number } | undefined {
  const match = text.length > maxChars ? null : quantityPattern.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", power, suffix = ""] = match;
  const binary = binaryUnits.indexOf(suffix);
  const magnitude = BigInt(whole + fraction) * (binary < 0 ? 1n : 1024n ** BigInt(binary + 1));
  const shift = power === undefined ? (decimal[suffix] ?? 0) : Number(power.slice(1));
  return { digits: sign === "-" ? -magnitude : magnitude, exponent: shift - fraction.length };
}
