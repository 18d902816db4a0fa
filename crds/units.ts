// Durations (Go style: 30s, 1h30m) and Kubernetes quantities (1Gi, 500m): their schemas and their reading.
// Both stay text in the resources; numbers in code carry their unit in the name.
import * as z from "zod";
import { text, withRules } from "./fields.ts";

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
/** At most three decimals: Go counts in nanoseconds and would cut what is finer, so that 0.0000001ms is 0 to it. */
const durationPattern = /^([0-9]+(\.[0-9]{1,3})?(ms|s|m|h))+$/;

/**
 * Milliseconds of a Go-style duration such as `90s` or `1h30m`.
 * @throws Error when the text is no duration.
 */
export function parseDurationMs(duration: string): number {
  if (!durationPattern.test(duration)) {
    throw new Error(`expected a duration such as 30s, 10m or 1h30m, found "${duration}"`);
  }
  let totalMicroseconds = 0;
  for (const [, amount = "0", unit = "ms"] of duration.matchAll(/([0-9.]+)(ms|s|m|h)/g)) {
    // Whole numbers, so that parts add up exactly to a maximum.
    totalMicroseconds += Math.round(Number(amount) * 1000) * (unitMs[unit] ?? 0);
  }
  return totalMicroseconds / 1000;
}

/** A duration from `minimum` to `maximum`, both included. */
export const durationFrom = (minimum: string, maximum: string, description: string) =>
  withRules(text(32, description, { pattern: durationPattern, expected: "a duration such as 30s, 10m or 1h30m" }), {
    cel: `duration(self) >= duration('${minimum}') && duration(self) <= duration('${maximum}')`,
    message: `must be at least ${minimum} and at most ${maximum}`,
    holds: (value) => {
      if (!durationPattern.test(value)) return true; // said by the pattern already
      const ms = parseDurationMs(value);
      return ms >= parseDurationMs(minimum) && ms <= parseDurationMs(maximum);
    },
  });

/** A duration above zero and up to `maximum`. */
export const duration = (maximum: string, description: string) =>
  withRules(text(32, description, { pattern: durationPattern, expected: "a duration such as 30s, 10m or 1h30m" }), {
    cel: `duration(self) > duration('0s') && duration(self) <= duration('${maximum}')`,
    message: `must be longer than 0s and at most ${maximum}`,
    holds: (value) => {
      if (!durationPattern.test(value)) return true; // said by the pattern already
      const ms = parseDurationMs(value);
      return ms > 0 && ms <= parseDurationMs(maximum);
    },
  });

const quantityPattern = /^[0-9]{1,15}(\.[0-9]{1,9})?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$/;
const suffix: Readonly<Record<string, number>> = {
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/**
 * The number a Kubernetes quantity stands for, rounded up: bytes for sizes.
 * @throws Error when the text is no quantity.
 */
export function parseQuantity(quantity: string | number): number {
  const [, amount, unit = ""] = /^([0-9]+(?:\.[0-9]+)?)([A-Za-z]*)$/.exec(String(quantity)) ?? [];
  const factor = unit === "" ? 1 : suffix[unit];
  if (amount === undefined || factor === undefined) {
    throw new Error(`expected a quantity such as 512Mi or 1Gi, found "${quantity}"`);
  }
  return Math.ceil(Number(amount) * factor);
}

/** Nine decimals of a thousandth are the finest that the pattern allows. */
const finestPower = 12;

function exactAmount(quantity: string | number): bigint {
  const [, whole = "0", fraction = "", unit = ""] = /^([0-9]+)(?:\.([0-9]+))?([A-Za-z]*)$/.exec(String(quantity)) ?? [];
  const isThousandths = unit === "m";
  const factor = isThousandths ? 1n : BigInt(suffix[unit] ?? 1);
  const power = finestPower - fraction.length - (isThousandths ? 3 : 0);
  return BigInt(whole + fraction) * factor * 10n ** BigInt(power);
}

/** Below zero when `a` is less than `b`, above when it is more. Exact, where parseQuantity makes 50m and 1 the same. */
export function compareQuantities(a: string | number, b: string | number): number {
  const difference = exactAmount(a) - exactAmount(b);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

/** As many digits as the pattern allows, so that 1 and "1" have the same bounds. */
const maxInteger = 999_999_999_999_999;

const said = { error: "must be a quantity such as 500m, 512Mi or 1Gi" };

/** A quantity as text or as a bare integer, as everywhere in Kubernetes. */
export const quantity = (description: string) =>
  z.union([z.int().min(0).max(maxInteger), z.string().regex(quantityPattern, said)], said).meta({
    description,
    "x-kubernetes-int-or-string": true,
    pattern: quantityPattern.source, // of texts
    minimum: 0, // of integers
    maximum: maxInteger,
  });

/** A quantity above zero. */
export const positiveQuantity = (description: string) =>
  withRules(quantity(description), {
    cel: "quantity(string(self)).isGreaterThan(quantity('0'))",
    message: "must be more than 0",
    holds: (value) => !quantityPattern.test(String(value)) || parseQuantity(value) > 0, // a misshapen one is said by the pattern
  });
