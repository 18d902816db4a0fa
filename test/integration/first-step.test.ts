// The first real step as the pages tell it, word by word: README's three lines and a key, models of one's own machine, a folder
// of one's own, and `pallas` on the PATH. The model mock is the provider; only its address is not what the pages say.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startModelMock, type ModelMock } from "../models/model-mock.ts";
import { Home } from "./local/home.ts";
import { quickstart } from "./local/local.ts";

const root = join(import.meta.dirname, "../..");
const said = "Good day from the model.";
const served = ["gpt-5-mini", "qwen3:8b", "Qwen/Qwen3-8B", "qwen3-8b"];

let mock: ModelMock;
beforeAll(async () => {
  const script = { conversations: [{ replies: [{ text: said }], repeat: true }] };
  mock = await startModelMock(script, { models: Object.fromEntries(served.map((name) => [name, {}])) });
});
afterAll(() => mock.close());

async function openHome(): Promise<Home> {
  const home = await Home.create();
  onTestFinished(() => home[Symbol.asyncDispose]());
  return home;
}

/** In place of the vendor's. */
const withMock = (text: string): string =>
  text.replace("{ name: openai,", `{ name: openai, baseUrl: "${mock.openaiUrl}",`);

/** As the comment in the file says it: this line goes, the commented ones below it count. */
function takeRealModel(text: string): string {
  const lines = /^ {2}defaultModel: passthrough\n((?: {2}# .*\n)+)/m;
  expect(lines.exec(text)?.[1]?.trimEnd().split("\n")).toHaveLength(3);
  return text.replace(lines, (_, commented: string) => commented.replaceAll(/^ {2}# /gm, "  "));
}

async function copyQuickstart(home: Home): Promise<void> {
  for (const name of ["instance.yaml", "agents.yaml", "local-secret.yaml"]) {
    await home.write(`quickstart/${name}`, withMock(await readFile(join(quickstart, name), "utf8")));
  }
}

const keyOf = (): unknown => mock.requests.at(-1)?.headers["authorization"];

describe("CLI-1 CFG-6 a real model in the quickstart takes three lines and a key", { timeout: 120_000 }, () => {
  test("set while it runs, with OPENAI_API_KEY in .env", async () => {
    expect(await readFile(join(root, "README.md"), "utf8")).toMatch(/takes three lines[^.]*instance\.yaml/);
    const home = await openHome();
    await copyQuickstart(home);
    const up = home.up("quickstart");
    await up.until(/registry ready: /);
    expect(await home.chat("editor", "Good day")).toMatchObject({ code: 0, stdout: "Good day\n" });
    await home.write("quickstart/.env", "OPENAI_API_KEY=key-of-the-file\n");
    const text = await readFile(join(home.folder, "quickstart/instance.yaml"), "utf8");
    await home.write("quickstart/instance.yaml", takeRealModel(text));
    await up.until(/editor: ready after/);
    expect(await home.chat("editor", "Good day")).toMatchObject({ code: 0, stdout: `${said}\n` });
    expect(keyOf()).toBe("Bearer key-of-the-file");
  });

  test("from the start, with OPENAI_API_KEY in the environment", async () => {
    const home = await openHome();
    await copyQuickstart(home);
    const text = await readFile(join(home.folder, "quickstart/instance.yaml"), "utf8");
    await home.write("quickstart/instance.yaml", takeRealModel(text));
    home.variables = { OPENAI_API_KEY: "key-of-the-shell" };
    expect(await home.run("check", "-f", "quickstart")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("no errors"),
    });
    await home.up("quickstart").until(/registry ready: /);
    expect(await home.chat("editor", "Good day")).toMatchObject({ code: 0, stdout: `${said}\n` });
    expect(keyOf()).toBe("Bearer key-of-the-shell");
  });
});

describe("CFG-2 models of one's own machine", { timeout: 120_000 }, () => {
  test("are reached as docs/models.md has them, without a key", async () => {
    const page = await readFile(join(root, "docs/models.md"), "utf8");
    const manifest = /```yaml\n(apiVersion: [^`]*name: ollama[^`]*)```/.exec(page)?.[1] ?? "";
    const models = [...(/defaultModel: (.*)/.exec(manifest)?.[1] ?? "").matchAll(/\w+\.[\w/:.-]+/g)].map(
      ([model]) => model,
    );
    expect(models.map((model) => model.split(".")[0])).toEqual(["ollama", "vllm", "llamacpp", "lmstudio"]);
    const home = await openHome();
    await home.write("models/instance.yaml", manifest.replaceAll(/http:\/\/localhost:\d+\/v1/g, mock.openaiUrl));
    const agents = models.map(
      (model, index) =>
        `apiVersion: pallas.helu.ca/v1alpha1\nkind: PallasAgent\nmetadata: { name: a${index} }\nspec: { instanceRef: { name: home }, model: "${model}" }\n`,
    );
    await home.write("models/agents.yaml", agents.join("---\n"));
    await home.up("models").until(/registry ready: /);
    for (const [index] of models.entries()) {
      expect(await home.chat(`a${index}`, "Good day")).toMatchObject({ code: 0, stdout: `${said}\n`, stderr: "" });
    }
    const asked = mock.requests.slice(-models.length);
    expect(asked.map(({ body }) => Reflect.get(Object(body), "model"))).toEqual(
      models.map((model) => model.slice(model.indexOf(".") + 1)),
    );
    expect(asked.map(({ headers }) => headers["authorization"])).toEqual(models.map(() => undefined));
  });
});

describe("CLI-1 a folder of one's own", { timeout: 120_000 }, () => {
  test("that pallas init begins runs as it is, and answers", async () => {
    const home = await openHome();
    const { code, stdout } = await home.run("init", "agents");
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("pallas up -f agents") });
    expect(await home.run("init", "agents")).toMatchObject({ code: 2, stderr: expect.stringContaining("not empty") });
    await home.up("agents").until(/registry ready: /);
    expect(await home.chat("assistant", "Good day")).toMatchObject({ code: 0, stdout: "Good day\n" });
  });
});

test("npm link puts pallas on the PATH, as README.md says", async () => {
  expect(await readFile(join(root, "README.md"), "utf8")).toContain("```sh\nnpm link\npallas chat concierge\n```");
  const prefix = await mkdtemp(join(tmpdir(), "pallas-prefix-"));
  onTestFinished(() => rm(prefix, { recursive: true }));
  const run = promisify(execFile);
  const env = { ...process.env, npm_config_prefix: prefix, npm_config_offline: "true" };
  await run("npm", ["link"], { cwd: root, env });
  const { version }: { version: string } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const path = `${join(prefix, "bin")}:${process.env["PATH"]}`;
  expect(await run("pallas", ["--version"], { cwd: prefix, env: { ...process.env, PATH: path } })).toMatchObject({
    stdout: `${version}\n`,
  });
});
