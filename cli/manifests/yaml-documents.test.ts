import { describe, expect, test } from "vitest";
import { maxNodes } from "./yaml-nodes.ts";
import { readYamlDocuments, type YamlDocument } from "./yaml-documents.ts";

function only(text: string): YamlDocument {
  const [part, ...others] = readYamlDocuments(text);
  expect(others).toEqual([]);
  if (part?.ok !== true) throw new Error(`expected a document, found ${JSON.stringify(part)}`);
  return part.document;
}

function problemOf(text: string) {
  const problems = readYamlDocuments(text).filter((part) => !part.ok);
  expect(problems).toHaveLength(1);
  return problems[0];
}

describe("CFG-5 a field is found by its path", () => {
  const text = `# a comment
kind: PallasAgent
spec:
  servers:
    - name: argos
    - { name: "neo4j", tools: { allow: [a, b] } }
  labels:
    pallas.helu.ca/client: x
  empty:
`;
  test.each([
    ["", 2, 1],
    ["kind", 2, 7],
    ["spec", 3, 1],
    ["spec.servers[0].name", 5, 13],
    ["spec.servers[1].name", 6, 15],
    ["spec.servers[1].tools.allow[1]", 6, 44],
    ["spec.servers[1]", 6, 7],
    ["spec.labels.pallas.helu.ca/client", 8, 28],
    ["spec.empty", 9, 3],
  ])("%s is at line %i, column %i", (path, line, column) => {
    expect(only(text).locate(path)).toEqual({ line, column });
  });

  test("a field that is not there is placed at the nearest one around it", () => {
    expect(only(text).locate("spec.servers[0].tools.allow")).toEqual({ line: 5, column: 7 });
    expect(only(text).locate("metadata.name")).toEqual({ line: 2, column: 1 });
  });

  test("lines are counted over all documents, with any line end and a byte order mark", () => {
    const parts = readYamlDocuments("\uFEFF---\r\na: 1\r\n---\r\n\r\nb:\r\n  c: 2\r\n");
    const places = parts.map((part) => (part.ok ? [part.document.value, part.document.locate("b.c")] : part));
    expect(places).toEqual([
      [{ a: 1 }, { line: 2, column: 1 }],
      [{ b: { c: 2 } }, { line: 6, column: 6 }],
    ]);
  });

  test("JSON is read like YAML", () => {
    const document = only('{\n\t"spec": {\n\t\t"port": "x"\n\t}\n}');
    expect(document.value).toEqual({ spec: { port: "x" } });
    expect(document.locate("spec.port")).toEqual({ line: 3, column: 11 });
  });

  test("an alias is placed where it stands, and its fields where they are written", () => {
    const document = only("a: &x\n  name: one\nb: *x\n");
    expect(document.value).toEqual({ a: { name: "one" }, b: { name: "one" } });
    expect(document.locate("b.name")).toEqual({ line: 2, column: 9 });
  });
});

describe("CFG-5 a text means what it means to kubectl", () => {
  test("yes and off are booleans, and << merges", () => {
    expect(only("a: yes\nb: off\nc: &c { d: 1 }\ne: { <<: *c }").value).toEqual({
      a: true,
      b: false,
      c: { d: 1 },
      e: { d: 1 },
    });
  });

  test("a List is its items, each with its own place", () => {
    const parts = readYamlDocuments("kind: List\nitems:\n  - kind: A\n  - kind: B\n");
    expect(parts.map((part) => part.ok && [part.document.value, part.document.start.line])).toEqual([
      [{ kind: "A" }, 3],
      [{ kind: "B" }, 4],
    ]);
  });

  test("empty documents are none", () => {
    expect(readYamlDocuments("---\n# nothing\n---\n\n---\nnull\n")).toEqual([]);
  });
});

describe("CFG-5 what cannot be read is named with its place", () => {
  test("a key that stands twice", () => {
    expect(problemOf("a: 1\nb:\n  c: 1\n  c: 2\n")).toMatchObject({
      position: { line: 4, column: 3 },
      message: "this key stands twice in one mapping; remove one of them",
    });
  });

  test("a tab", () => {
    const message = expect.stringMatching(/^a tab indents this line, and YAML wants spaces/);
    expect(problemOf("a:\n  b: 1\n\tc: 2\n")).toMatchObject({ position: { line: 3 }, message });
  });

  test("a bracket that is not closed, in the second document, without harm to its neighbours", () => {
    const parts = readYamlDocuments("a: 1\n---\nb: [1\nc: 2\n---\nd: 3\n");
    expect(parts.map((part) => part.ok)).toEqual([true, false, true]);
    expect(parts[1]).toMatchObject({ position: { line: 4 }, message: expect.stringContaining("not valid YAML: ") });
  });

  test.each([
    ["an alias without an anchor", 'a: *sk-4"711\n'],
    ["a tag in brackets", "a: !<sk-4711> x\n"],
    ["a tag that cannot be one", "a: !sk-4711^x y\n"],
  ])("%s, without what it says", (_, text) => {
    const { message } = problemOf(text) ?? {};
    expect(message).toMatch(/^not valid YAML: .*…/);
    expect(message).not.toMatch(/4|711/);
  });

  test("ninety-nine mappings and lists inside each other, and one more", () => {
    const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}\n`;
    expect(readYamlDocuments(nested(99))).toMatchObject([{ ok: true }]);
    expect(problemOf(nested(100))).toMatchObject({ message: expect.stringContaining("about 100 mappings") });
  });

  test("an alias inside what it stands for", () => {
    expect(problemOf("a: &x\n  - *x\n")).toMatchObject({
      position: { line: 2, column: 5 },
      message: "this alias stands inside what it stands for; write it out",
    });
  });

  test("aliases may write out a million values and not one more", () => {
    // The root, the keys' values and ten levels: sizes are exact, so that the limit is, too.
    const list = (items: number, item: string) => `[${Array.from({ length: items }, () => item).join(", ")}]`;
    const thousand = `a: &a ${list(998, "1")}\n`; // with itself 999 values
    const upTo = (copies: number, more: number) => `${thousand}b: ${list(copies, "*a")}\nc: ${list(more, "1")}\n`;
    // root 1 + a 999 + b (1 + copies · 999) + c (1 + more)
    const copies = 999;
    const more = maxNodes - 1 - 999 - 1 - copies * 999 - 1;
    expect(readYamlDocuments(upTo(copies, more))).toMatchObject([{ ok: true }]);
    expect(readYamlDocuments(upTo(copies, more + 1))).toMatchObject([
      { ok: false, message: expect.stringContaining("blow this document up") },
    ]);
  });
});
