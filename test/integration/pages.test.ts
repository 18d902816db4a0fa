// README, the quickstart, docs/cli.md, docs/models.md and docs/import.md as a new user follows them, word by word, in a new
// home folder: each command is taken from the page, and none is left out. The model mock is the provider.
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { exampleProject } from "../../cli/import/testing/example-project.ts";
import { startModelMock, type ModelMock } from "../models/model-mock.ts";
import { needs } from "../tools/needs.ts";
import { agentManifest } from "./local/agents.ts";
import { Home } from "./local/home.ts";
import { quickstart } from "./local/local.ts";
import { installPallas, play, PlayedPage } from "./local/played-pages.ts";

const answer = "Good day from the model.";
const key = "key-of-the-user";
let mock: ModelMock;
beforeAll(async () => {
  const models = ["gpt-5-mini", "my-model-name", "claude-sonnet-5"];
  mock = await startModelMock(
    { conversations: [{ replies: [{ text: answer }], repeat: true }] },
    { models: Object.fromEntries(models.map((name) => [name, {}])) },
  );
});
afterAll(() => mock.close());

async function openHome(standIns: Readonly<Record<string, string>> = {}): Promise<Home> {
  const home = await Home.create();
  onTestFinished(() => home[Symbol.asyncDispose]());
  await installPallas(home, standIns);
  return home;
}

const instance = (): string =>
  "apiVersion: pallas.helu.ca/v1alpha1\nkind: PallasInstance\nmetadata: { name: quickstart }\nspec:\n" +
  "  registryNamespace: com.example.home\n  defaultModel: openai.gpt-5-mini\n" +
  `  providers: [{ name: openai, baseUrl: "${mock.openaiUrl}", apiKey: { secretKeyRef: { name: llm-keys, key: openai } } }]\n`;
const lastKey = (): unknown => mock.requests.at(-1)?.headers["authorization"];

/** Asks until the agent is ready. */
async function chat(home: Home, agent: string): Promise<string> {
  const { code, stdout } = await vi.waitFor(
    async () => {
      const ended = await home.run("chat", agent, "--registry", `http://localhost:${home.port}`, "-m", "Good day");
      if (ended.code !== 0) throw new Error(ended.stderr);
      return ended;
    },
    { timeout: 40_000, interval: 500 },
  );
  expect(code).toBe(0);
  return stdout;
}

