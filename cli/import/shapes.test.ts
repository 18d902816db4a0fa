// Projects in the shapes that fast-agent's own users have: its home folder, cards without anything else, models by their short
// names. Each ends in manifests that pass the check, and in a last line on models.
import { describe, expect, test } from "vitest";
import { check } from "../check.ts";
import { todo } from "../../plan/accept.ts";
import { recordTerminal } from "../testing/manifests.ts";
import { importTexts, withArguments, withModule, withSettings, type ProjectTexts } from "./testing/projects.ts";
import type { ImportOptions } from "./import.ts";

const allHave = "every agent has a model";
const lacking = (count: string): string =>
  `${count} and only echo${count.startsWith("1 ") ? "es" : ""}: write spec.defaultModel in pallas/instance.yaml, or import with --model`;
const card = (name: string, more = "", text = "Be brief."): string => `---\nname: ${name}\n${more}---\n${text}\n`;
const server = "mcp:\n  servers:\n    web: { transport: http, url: 'https://web.example/mcp' }\n";

async function run(project: ProjectTexts, options: Partial<ImportOptions> = {}) {
  const { code, said, files, folder } = await importTexts(project, options);
  const terminal = recordTerminal(folder);
  const checked =
    code === 0 ? await check({ paths: [folder], isLocal: false, json: false, env: {} }, terminal) : undefined;
  const warnings = said.filter((line) => line.includes(": warning: "));
  return { code, said, warnings, files, checked, last: said.at(-1), complaints: terminal.complaints };
}

describe("CLI-3 settings are read from fast-agent's home first", () => {
  const home = `default_model: sonnet\n${server}`;

  test("with its cards and its secrets", async () => {
    const { files, warnings, last, checked } = await run({
      ".fast-agent/fast-agent.yaml": home,
      ".fast-agent/fast-agent.secrets.yaml": "anthropic: { api_key: '${ANTHROPIC_API_KEY}' }\n",
      ".fast-agent/agent-cards/clerk.md": card("clerk", "servers: [web]\n"),
      "fast-agent.yaml": "default_model: passthrough\n",
    });
    expect({ warnings, last, checked }).toEqual({ warnings: [], last: allHave, checked: 0 });
    expect(files["instance.yaml"]).toContain("defaultModel: anthropic.claude-sonnet-5\n");
    expect(files["agents.yaml"]).toContain("servers:\n    - name: web\n");
    expect(files["local/secrets.yaml"]).toContain("anthropic: ${ANTHROPIC_API_KEY}");
  });

  test("and from the project where there is none", async () => {
    const { files } = await run({ "fast-agent.yaml": home, "agent-cards/clerk.md": card("clerk", "servers: [web]\n") });
    expect(files["instance.yaml"]).toContain("url: https://web.example/mcp\n");
  });
});

describe("CLI-3 cards are found", () => {
  const model = { "fast-agent.yaml": "default_model: haiku\n" };

  test("in the project itself when there is nothing else, and other texts are no cards", async () => {
    const { files, warnings, last } = await run({
      ...model,
      "writer.md": card("writer", "agents: [editor]\n"),
      "editor.md": card("editor", "title: The editor\n"),
      "README.md": card("readme"),
      "notes.md": "---\ntitle: Notes\ntags: [a]\n---\nNothing.\n",
      "plain.md": "No settings.\n",
    });
    expect({ warnings, last }).toEqual({ warnings: [], last: allHave });
    expect(files["agents.yaml"]?.match(/^ {2}name: .*/gm)).toEqual(["  name: editor", "  name: writer"]);
    expect(files["agents.yaml"]).toContain("title: The editor");
  });

  test("not in the project itself when there is something else", async () => {
    const { files } = await run({ ...model, "agent-cards/a.md": card("a"), "b.md": card("b") });
    expect(files["agents.yaml"]?.match(/^ {2}name: .*/gm)).toEqual(["  name: a"]);
  });

  test("in the folder that --cards names", async () => {
    const project = { ...model, "team/a.md": card("a"), "team/b.yaml": "name: b\ninstruction: Be kind.\n" };
    expect((await run(project)).code).toBe(1);
    const { files, last } = await run(project, { cards: "team" });
    expect(files["agents.yaml"]?.match(/^ {2}name: .*/gm)).toEqual(["  name: a", "  name: b"]);
    expect(last).toBe(allHave);
  });
});

