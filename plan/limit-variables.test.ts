import { describe, expect, it } from "vitest";
import * as z from "zod";
import { policyLevels } from "./author-limits.ts";
import { limitsOf, limitVariables } from "./limit-variables.ts";
import { defaultLimits } from "./testing/resources.ts";

const read = (env: Record<string, string>) => limitsOf(z.object(limitVariables).parse(env));

describe("SEC-2 what an operator allows", () => {
  it("is little where it is told nothing", () => {
    expect(defaultLimits).toEqual({
      allowedImages: [],
      authors: { labels: [], annotations: [], priorityClasses: [], networkPolicy: "sameNamespace" },
    });
  });

  it("is what its variables list", () => {
    expect(
      read({
        PALLAS_ALLOWED_IMAGES: "registry.example/a",
        PALLAS_AUTHOR_LABELS: "team, example.com/*,",
        PALLAS_AUTHOR_ANNOTATIONS: "*",
        PALLAS_AUTHOR_PRIORITY_CLASSES: "low,high",
        PALLAS_AUTHOR_NETWORK_POLICY: "off",
      }),
    ).toEqual({
      allowedImages: ["registry.example/a"],
      authors: {
        labels: ["team", "example.com/*"],
        annotations: ["*"],
        priorityClasses: ["low", "high"],
        networkPolicy: "off",
      },
    });
  });

  it.each([...policyLevels])("has the level %s", (level) => {
    expect(read({ PALLAS_AUTHOR_NETWORK_POLICY: level }).authors.networkPolicy).toBe(level);
  });

  it("has no other level", () => {
    expect(() => read({ PALLAS_AUTHOR_NETWORK_POLICY: "all" })).toThrow("sameNamespace");
  });
});
