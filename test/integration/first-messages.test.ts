// What goes wrong at the first real step: what `pallas up` says first, and what `pallas chat` answers then. Each names the cure.
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

const badNews = /\b(?:warning|WARNING|in use)\b|^ {2}assistant: /m;

/** The first line of `pallas up` that is no good news, and what `pallas chat` says after it. */
async function firstMessages(home: Home): Promise<{ up: string; chat: string }> {
  const up = home.up("agents");
  await up.until(badNews);
  const first = up
    .shown()
    .split("\n")
    .find((line) => badNews.test(line));
  // The registry is there before the agents are ready, and some of these never are.
  const { code, stderr, stdout } = await vi.waitFor(async () => {
    const answer = await home.chat("assistant", "Good day");
    if (/does not answer|still reading/.test(answer.stderr)) throw new Error(answer.stderr);
    return answer;
  }, waiting);
  expect(code).toBe(1);
  const all = `${up.shown()}${stdout}${stderr}`;
  expect(all).not.toContain(key);
  expect(all).not.toMatch(/^ {4}at |namespace/m);
  return { up: first ?? "", chat: `${stdout}${stderr}` };
}

describe("CLI-1 CLI-4 the first message names the cure, in the chat too", { timeout: 90_000 }, () => {
  test("a provider that is not there", async () => {
    const home = await openHome(deadUrl);
    await home.write("agents/.env", `OPENAI_API_KEY=${key}\n`);
    const { up, chat } = await firstMessages(home);
    for (const text of [up, chat]) expect(text).toMatch(/openai: .*(?:ECONNREFUSED|refused|connect).*baseUrl/);
  });

  test("a key that is refused", async () => {
    const home = await openHome(refusing.openaiUrl);
    await home.write("agents/.env", `OPENAI_API_KEY=${key}\n`);
    const { up, chat } = await firstMessages(home);
    for (const text of [up, chat])
      expect(text).toMatch(/openai: .*refused \(401\).*check Secret "llm-keys" key "openai"/);
  });

  test("a model that the provider does not have", async () => {
    const home = await openHome(mock.openaiUrl, "gpt-55");
    await home.write("agents/.env", `OPENAI_API_KEY=${key}\n`);
    const { up, chat } = await firstMessages(home);
    for (const text of [up, chat]) expect(text).toMatch(/openai: model 'gpt-55' .*not/);
  });

  test("no key", async () => {
    const { up, chat } = await firstMessages(await openHome(mock.openaiUrl));
    expect(up).toMatch(/OPENAI_API_KEY is not set; set it, or add it to \.env/);
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