describe("CLI-1 CLI-4 docs/cli.md, command by command", { timeout: 120_000 }, () => {
  let page: PlayedPage;
  beforeAll(async () => {
    page = await PlayedPage.read("docs/cli.md");
  });

  test("pallas up runs the quickstart, and with --json nothing fails", needs("jq"), async () => {
    const home = await openHome();
    await cp(quickstart, join(home.folder, "examples/quickstart"), { recursive: true });
    const up = play(home, page.take("pallas up -f examples/quickstart"));
    await up.until(/registry ready: /);
    expect(await chat(home, "editor")).toBe("Good day\n");
    expect((await up.interrupt()).code).toBe(0);
    await home.write("instance.yaml", instance());
    await home.write("agents.yaml", agentManifest("clerk") + agentManifest("reviewer"));
    await cp(join(quickstart, "local-secret.yaml"), join(home.folder, "local-secret.yaml"));
    await home.write(".env", `OPENAI_API_KEY=${key}\n`);
    const failing = play(home, page.take("pallas up --json | jq"));
    expect(await chat(home, "clerk")).toBe(`${answer}\n`);
    expect(lastKey()).toBe(`Bearer ${key}`);

    // What a person says to the two in the meantime; the reviewer gets the changes of a repository.
    await home.write("git-diff.txt", "-old\n+new\n");
    await installPallas(home, { git: `[ "$*" = diff ] && cat "${home.folder}/git-diff.txt"` });
    expect(await play(home, page.take("git diff | pallas chat reviewer")).ended).toMatchObject({
      code: 0,
      stdout: `${answer}\n`,
    });
    expect(JSON.stringify(mock.requests.at(-1)?.body)).toContain("+new");
    const time = await play(home, page.take('pallas chat clerk -m "What time is it?"')).ended;
    expect(time).toMatchObject({ code: 0, stdout: `${answer}\n` });
    expect(await failing.interrupt()).toMatchObject({ stdout: "" });
  });

  test("pallas check reads a pipe, a template and what is local", async () => {
    const home = await openHome({
      kustomize: '[ "$*" = "build overlays/production" ] && cat instance.yaml agents.yaml',
      helm: '[ "$*" = "template my-agents" ] && cat instance.yaml agents.yaml',
    });
    await home.write("instance.yaml", `${instance()}---\n`);
    await home.write("agents.yaml", agentManifest("clerk"));
    for (const words of ["kustomize build", "helm template", "pallas check --local"]) {
      expect(await play(home, page.take(words)).ended, words).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^\d files? read: 1 valid instance and 1 valid agent, no errors\n$/),
      });
    }
    await home.write("agents.yaml", agentManifest("clerk", "  modle: x.y\n"));
    expect(await play(home, page.take("kustomize build")).ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("modle"),
    });
  });

  test("pallas policy test shows rules, and what they decide of calls", async () => {
    const home = await openHome();
    await mkdir(join(home.folder, "policies"));
    const manifest =
      "apiVersion: pallas.helu.ca/v1alpha1\nkind: PallasPolicy\nmetadata: { name: default }\nspec:\n" +
      '  instanceRef: { name: quickstart }\n  rules: [{ name: reads, match: { tools: ["read_*"] }, action: allow }]\n';
    for (const path of ["policies/default.yaml", "default.yaml"]) await home.write(path, manifest);
    expect(await play(home, page.take("pallas policy test -f policies")).ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^1 +reads +allow +tools read_\*$/m),
    });
    const calls = [
      { server: "files", tool: "read_file", expect: "allow" },
      { server: "files", tool: "write_file", expect: "allow" },
    ];
    await home.write("calls.jsonl", calls.map((call) => `${JSON.stringify(call)}\n`).join(""));
    expect(await play(home, page.take("--calls calls.jsonl")).ended).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^2 +ask +\(default\) +no: allow +files\/write_file/m),
    });
  });

  test("pallas init begins a folder that pallas up runs", async () => {
    const home = await openHome();
    const up = play(home, page.take("pallas init agents && pallas up"));
    await up.until(/registry ready: /);
    expect(await chat(home, "assistant")).toBe("Good day\n");
    await up.interrupt();
  });

  test("pallas token lets pallas chat in at a gateway", async () => {
    const home = await openHome();
    // Others of this machine may have the usual one.
    const port = home.port + 8;
    await home.write("instance.yaml", `${instance()}  gateway: { service: { port: ${port} } }\n`);
    await home.write("agents.yaml", agentManifest("clerk"));
    await cp(join(quickstart, "local-secret.yaml"), join(home.folder, "local-secret.yaml"));
    await home.write(".env", `OPENAI_API_KEY=${key}\n`);
    const up = home.up(".");
    await up.until(/-gateway ready: /);
    const command = page.take("pallas chat clerk --gateway").replace("24300", String(port));
    expect(await play(home, `${command} -m "Good day"`).ended).toMatchObject({ code: 0, stdout: `${answer}\n` });
    const search = `${page.take("PALLAS_TOKEN=$(pallas token) pallas search")} --gateway http://localhost:${port}`;
    expect(await play(home, search).ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^mcp__clerk__send_message +0\.\d\d {2}/),
    });
  });

  test("pallas approvals shows what waits, and approve and deny answer it", async () => {
    const home = await openHome();
    const port = home.port + 8;
    const gateway = `{ service: { port: ${port} }, policyRef: { name: careful } }`;
    const policy =
      "apiVersion: pallas.helu.ca/v1alpha1\nkind: PallasPolicy\nmetadata: { name: careful }\nspec:\n" +
      "  instanceRef: { name: quickstart }\n  rules: [{ name: talk, match: { tools: [send_message] }, action: ask }]\n";
    await home.write("instance.yaml", `${instance()}  gateway: ${gateway}\n`);
    await home.write("policy.yaml", policy);
    await home.write("agents.yaml", agentManifest("clerk"));
    await cp(join(quickstart, "local-secret.yaml"), join(home.folder, "local-secret.yaml"));
    await home.write(".env", `OPENAI_API_KEY=${key}\n`);
    const up = home.up(".");
    await up.until(/-gateway ready: /);
    const at = `--gateway http://localhost:${port}`;
    const talk = `PALLAS_TOKEN=$(pallas token) pallas chat clerk ${at} -m "Good day"`;
    const all = `${page.take("PALLAS_TOKEN=$(pallas token) pallas approvals --all")} ${at}`;
    const decide = { approve: page.take('pallas approve "$NAME" --yes'), deny: page.take('pallas deny "$NAME"') };
    const seen = new Set<string>();
    const findNew = async () =>
      await vi.waitFor(
        async () => {
          const { stdout } = await play(home, all).ended;
          const name = [...stdout.matchAll(/^\S+-[0-9a-f]{12}-\d+/gm)].map(String).find((each) => !seen.has(each));
          if (name === undefined) throw new Error(`expected an approval that waits, found ${stdout}`);
          seen.add(name);
          return name;
        },
        { timeout: 30_000, interval: 500 },
      );
    const approved = play(home, talk);
    const yes = `export NAME=${await findNew()}; ${decide.approve} ${at}`;
    expect(await play(home, yes).ended).toMatchObject({ code: 0 });
    expect(await approved.ended).toMatchObject({ code: 0, stdout: `${answer}\n` });
    const denied = play(home, talk);
    const no = `export NAME=${await findNew()}; ${decide.deny} ${at}`;
    expect(await play(home, no).ended).toMatchObject({ code: 0 });
    expect(await denied.ended).toMatchObject({ code: 1, stderr: expect.stringContaining("ask finance first") });
  });

  test("pallas search finds the tool of a file", async () => {
    const home = await openHome();
    const tools = [
      { id: "1", server: "mail", name: "send_email", description: "Sends an email.", params: [] },
      { id: "2", server: "files", name: "read_file", description: "Reads a file.", params: [] },
    ];
    await home.write("tools.jsonl", tools.map((tool) => `${JSON.stringify(tool)}\n`).join(""));
    const found = await play(home, page.take("--tools tools.jsonl")).ended;
    expect(found).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^mail\/send_email +[01]\.\d\d {2}Sends an email\.$/m),
    });
  });

  test("pallas completion can be loaded, and lies where fish looks for it", async () => {
    const home = await openHome();
    expect(await play(home, `${page.take("pallas completion bash")}\ncomplete -p pallas`).ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ pallas\n$/),
      stderr: "",
    });
    await mkdir(join(home.folder, ".config/fish/completions"), { recursive: true });
    expect(await play(home, page.take("pallas completion fish")).ended).toMatchObject({ code: 0, stderr: "" });
    const script = await readFile(join(home.folder, ".config/fish/completions/pallas.fish"), "utf8");
    expect(script).toContain("complete -c pallas");
  });

  test("no command of the page is left out", () => expect(page.unplayed()).toEqual([]));
});