describe("CLI-3 the last line says how many agents still need a model", () => {
  const cards = {
    "agent-cards/a.md": card("a"),
    "agent-cards/b.md": card("b"),
    "agent-cards/c.md": card("c", "model: haiku\n"),
  };

  test.each<[string, ProjectTexts, Partial<ImportOptions>, string]>([
    ["two of three", cards, {}, lacking("2 agents still need a model")],
    ["one", { "agent-cards/a.md": card("a") }, {}, lacking("1 agent still needs a model")],
    ["none with a default", { ...cards, "fast-agent.yaml": "default_model: kimi\n" }, {}, allHave],
    ["none with --model", cards, { model: "opus" }, allHave],
    [
      "all with a default of nobody",
      { ...cards, "fast-agent.yaml": "default_model: codexplan\n" },
      {},
      lacking("2 agents still need a model"),
    ],
    ["none where passthrough is meant", { ...cards, "fast-agent.yaml": "default_model: passthrough\n" }, {}, allHave],
  ])("%s", async (_, project, options, last) => {
    expect(await run(project, options)).toMatchObject({ code: 0, checked: 0, last });
  });

  test("--model wins over the project's", async () => {
    const { files } = await run({ ...cards, "fast-agent.yaml": "default_model: kimi\n" }, { model: "gpt-4.1" });
    expect(files["instance.yaml"]).toContain("defaultModel: openai.gpt-4.1\n");
  });

  test.each([
    ["${MODEL:gpt-4.1}", "", "openai.gpt-4.1"],
    ["${MODEL:gpt-4.1}", "MODEL=haiku\n", "anthropic.claude-haiku-4-5"],
    ["openai.${NAME}", "NAME=mine\n", "openai.mine"],
  ])("a default of %s with the variables %j is %s", async (text, variables, model) => {
    const { files } = await run(withSettings(`default_model: "${text}"\n`, { ".env": variables }));
    expect(files["instance.yaml"]).toContain(`defaultModel: ${model}\n`);
  });

  test("a variable that names no model is not shown", async () => {
    const { said, last } = await run(withSettings('default_model: "${KEY}"\n', { ".env": "KEY=s3cret\n" }));
    expect(said.join("\n")).toContain("default_model: not carried over: the variable in it names no model");
    expect(said.join("\n")).not.toContain("s3cret");
    expect(last).toBe(lacking("1 agent still needs a model"));
  });
});

describe("CLI-3 a text that is lost", () => {
  test("is marked, which the check refuses, so that no agent runs without it unseen", async () => {
    const { code, files, checked, complaints } = await run(withArguments('instruction=f"Be {manner}."'));
    expect([code, checked]).toEqual([0, 1]);
    expect(files["agents.yaml"]).toContain(`  instruction: ${todo}\n`);
    expect(complaints).toEqual([
      expect.stringContaining(
        `PallasAgent default/jarvis: spec.instruction: is still ${todo}, which stands for a text that was not carried over; write the instruction`,
      ),
    ]);
  });

  test("is not made of a text that the project does not have", async () => {
    const { files, checked } = await run(withArguments("servers=[]"));
    expect(files["agents.yaml"]).not.toContain("instruction");
    expect(checked).toBe(0);
  });
});

test("CLI-3 an agent whose name another one has is told why it is called otherwise", async () => {
  const python = '# fast_agent\n@fast.agent("clerk", "Be brief.")\nasync def f(): pass\n';
  const { warnings } = await run({ "one.py": python, "two.py": python, "fast-agent.yaml": "default_model: haiku\n" });
  expect(warnings).toEqual([
    'two.py:2:1: warning: agent "clerk" is called "two-clerk" now, since another one is called so; its clients see that name',
  ]);
});

test("CLI-3 a server that keeps its instructions to itself does so, and a server in Python is not told to be one", async () => {
  const settings = `default_model: haiku\n${server.replace("}", ", include_instructions: false }")}`;
  const python = '@mcp.tool()\ndef f(): pass\n@fast.agent("jarvis", "A", servers=["web"])\nasync def g(): pass\n';
  const { files, warnings } = await run(withModule(python, { "fastagent.config.yaml": settings }));
  expect(warnings).toEqual([]);
  expect(files["instance.yaml"]).toContain("url: https://web.example/mcp\n      instructions: false\n");
});

test("CLI-3 tools of a server that is not carried over are not told twice", async () => {
  const settings =
    "default_model: passthrough\nmcp: { servers: { files: { transport: sse, url: https://a.example } } }\n";
  const { warnings } = await run(
    withArguments('instruction="A", servers=["files"], tools={"files": ["read"]}', {
      "fastagent.config.yaml": settings,
    }),
  );
  expect(warnings).toEqual([
    expect.stringContaining("agents/jarvis.py:3:54: warning: server"),
    expect.stringContaining("mcp.servers.files: not carried over: it speaks the older SSE transport"),
  ]);
});
