// Expressions that stand for a text, as Python itself has them, and those that only running it could tell.
import { load } from "js-yaml";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { todo } from "../../../plan/accept.ts";
import { importTexts, withModule } from "../testing/projects.ts";

const agent = z.object({ spec: z.object({ instruction: z.string().optional() }) });

const head = `
A = "a"
SAME: str = A
TWICE = "first"
TWICE = "second"
GROWN = "x"
GROWN += "y"
if A:
    MAYBE = "m"
PARTS = ["one", "two"]
LOOP = (LOOP2)
LOOP2 = (LOOP)
`;

async function instructionOf(expression: string): Promise<{ text: string | undefined; said: string }> {
  const python = `from .prompts import SHARED\n${head}\n@fast.agent("jarvis", ${expression})\nasync def f(): pass\n`;
  const { files, said } = await importTexts(
    withModule(python, { "agents/prompts.py": 'SHARED = "base"\n', "text/x.md": "from a file\n" }),
  );
  return { text: agent.parse(load(files["agents.yaml"] ?? "")).spec.instruction, said: said.join("\n") };
}

describe("CLI-3 a text is found without running Python when it is", () => {
  test.each([
    [`"plain"`, "plain"],
    [`'quoted "inside"'`, 'quoted "inside"'],
    [`r"raw \\n"`, "raw \\n"],
    [String.raw`"\x41\u00e9\U0001F600\101\t\'\\ \q"`, "Aé😀A\t'\\ \\q"],
    [`"""three\nlines\\\n joined"""`, "three\nlines joined"],
    [`"next " 'to ' """each other"""`, "next to each other"],
    [`("in " "brackets")`, "in brackets"],
    ["A", "a"],
    [`${"(".repeat(99)}"deep"${")".repeat(99)}`, "deep"],
    [`("in " "several " 'parts')`, "in several parts"],
    [`"  trimmed\\n".strip()`, "trimmed"],
    ["SAME", "a"],
    [`Path("text/x.md")`, "from a file\n"],
    [`Path("text/x.md").read_text().strip()`, "from a file"],
    [`(Path(__file__).parent.parent / "text" / "x.md").read_text(encoding="utf-8")`, "from a file\n"],
    [`Path(__file__).resolve().parent.parent / "text/x.md"`, "from a file\n"],
  ])("%s", async (expression, text) => {
    expect((await instructionOf(expression)).text).toBe(text);
  });
});

describe("CLI-3 a text is marked as lost, which `pallas check` refuses, and said to be when it is", () => {
  test.each([
    ["TWICE", "TWICE is not a constant of this module"],
    ["GROWN", "GROWN is not a constant of this module"],
    ["MAYBE", "MAYBE is not a constant of this module"],
    ["SHARED", "SHARED is not a constant of this module"],
    ["make(A)", "is made by make(), which is not run"],
    [`os.environ["X"]`, "is made by code, which is not run"],
    [`os.getenv("X", "y")`, "is made by getenv(), which is not run"],
    [`A if A else A`, "is made by code, which is not run"],
    [`A + "b"`, "is made by code, which is not run"],
    [`"%s" % A`, "is made by code, which is not run"],
    [`f"{A} and more"`, "is made by code, which is not run"],
    [`"text " f"{A}"`, "is made by code, which is not run"],
    [`"-".join(PARTS)`, "is made by join(), which is not run"],
    [`textwrap.dedent("x")`, "is made by dedent(), which is not run"],
    [`b"bytes"`, "is a text that cannot be read without Python"],
    [String.raw`"\N{BULLET}"`, "is a text that cannot be read without Python"],
    [`Path("/etc/hostname")`, "leads out of the project's folder"],
    [`Path("../x.md").read_text()`, "leads out of the project's folder"],
    ["LOOP", "LOOP stands for itself"],
    [`${"(".repeat(100)}"deep"${")".repeat(100)}`, "leads through more than 100 expressions"],
    ["PARTS", "expected text, found a list"],
  ])("%s", async (expression, why) => {
    const { text, said } = await instructionOf(expression);
    expect(text).toBe(todo);
    expect(said).toContain(why);
  });
});

test("CLI-3 a bare yield and a decorator that is called hide no agent behind them", async () => {
  const python = `
async def lifespan(app):
    yield
    x = yield  # until the end
fast.agent("clerk", "Say: a bare yield")(lifespan)
@fast.agent("jarvis", """Of one
yield""")
async def f(): pass
`;
  const { files, said } = await importTexts(withModule(python));
  expect(said.join("\n")).not.toContain("not understood");
  expect(files["agents.yaml"]).toContain("instruction: 'Say: a bare yield'");
  expect(files["agents.yaml"]).toContain("    Of one\n    yield\n");
});

test("CLI-3 a list and a mapping take a thousand items and no more", async () => {
  const of = async (expression: string) => {
    const python = `@fast.agent("jarvis", "A", ${expression})\nasync def f(): pass\n`;
    return (await importTexts(withModule(python))).said.join("\n");
  };
  const items = (count: number, item: string): string => `${item},`.repeat(count);
  expect(await of(`servers=[${items(1_000, "4")}]`)).toContain("servers[999]: not carried over: expected text");
  expect(await of(`servers=[${items(1_001, "4")}]`)).toContain("servers: not carried over: has more than 1000 items");
  const mapping = (count: number): string =>
    `tools={${Array.from({ length: count }, (_, at) => `"t${at}": []`).join(",")}}`;
  expect(await of(mapping(1_000))).not.toContain("has more than");
  expect(await of(mapping(1_001))).toContain("tools: not carried over: has more than 1000 items");
});

test("CLI-3 names that stand for lists of names are each looked at once", async () => {
  const twice = (level: number): string => `N${level} = [N${level - 1}, N${level - 1}]\n`;
  const names = Array.from({ length: 60 }, (_, at) => twice(at + 1)).join("");
  const python = `N0 = "x"\n${names}@fast.agent("jarvis", "A", servers=N60)\nasync def f(): pass\n`;
  expect((await importTexts(withModule(python))).said.join("\n")).toContain("servers[1]: not carried over");
});
