import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeLabelValue, parseLabels, renderLabels } from "./labels.ts";

test("MET-1 a label's value stays one, whatever is in it", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", '"', "\\", "\n", "}", ",", "=") }), (value) => {
      const label = { name: "agent", raw: escapeLabelValue(value) };
      const text = renderLabels([label]);
      expect(text).not.toContain("\n");
      expect(parseLabels(text, 0)).toEqual({ labels: [label], end: text.length });
    }),
  );
});
