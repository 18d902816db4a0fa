import { describe, expect, it } from "vitest";
import { defaultLimits } from "./testing/resources.ts";
import { limitsText, renderLimits } from "./rules.ts";

describe("CAT-6 the limits that an operator hands to its registries", () => {
  it.each([
    {},
    { allowedImages: [] },
    { allowedImages: ["registry.example/pallas", "other.example"] },
    defaultLimits,
    {
      authors: { labels: ["team", "a/*"], annotations: ["*"], priorityClasses: ["low"], networkPolicy: "off" as const },
    },
  ])("%j arrive as they were", (limits) => {
    expect(limitsText.parse(renderLimits({ mode: "cluster", ...limits }))).toEqual(limits);
  });

  it("those of a newer operator are passed over", () => {
    expect(limitsText.parse('{"allowedImages":[],"allowedMoods":["fine"]}')).toEqual({ allowedImages: [] });
  });

  it.each(["", "a,b", '{"allowedImages":"all"}', '{"authors":{"labels":[]}}'])("%j is refused", (text) => {
    expect(limitsText.safeParse(text).success).toBe(false);
  });
});
