import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { check } from "../check.ts";
import { UsageError } from "../manifests/find-files.ts";
import { recordTerminal, temporaryFolder } from "../testing/manifests.ts";
import { importProject } from "./import.ts";
import { exampleProject } from "./testing/example-project.ts";
import { importFolder, importTexts, withArguments, writeProject } from "./testing/projects.ts";

describe("CLI-3 a whole project", () => {
  test("becomes the manifests that are kept beside", async () => {
    const { code, files } = await importTexts(exampleProject);
    expect(code).toBe(0);
    expect(Object.keys(files).toSorted()).toEqual([
      ".env.example",
      "agents.yaml",
      "instance.yaml",
      "local/secrets.yaml",
      "servers.yaml",
    ]);
    for (const [name, text] of Object.entries(files)) {
      await expect(text).toMatchFileSnapshot(`testing/golden/${name.replace(/^\./, "dot-").replace("/", "-")}`);
    }
  });

  test("is told of line by line, with the place and the cure", async () => {
    const { said } = await importTexts(exampleProject);
    await expect(`${said.join("\n")}\n`).toMatchFileSnapshot("testing/golden/said.txt");
  });

  test("passes `pallas check` as it is", async () => {
    const { folder } = await importTexts(exampleProject);
    const terminal = recordTerminal(folder);
    const checked = (isLocal: boolean) => check({ paths: [folder], isLocal, json: false, env: {} }, terminal);
    expect([await checked(false), await checked(true)]).toEqual([0, 0]);
    // A cluster is to get no Secret with placeholders.
    expect(terminal.printed).toEqual([
      "3 files read: 1 valid instance, 1 valid server and 4 valid agents, no errors",
      "4 files read: 1 valid instance, 1 valid server and 4 valid agents, no errors",
    ]);
  });

  test("leaves every value of a secret behind", async () => {
    const { said, files } = await importTexts(exampleProject);
    expect(said.join("\n") + JSON.stringify(files)).not.toMatch(/never-shown|in-the-open/);
  });
});

describe("the output folder", () => {
  const project = withArguments('instruction="Be brief."');

  test("that holds what would be overwritten is refused, and left as it is", async () => {
    const folder = await writeProject({ ...project, "pallas/agents.yaml": "mine\n" });
    await expect(importFolder(folder)).rejects.toThrow(
      new UsageError("-o pallas: has agents.yaml already; name another folder, or overwrite with --force"),
    );
    expect(await readdir(join(folder, "pallas"))).toEqual(["agents.yaml"]);
  });

  test("keeps what is not ours with --force, and loses what an earlier import left", async () => {
    const folder = await writeProject({
      ...project,
      "pallas/agents.yaml": "old\n",
      "pallas/local/secrets.yaml": "old\n",
      "pallas/.env": "A=1\n",
    });
    const { code, files } = await importFolder(folder, true);
    expect(code).toBe(0);
    expect(Object.keys(files).toSorted()).toEqual([".env", "agents.yaml", "instance.yaml"]);
    expect(files["agents.yaml"]).toContain("Be brief.");
  });

  test("is not there after problems, nor is anything beside it", async () => {
    const folder = await writeProject({ ...project, "agents.yaml": "agents: { a: 1, a: 2 }\n" });
    const before = await readdir(folder);
    const { code, files } = await importFolder(folder);
    expect(code).toBe(1);
    expect(files).toEqual({});
    expect(await readdir(folder)).toEqual(before);
  });

  test("is not there after problems in what was made, nor are the folders above it", async () => {
    const folder = await writeProject({ ...project, "agents.yaml": "agents: { a: { depends_on: [a] } }\n" });
    const before = await readdir(folder);
    const terminal = recordTerminal(folder);
    expect(await importProject({ project: folder, output: "new/deep/pallas", isForced: false }, terminal)).toBe(1);
    expect(await readdir(folder)).toEqual(before);
    expect(await importProject({ project: folder, output: "agents/pallas", isForced: false }, terminal)).toBe(1);
    expect(await readdir(join(folder, "agents"))).toEqual(["jarvis.py"]);
  });

  test.each([
    [".", /is the project itself/],
    ["agents.yaml", /expected a folder, found a file/],
  ])("cannot be %s", async (output, message) => {
    const folder = await writeProject(project);
    await expect(importProject({ project: folder, output, isForced: true }, recordTerminal(folder))).rejects.toThrow(
      message,
    );
  });
});

test("a project that is not there is misuse", async () => {
  const folder = await temporaryFolder();
  await expect(
    importProject({ project: join(folder, "none"), output: "pallas", isForced: false }, recordTerminal(folder)),
  ).rejects.toThrow(UsageError);
});

describe("links", () => {
  const leaving = "leads out of the project's folder, where nothing is read; copy the file into the project";

  test("that lead out of the project are not followed", async () => {
    const folder = await writeProject(withArguments('instruction=Path("prompt.md").read_text()'));
    await writeFile(join(dirname(folder), "outside.md"), "from outside");
    await symlink(join(dirname(folder), "outside.md"), join(folder, "prompt.md"));
    const { said, files } = await importFolder(folder);
    expect(said.join("\n")).toContain(`names the file prompt.md, which ${leaving}`);
    expect(files["agents.yaml"]).not.toContain("from outside");
  });

  test("in place of the settings are a problem", async () => {
    const folder = await writeProject({ "agents.yaml": "agents: {}\n" });
    await mkdir(join(dirname(folder), "elsewhere"));
    await writeFile(join(dirname(folder), "elsewhere/x.yaml"), "default_model: passthrough\n");
    await symlink(join(dirname(folder), "elsewhere/x.yaml"), join(folder, "fastagent.config.yaml"));
    const { code, said } = await importFolder(folder);
    expect([code, said[0]]).toEqual([1, `fastagent.config.yaml: error: ${leaving}`]);
  });
});
