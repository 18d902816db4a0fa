import { describe, expect, test } from "vitest";
import { check } from "./check.ts";
import { UsageError } from "./manifests/find-files.ts";
import { agentYaml, instanceYaml, recordTerminal, writeFolder } from "./testing/manifests.ts";

interface RunOptions {
  json?: boolean;
  isTerminal?: boolean;
  env?: Record<string, string>;
}

async function run(files: Record<string, string>, { json = false, isTerminal = false, env = {} }: RunOptions = {}) {
  const folder = await writeFolder(files);
  const terminal = recordTerminal(folder, { isTerminal });
  return { code: await check({ paths: [folder], json, env }, terminal), ...terminal };
}

describe("CLI-1 pallas check", () => {
  test("sound manifests give 0 and a summary", async () => {
    const { code, printed, complaints } = await run({
      "i.yaml": instanceYaml(),
      "a.yaml": agentYaml("a") + agentYaml("b"),
    });
    expect({ code, printed, complaints }).toEqual({
      code: 0,
      printed: ["2 files read: 1 sound instance and 2 sound agents, no faults"],
      complaints: [],
    });
  });

  test("faults give 1, and the sound ones are still counted", async () => {
    const { code, printed, complaints } = await run({
      "a.yaml": instanceYaml() + agentYaml("a"),
      "b.yaml": agentYaml("b", "model: nope.x"),
      "c.yaml": agentYaml("c", "sevrers: []"),
    });
    expect(code).toBe(1);
    expect(complaints).toEqual([
      expect.stringMatching(/^b\.yaml:6:10: fault: PallasAgent default\/b: spec\.model: /),
      expect.stringMatching(/^c\.yaml:6:3: fault: PallasAgent default\/c: spec\.sevrers: .*did you mean "servers"/),
    ]);
    expect(printed).toEqual(["3 files read: 1 sound instance and 1 sound agent, 2 faults in 2 files"]);
  });

  test("notes give 0", async () => {
    const { code, complaints } = await run({ "a.yaml": instanceYaml() + agentYaml("a"), "package.json": "{}" });
    expect({ code, complaints }).toEqual({
      code: 0,
      complaints: ["package.json:1:1: note: passed over, since it has no apiVersion and kind"],
    });
  });

  test("a path that is not there is a misuse", async () => {
    const options = { paths: ["/nowhere/at/all"], json: false, env: {} } as const;
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
      const faulty = run(files, { env: { PALLAS_AUTHOR_NETWORK_POLICY: "everything" } });
      await expect(faulty).rejects.toThrow(UsageError);
      await expect(faulty).rejects.toThrow('PALLAS_AUTHOR_NETWORK_POLICY is "everything"');
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
      agents: 0,
      diagnostics: [
        { severity: "fault", file: "a.yaml", line: 14, column: 10, message: expect.stringContaining("spec.model") },
      ],
    });
  });
});
