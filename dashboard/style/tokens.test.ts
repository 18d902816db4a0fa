// Every contrast of the page, computed from its tokens: text can be read on whatever it stands on, borders of controls can be seen, and
// the dark theme is the same whether the system or the person asked for it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";

const text = readFileSync(join(import.meta.dirname, "tokens.css"), "utf8");

type Theme = ReadonlyMap<string, string>;

/** The colours of the block that begins so. */
function readTheme(selector: string): Theme {
  const from = text.indexOf(`${selector} {`);
  if (from === -1) throw new Error(`expected a block ${selector} in tokens.css, found none`);
  const block = text.slice(from, text.indexOf("}", from));
  return new Map(
    [...block.matchAll(/--([a-z0-9-]+): (#[0-9a-f]{6});/g)].map(([, name = "", value = ""]) => [name, value]),
  );
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Of WCAG 2, 1 to 21. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const light = readTheme(":root");
const darkBySystem = readTheme(':root:not([data-theme="light"])');
const darkByPerson = readTheme(':root[data-theme="dark"]');
const grounds = ["canvas", "surface", "sunken", "hover"];
const states = ["ok", "warn", "bad", "wait"];
const softs = [...states, "accent"].map((name) => `${name}-soft`);

/** `name on ground`, and the least that it needs. */
const pairs: readonly [string, string, number][] = [
  ...["ink", "ink2", "ink3", "accent", ...states].flatMap((name) =>
    grounds.map((ground): [string, string, number] => [name, ground, 4.5]),
  ),
  ...["ink", "ink2"].flatMap((name) => softs.map((soft): [string, string, number] => [name, soft, 4.5])),
  ...[...states, "accent"].map((name): [string, string, number] => [name, `${name}-soft`, 4.5]),
  ["on-accent", "accent", 4.5],
  ...grounds.map((ground): [string, string, number] => ["edge", ground, 3]),
];

describe("contrasts", () => {
  it("are those of WCAG for what they are computed with", () => {
    expect(contrast("#000000", "#ffffff")).toBe(21);
    expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
  });

  it.each([
    ["light", light],
    ["dark", darkByPerson],
  ] as const)("suffice for every text and every edge of a control in the %s theme", (_name, theme) => {
    const tooLow = pairs.flatMap(([name, ground, least]) => {
      const [front, back] = [theme.get(name), theme.get(ground)];
      if (front === undefined || back === undefined) return [`${name} or ${ground} is no token`];
      const found = contrast(front, back);
      return found < least ? [`${name} on ${ground}: ${found.toFixed(2)}, at least ${least}`] : [];
    });
    expect(tooLow).toEqual([]);
  });
});

test("the dark theme is the same whoever asks for it, and names each colour of the light one", () => {
  expect([...darkBySystem]).toEqual([...darkByPerson]);
  expect([...darkByPerson.keys()]).toEqual([...light.keys()]);
});

test("no other style sheet has a colour of its own", () => {
  const sheets = ["base", "parts", "shell", "agents", "agent", "approvals", "servers", "discover", "tester", "calls"];
  const found = [...sheets, "policies", "directory", "create", "app"].flatMap((name) => {
    const sheet = readFileSync(join(import.meta.dirname, `${name}.css`), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
    return [...sheet.matchAll(/#[0-9a-f]{3,8}\b(?![^{]*\{)|\b(?:rgb|hsl|oklch)a?\(/gi)].map(
      ([colour]) => `${name}.css: ${colour}`,
    );
  });
  expect(found).toEqual([]);
});
