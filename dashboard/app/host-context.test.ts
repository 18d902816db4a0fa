import { describe, expect, it } from "vitest";
import { hostVariables, initializedSchema } from "./host-context.ts";

const whole = {
  "--color-background-primary": "#fff",
  "--color-background-secondary": "light-dark(#eee, #222)",
  "--color-background-tertiary": "#ddd",
  "--color-text-primary": "#000",
  "--color-text-secondary": "#333",
  "--color-border-primary": "#777",
  "--color-border-secondary": "#ccc",
};

describe("the host's theme", () => {
  it("is taken for grounds, texts and borders together", () => {
    const taken = hostVariables({ styles: { variables: whole } });
    expect(taken.get("--surface")).toBe("#fff");
    expect(taken.get("--sunken")).toBe("light-dark(#eee, #222)");
    expect(taken.get("--ink3")).toBe("#333");
    expect([...taken.keys()].filter((name) => /accent|bad|warn|wait|ok/.test(name))).toEqual([]);
  });

  it("is not taken in part: a text could not be read on another's ground", () => {
    const { "--color-text-primary": _, ...part } = whole;
    expect(hostVariables({ styles: { variables: part } }).size).toBe(0);
    expect(hostVariables({ styles: { variables: { ...whole, "--color-text-primary": "x".repeat(201) } } }).size).toBe(
      0,
    );
  });

  it("has its fonts without colours, and nothing that loads or ends something", () => {
    const variables = { "--font-sans": "Inter, sans-serif", "--font-mono": "url(https://example.com/x)" };
    expect([...hostVariables({ styles: { variables } })]).toEqual([["--sans", "Inter, sans-serif"]]);
    expect(hostVariables({ styles: { variables: { "--font-sans": "a; color: red" } } }).size).toBe(0);
    expect(hostVariables({}).size).toBe(0);
  });
});

describe("what the host says when it is greeted", () => {
  it("is read leniently", () => {
    expect(
      initializedSchema.parse({ hostCapabilities: { serverTools: {} }, hostContext: { theme: "dark" } }),
    ).toMatchObject({
      hostCapabilities: { serverTools: {} },
      hostContext: { theme: "dark" },
    });
    expect(initializedSchema.parse({ hostContext: { theme: "pink", styles: 1 }, hostInfo: 3 })).toMatchObject({
      hostCapabilities: {},
    });
  });
});
