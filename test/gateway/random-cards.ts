// Server cards as no two programs would write them: numbers that no program can hold, repeated keys, any order of keys, escapes, and
// white space wherever JSON lets it stand. The same chance gives the same cards.
import type { Random } from "../integration/seeded-random.ts";

const numbers = [
  "0",
  "-0",
  "1.0",
  "1e400",
  "-1E+5",
  "0.1e-7",
  "12345678901234567890",
  "1.000000000000000000001",
  "9007199254740993",
];
const texts = [
  String.raw`"\u0061\ud83d\ude00"`,
  String.raw`"\ud800"`,
  '"ünïcödé 漢字 🜁"',
  String.raw`"\\\"\/\b\f\n\r\t"`,
  '"\u2028</script>&"',
  '""',
  '"__proto__"',
];
const keys = [
  '"a"',
  '"id"',
  '"isLive"',
  String.raw`"\u0069d"`,
  '"__proto__"',
  '"constructor"',
  '"ключ"',
  '"1"',
  '"a"',
  '""',
];
const spaces = ["", "", "", " ", "\n", "\t", "\r\n  "];

/** An object's text. Its required parts stand between members of any kind. */
export function renderRandomCard(random: Random, name: string, withFacts = true): string {
  const pick = <T>(from: readonly T[]): T => {
    const found = from[Math.floor(random() * from.length)];
    if (found === undefined) throw new Error("nothing to pick from");
    return found;
  };
  const space = () => pick(spaces);
  const list = (open: string, close: string, parts: readonly string[]) => {
    const joined = parts.map((part) => `${space()}${part}${space()}`).join(",");
    return `${open}${joined === "" ? space() : joined}${close}`;
  };
  const value = (depth: number): string => {
    const choice = random();
    if (depth > 3 || choice < 0.35) return pick([...numbers, ...texts, "true", "false", "null"]);
    const count = Math.floor(random() * 4);
    if (choice < 0.6) {
      return list(
        "[",
        "]",
        Array.from({ length: count }, () => value(depth + 1)),
      );
    }
    return list(
      "{",
      "}",
      Array.from({ length: count }, () => member(pick(keys), value(depth + 1))),
    );
  };
  const member = (key: string, text: string) => `${key}${space()}:${space()}${text}`;
  const shuffle = (members: string[]) =>
    members.map((each) => ({ each, at: random() })).toSorted((a, b) => a.at - b.at);
  const tool = () =>
    list("{", "}", [
      member('"name"', '"get_weather"'),
      member('"inputSchema"', value(0)),
      member('"title"', pick(texts)),
    ]);
  const own = keys.filter((key) => withFacts || !/id|isLive|0069/.test(key));
  const members = [
    member(
      '"serverInfo"',
      list("{", "}", [member('"name"', JSON.stringify(name)), member('"version"', '"1.0"'), member('"x"', value(1))]),
    ),
    member('"endpoints"', list("{", "}", [member('"streamableHttp"', '"https://a.example/mcp"')])),
    member('"tools"', list("[", "]", Array.from({ length: Math.floor(random() * 3) }, tool))),
    ...Array.from({ length: Math.floor(random() * 5) }, () => member(pick(own), value(0))),
  ];
  return list(
    "{",
    "}",
    shuffle(members).map(({ each }) => each),
  );
}
