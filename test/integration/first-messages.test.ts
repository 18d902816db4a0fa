// What goes wrong at the first real step: what `pallas check` knows of it, what `pallas up` says first, and what `pallas chat`
// answers then. Each names the cure.
import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { hold } from "../../lib/process/testing/free-ports.ts";
import { startModelMock, type ModelMock } from "../models/model-mock.ts";
import { newFiles } from "../../cli/init/files.ts";
import { Home } from "./local/home.ts";

const waiting = { timeout: 40_000, interval: 500 };
const key = "sk-secret-1234567890";
let mock: ModelMock;
let refusing: ModelMock;
let deadUrl: string;
beforeAll(async () => {
  const script = { conversations: [{ replies: [{ error: "not_found" as const }], repeat: true }] };
  mock = await startModelMock(script, { models: { "gpt-5": {} } });
  const refusal = { error: "auth" as const };
  refusing = await startModelMock(
    { conversations: [{ replies: [refusal], repeat: true }] },
    { lists: { status: 401 } },
  );
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  deadUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/v1`;
  server.close();
});
afterAll(() => Promise.all([mock.close(), refusing.close()]));

/** What `pallas init` writes, with OpenAI's model at `baseUrl`. */
async function openHome(baseUrl: string, model = "gpt-5-mini"): Promise<Home> {
  const home = await Home.create();
  onTestFinished(() => home[Symbol.asyncDispose]());
  for (const [name, text] of newFiles) await home.write(`agents/${name}`, text);
  const provider = `{ name: openai, baseUrl: "${baseUrl}", apiKey: { secretKeyRef: { name: llm-keys, key: openai } } }`;
  const spec = `registryNamespace: com.example.home\n  defaultModel: openai.${model}\n  providers: [${provider}]\n`;
  await home.write(
    "agents/instance.yaml",
    `apiVersion: pallas.helu.ca/v1alpha1\nkind: PallasInstance\nmetadata: { name: home }\nspec:\n  ${spec}`,
  );
  return home;
}

/** What `pallas up` says when all is well. */
const goodNews = /^(?:starting; |AGENT |assistant +openai\.|registry ready: |$)/;

interface Said {
  /** Of a cluster's manifests, and with --local of what `up` would run. */
  check: string;
  /** The first line that is no good news. */
  up: string;
  chat: string;
}

/** What each command says of the agent, once `pallas up` has said `cause`. */
async function ask(home: Home, cause: string): Promise<Said> {
  const checked = await home.run("check", "--local", "-f", "agents");
  const up = home.up("agents");
  await up.until(new RegExp(cause.replaceAll(/[$()[\]{}.*+?^|\\]/g, "\\$&")));
  const first = up
    .shown()
    .split("\n")
    .find((line) => !goodNews.test(line));
  // The registry is there before the agents are ready, and some of these never are; it learns of them a moment later.
  const { code, stderr, stdout } = await vi.waitFor(async () => {
    const answer = await home.chat("assistant", "Good day");
    if (!answer.stderr.includes(cause)) throw new Error(`expected ${cause}, found: ${answer.stderr}`);
    return answer;
  }, waiting);
  expect(code).toBe(1);
  const all = `${up.shown()}${stdout}${stderr}`;
  expect(all).not.toContain(key);
  expect(all).not.toMatch(/^ {4}at |namespace/m);
  return { check: `${checked.stdout}${checked.stderr}`, up: first ?? "", chat: stderr };
}

describe("CLI-1 CLI-4 the first message names cause and cure, and the chat says the same", { timeout: 120_000 }, () => {
  const open = async (baseUrl: string, model?: string): Promise<Home> => {
    const home = await openHome(baseUrl, model);
    await home.write("agents/.env", `OPENAI_API_KEY=${key}\n`);
    return home;
  };

  test.each<[string, () => Promise<Home>, string, string]>([
    ["a provider that is not there", () => open(deadUrl), "openai: unreachable", "check baseUrl and the network"],
    [
      "a key that is refused",
      () => open(refusing.openaiUrl),
      "openai: the key was refused (401)",
      'check Secret "llm-keys" key "openai"',
    ],
    [
      "a model that the provider does not have",
      () => open(mock.openaiUrl, "gpt-55"),
      "openai: model 'gpt-55' not found",
      "check the model's name and the provider's baseUrl",
    ],
  ])("%s", async (_, prepare, cause, cure) => {
    const { check, up, chat } = await ask(await prepare(), cause);
    for (const text of [up, chat]) {
      expect(text).toContain(cause);
      expect(text).toContain(cure);
    }
    // It asks nobody.
    expect(check).toBe("3 files read: 1 valid instance and 1 valid agent, no errors\n");
  });

  test("no key: check, up and chat say one sentence", async () => {
    const sentence =
      'Secret "llm-keys": openai is left out, since the variable OPENAI_API_KEY is not set; set it, or add it to .env';
    const { check, up, chat } = await ask(await openHome(mock.openaiUrl), sentence);
    for (const text of [check, up, chat]) expect(text).toContain(sentence);
    expect(chat).toMatch(/^pallas: agent "assistant" is not ready: /);
  });

  test("a port that is taken", async () => {
    const home = await openHome(mock.openaiUrl);
    const holder = await hold(home.port);
    onTestFinished(() => void holder.close());
    const up = home.up("agents");
    await up.until(/choose another --port\n/);
    expect(up.shown()).toMatch(/port \d+ is in use by another program; stop that program/);
    const { code, stderr } = await home.chat("assistant", "Good day");
    expect(code).toBe(1);
    expect(stderr).toMatch(/registry/);
  });
});
