import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { check } from "./check.ts";
import { UsageError } from "./manifests/find-files.ts";
import { agentYaml, instanceYaml, recordTerminal, writeFolder } from "./testing/manifests.ts";

interface RunOptions {
  json?: boolean;
  isLocal?: boolean;
  isTerminal?: boolean;
  env?: Record<string, string>;
}

async function run(
  files: Record<string, string>,
  { json = false, isLocal = false, isTerminal = false, env = {} }: RunOptions = {},
) {
  const folder = await writeFolder(files);
  const terminal = recordTerminal(folder, { isTerminal });
  return { code: await check({ paths: [folder], json, isLocal, env }, terminal), ...terminal };
}

describe("CLI-1 pallas check", () => {
  test("sound manifests give 0 and a summary", async () => {
    const { code, printed, complaints } = await run({
      "i.yaml": instanceYaml(),
      "a.yaml": agentYaml("a") + agentYaml("b"),
    });
    expect({ code, printed, complaints }).toEqual({
      code: 0,
      printed: ["2 files read: 1 valid instance and 2 valid agents, no errors"],
      complaints: [],
    });
  });

  test("problems give 1, and the sound ones are still counted", async () => {
    const { code, printed, complaints } = await run({
      "a.yaml": instanceYaml() + agentYaml("a"),
      "b.yaml": agentYaml("b", "model: nope.x"),
      "c.yaml": agentYaml("c", "sevrers: []"),
    });
    expect(code).toBe(1);
    expect(complaints).toEqual([
      expect.stringMatching(/^b\.yaml:6:10: error: PallasAgent default\/b: spec\.model: /),
      expect.stringMatching(/^c\.yaml:6:3: error: PallasAgent default\/c: spec\.sevrers: .*did you mean "servers"/),
    ]);
    expect(printed).toEqual(["3 files read: 1 valid instance and 1 valid agent, 2 errors in 2 files"]);
  });

  test("notes give 0", async () => {
    const { code, complaints } = await run({ "a.yaml": instanceYaml() + agentYaml("a"), "package.json": "{}" });
    expect({ code, complaints }).toEqual({
      code: 0,
      complaints: ["package.json:1:1: note: passed over, since it has no apiVersion and kind"],
    });
  });

  test("a path that is not there is a misuse", async () => {
    const options = { paths: ["/nowhere/at/all"], isLocal: false, json: false, env: {} } as const;
    await expect(check(options, recordTerminal("/"))).rejects.toThrow(UsageError);
  });

  describe("SEC-2 judges as an operator", () => {
    const files = {
      "a.yaml":
        instanceYaml() +
        agentYaml("a", "pod: { labels: { team: blue } }") +
        agentYaml("b", "networkPolicy: { enabled: false }"),
    };

    test("that is told nothing", async () => {
      const { code, complaints } = await run(files);
      expect(code).toBe(1);
      expect(complaints).toEqual([
        expect.stringMatching(/^a\.yaml:14:.* spec\.pod\.labels: "team" is not among .*PALLAS_AUTHOR_LABELS/),
        expect.stringMatching(/^a\.yaml:.* spec\.networkPolicy\.enabled: needs "off" .*PALLAS_AUTHOR_NETWORK_POLICY/),
      ]);
    });

    test("that is told as much by the same variables", async () => {
      const env = { PALLAS_AUTHOR_LABELS: "cost-center, team", PALLAS_AUTHOR_NETWORK_POLICY: "off" };
      expect(await run(files, { env })).toMatchObject({ code: 0, complaints: [] });
    });

    test("and takes a faulty variable for misuse", async () => {
      const invalid = run(files, { env: { PALLAS_AUTHOR_NETWORK_POLICY: "everything" } });
      await expect(invalid).rejects.toThrow(UsageError);
      await expect(invalid).rejects.toThrow('PALLAS_AUTHOR_NETWORK_POLICY is "everything"');
    });
  });

  test("where somebody looks, the line is shown with a mark under what is meant", async () => {
    const files = {
      "a.yaml": instanceYaml() + agentYaml("a", "sevrers: []"),
      "b.yaml": agentYaml("b", 'model: "nope.x"'),
    };
    const { complaints } = await run(files, { isTerminal: true });
    expect(complaints.map((text) => text.split("\n").slice(1))).toEqual([
      ["  14 |   sevrers: []", "     |   ^^^^^^^"],
      ['  6 |   model: "nope.x"', "    |          ^^^^^^^^"],
    ]);
  });

  test("with --json everything is one object on standard output", async () => {
    const files = { "a.yaml": instanceYaml() + agentYaml("a", "model: nope.x") };
    const { code, printed, complaints } = await run(files, { json: true });
    expect({ code, complaints }).toEqual({ code: 1, complaints: [] });
    expect(JSON.parse(printed.join(""))).toEqual({
      ok: false,
      files: 1,
      instances: 1,
      servers: 0,
      agents: 0,
      diagnostics: [
        { severity: "error", file: "a.yaml", line: 14, column: 10, message: expect.stringContaining("spec.model") },
      ],
    });
  });

  test.each([
    ["nothing", {}],
    ["nothing of ours", { "package.json": "{}", "d.yaml": "apiVersion: apps/v1\nkind: Deployment\n" }],
    ["a Secret alone", { "s.yaml": "apiVersion: v1\nkind: Secret\nmetadata: { name: s }\n" }],
    ["an empty file", { "a.yaml": "" }],
  ])("a folder with %s is a problem, so that a wrong path does not pass for ever", async (_, files) => {
    const { code, complaints } = await run(files);
    expect(code).toBe(1);
    expect(complaints[0]).toMatch(
      /: error: no PallasInstance and no PallasAgent and no PallasServer and no PallasPolicy was found; name the folder that has them itself \(folders inside it are not read\), or the files$/,
    );
  });

  test("nothing at all is not said of a file that cannot be read", async () => {
    const { code, complaints } = await run({ "a.yaml": `${instanceYaml()}x: [` });
    expect([code, complaints.length]).toEqual([1, 1]);
  });

  describe("CFG-6 with --local", () => {
    const instance = instanceYaml(
      'servers: [{ name: t, url: "${URL}/mcp", headers: [{ name: Authorization, value: "Bearer ${TOKEN}" }] }]',
    );
    const files = { "a.yaml": instance + agentYaml("a", "servers: [{ name: t }]") };

    test("placeholders are what local mode makes of them, with .env and the environment", async () => {
      expect((await run(files)).code).toBe(1);
      const filled = { ...files, ".env": "URL=http://localhost:1\n" };
      expect(await run(filled, { isLocal: true, env: { TOKEN: "t" } })).toMatchObject({ code: 0, complaints: [] });
      const { code, complaints } = await run(files, { isLocal: true });
      expect(code).toBe(0);
      expect(complaints).toEqual([
        expect.stringContaining("the variable URL is not set"),
        expect.stringContaining("the variable TOKEN is not set"),
      ]);
    });

    test("the folder's local/ is read, which is nothing to a cluster", async () => {
      const folder = await writeFolder(files);
      await mkdir(join(folder, "local"));
      await writeFile(join(folder, "local/b.yaml"), agentYaml("b"));
      const agents = async (isLocal: boolean) => {
        const terminal = recordTerminal(folder);
        await check({ paths: [folder], isLocal, json: false, env: { URL: "http://a", TOKEN: "t" } }, terminal);
        return terminal.printed;
      };
      expect(await agents(true)).toEqual(["2 files read: 1 valid instance and 2 valid agents, no errors"]);
      expect(await agents(false)).toEqual([expect.stringMatching(/^1 file read/)]);
    });
  });

  describe("SEC-2 a secret is never shown", () => {
    const key = "sk-proj-abc123DEF456ghi789";
    test.each<[string, string, number, string]>([
      ["in place of an object", `providers: [{ name: openai, apiKey: ${key} }]`, 1, "put it in a Secret and name it"],
      ["in place of an object's key", `providers: [{ name: openai, apiKey: { ${key} } }]`, 1, "expected secretKeyRef"],
      ["in a field that is not known", `token: ${key}`, 1, 'unknown field "token"'],
      [
        "in a header",
        `servers: [{ name: t, url: http://t/mcp, headers: [{ name: X, value: ${key} }] }]`,
        0,
        "a Secret",
      ],
      ["in a URL", `servers: [{ name: t, url: "http://t/mcp?api_key=${key}" }]`, 0, "seems to be a credential"],
      [
        "in a header's wrong form",
        `servers: [{ name: t, url: http://t/mcp, headers: { X: ${key} } }]`,
        1,
        "expected a list",
      ],
      ["in a text that is no YAML", `servers: [{ name: t, url: *${key} }]`, 1, "not valid YAML"],
      ["as a tag", `servers: [{ name: t, url: !${key} x }]`, 1, "not valid YAML"],
    ])("%s", async (_, text, code, message) => {
      for (const isTerminal of [false, true]) {
        const result = await run({ "a.yaml": instanceYaml(text) }, { isTerminal });
        expect(result.code).toBe(code);
        expect(result.complaints.join("\n")).toContain(message);
        expect(result.complaints.join("\n")).not.toMatch(/abc123|sk-/);
        expect((await run({ "a.yaml": instanceYaml(text) }, { json: true })).printed.join("")).not.toMatch(
          /abc123|sk-/,
        );
      }
    });
  });
});