describe("CLI-3 docs/import.md, step by step", { timeout: 120_000 }, () => {
  test("a project moves in, and its agents answer with a model", async () => {
    const page = await PlayedPage.read("docs/import.md", "Step by step");
    const home = await openHome();
    for (const [name, text] of Object.entries(exampleProject)) {
      await mkdir(dirname(join(home.folder, name)), { recursive: true });
      // Its ports may be taken here, and nobody knows its host.
      const free = text.replaceAll(/\b82(?:01|50)\b/g, (port) => String(home.port + (port === "8201" ? 1 : 2)));
      const here = free
        .replace("my-host.example.com", "localhost")
        .replace("http://my-llm-server:8080/v1", mock.openaiUrl);
      await writeFile(join(home.folder, name), here);
    }
    const imported = await play(home, page.take("pallas import .")).ended;
    expect(imported).toMatchObject({ code: 0, stdout: expect.stringMatching(/every agent has a model\n$/) });
    await play(home, page.take("cp .env pallas/.env")).ended;
    const [, variables = ""] = /fill in, in pallas\/\.env: (.*)/.exec(`${imported.stdout}${imported.stderr}`) ?? [];
    const missing = variables.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? [];
    expect(missing.length).toBeGreaterThan(0);
    const filled = await readFile(join(home.folder, "pallas/.env"), "utf8");
    await home.write("pallas/.env", `${filled}${missing.map((name) => `${name}=set\n`).join("")}`);
    expect(await play(home, page.take("pallas check --local -f pallas")).ended).toMatchObject({ code: 0, stderr: "" });
    const command = page.take("pallas up -f pallas --port 8200");
    const up = play(home, command.replace("8200", String(home.port)));
    expect(await chat(home, "tech-research")).toBe(`${answer}\n`);
    expect(lastKey()).toBe("Bearer sk-never-shown-2");
    await up.interrupt();

    // A cluster has no variables: what is left to replace is said, and kubectl does not see the Secret.
    const checked = await play(home, page.take("pallas check -f pallas")).ended;
    expect(checked.stdout).toContain("1 valid instance, 1 valid server and 4 valid agents");
    expect(page.take("kubectl apply -f pallas")).not.toContain("local/");
    expect(page.unplayed()).toEqual([]);
  });
});

describe("CLI-1 README, the quickstart and docs/models.md", () => {
  // `make up`, npm link and the models of docs/models.md are played by readme.test.ts and first-step.test.ts; `make test` runs this.
  test.each([
    ["README.md", ["make up", "npm link", "pallas chat concierge", "make tools", "make test"]],
    ["examples/quickstart/README.md", ["kubectl apply", "pallas token"]],
    ["docs/models.md", []],
  ])("%s has no other command", async (path, known) => {
    const page = await PlayedPage.read(path);
    for (const words of known) page.take(words);
    expect(page.unplayed()).toEqual([]);
  });
});
