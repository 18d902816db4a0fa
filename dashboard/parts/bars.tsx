// Twenty-four hours as bars, the failed part of each at its foot, with the number beside it and in words for who cannot see it.
import { plural } from "../words/fill.ts";
import { barWords as words } from "../words/bars.ts";

interface BarsProps {
  /** By hour, the oldest first. */
  values: readonly number[];
  failed?: readonly number[];
  /** Of a bar and of the gap beside it, in pixels. */
  barPx?: number;
  heightPx?: number;
  /** What is counted: "calls". */
  label?: string;
}

const gapPx = 1;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export function Bars({ values, failed = [], barPx = 2, heightPx = 20, label }: BarsProps) {
  const most = Math.max(1, ...values);
  const widthPx = values.length * (barPx + gapPx);
  const total = sum(values);
  const failures = sum(failed);
  const told = [plural(words.calls, total), ...(failures > 0 ? [plural(words.failed, failures)] : [])].join(", ");
  return (
    <svg
      class="bars"
      role="img"
      aria-label={label ?? told}
      viewBox={`0 0 ${widthPx} ${heightPx}`}
      width={widthPx}
      height={heightPx}
    >
      {values.map((value, index) => {
        const x = index * (barPx + gapPx);
        const height = value === 0 ? 0.5 : Math.max(1, Math.round((value / most) * heightPx));
        const bad = Math.min(failed[index] ?? 0, value);
        const badHeight = bad === 0 ? 0 : Math.max(2, Math.round((bad / most) * heightPx));
        return (
          <g key={index}>
            <rect class="bar" x={x} y={heightPx - height} width={barPx} height={height} />
            {badHeight > 0 && (
              <rect class="bar failed" x={x} y={heightPx - badHeight} width={barPx} height={badHeight} />
            )}
          </g>
        );
      })}
    </svg>
  );
}
