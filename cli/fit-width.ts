// Lines cut to the columns that they have. Widths are those of terminals: wide characters take two columns, marks none.
import stringWidth from "string-width";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The line, or as much of it as fits with an ellipsis at its end. The line holds no styles. */
export function fitWidth(line: string, columns: number): string {
  // What is far too long is not measured as a whole.
  const near = line.slice(0, columns * 16);
  if (near === line && stringWidth(line) <= columns) return line;
  let [fitting, width] = ["", 0];
  for (const { segment } of segmenter.segment(near)) {
    width += stringWidth(segment);
    if (width > columns - 1) break;
    fitting += segment;
  }
  return `${fitting.trimEnd()}…`;
}
