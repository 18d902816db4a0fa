// The agent as it is built, with the flags of its image, in the memory that a pod has by default: what anonymous callers and a
// tool server can send makes it refuse in words, and never makes the kernel or V8 end it (SEC-6).
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { maxImageBytes } from "../../agent-runtime/image-data.ts";
import { testImage } from "../../agent-runtime/testing/images.ts";
import { startAgentProcess, type AgentProcess } from "../../agent-runtime/testing/process.ts";
import { renderTestConfig, renderTestServer } from "../../agent-runtime/testing/run-config.ts";
import { needsPlatform } from "../tools/needs.ts";
import { createMemoryCgroup, type MemoryCgroup } from "./memory-limit/memory-cgroup.ts";
import { startLargeToolServer, type LargeToolServer } from "./memory-limit/tool-server.ts";

const root = join(import.meta.dirname, "../..");
const mebibyte = 1024 * 1024;
const memoryBytes = 512 * mebibyte;
const bodyLimitBytes = 32 * mebibyte;
const concurrentCalls = 64;
/** What an agent reads of a tool's answer. */
const toolAnswerBytes = 16 * mebibyte;
/** How far the heap may be above that at rest, once all is over. */
const restShare = 1.2;

/** Of the agent's image, but for its program. */
function readImageFlags(): string[] {
  const entry = /^ENTRYPOINT \["node", (.*)"\/app\/agent-runtime\.js"\]$/m;
  const found = entry.exec(readFileSync(join(root, "images/Containerfile"), "utf8"))?.[1];
  if (found === undefined) throw new Error("images/Containerfile has no entry point of the agent");
  return [...found.matchAll(/"([^"]+)"/g)].map(([, flag = ""]) => flag);
}

const memory: MemoryCgroup | undefined = await createMemoryCgroup(memoryBytes);
afterAll(() => memory?.remove());

const meta = JSON.stringify({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
});
/** A call of send_message, which needs no session, with `args` as they are. */
const renderCall = (args: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_message","arguments":${args},"_meta":${meta}}}`;
const callHeaders = {
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": "send_message",
};

/** `unit` again and again between the ends, as many bytes as asked for. */
function fill(before: string, unit: string, after: string, bytes: number): Buffer {
  const ends = renderCall(before + after);
  const at = ends.indexOf(before) + before.length;
  const count = Math.floor((bytes - ends.length) / Buffer.byteLength(unit));
  return Buffer.concat([
    Buffer.from(ends.slice(0, at)),
    Buffer.alloc(count * Buffer.byteLength(unit), unit),
    Buffer.from(ends.slice(at)),
  ]);
}

function renderKeys(bytes: number): Buffer {
  const keys: string[] = [];
  for (let length = 0; length < bytes - 1_000; length += 14) keys.push(`"k${String(keys.length).padStart(8, "0")}":1`);
  return Buffer.from(renderCall(`{"x":{${keys.join(",")}}}`));
}

interface Answer {
  status: number;
  text: string;
}

describe(
  "SEC-6 in the memory of a pod",
  needsPlatform(memory === undefined ? "no control group can be made" : undefined),
  () => {
    let agent: AgentProcess;
    let tools: LargeToolServer;
    let http: Agent;
    let restBytes: number;
    const send = async (body: Buffer | string): Promise<Answer> => {
      const options = { method: "POST", headers: callHeaders, body, dispatcher: http } as const;
      const answer = await request(`${agent.url}/mcp`, options);
      // What is echoed may be as large as what was sent; the beginning shows what it is.
      let text = "";
      for await (const chunk of answer.body) if (text.length < 2_000) text += String(chunk).slice(0, 2_000);
      return { status: answer.statusCode, text };
    };
    const say = (message: string) => send(renderCall(JSON.stringify({ message })));

    /** The heap after a collection, which the process makes when it is told to. */
    async function readHeapBytes(): Promise<number> {
      agent.kill("SIGUSR2");
      const { body } = await request(`${agent.adminUrl}/metrics`, { dispatcher: http });
      return Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(await body.text())?.[1]);
    }

    beforeAll(async () => {
      tools = await startLargeToolServer();
      const [model] = renderTestConfig().models;
      const [provider] = renderTestConfig().providers;
      if (model === undefined || provider === undefined) throw new Error("the test configuration has no model");
      const config = renderTestConfig({
        models: [{ ...model, provider: "slow", ref: "slow.test" }],
        providers: [{ ...provider, name: "slow", kind: "slow" }],
        servers: [renderTestServer("t", tools.url)],
        limits: { ...renderTestConfig().limits, concurrentCalls },
        logLevel: "ERROR",
      });
      const collect = "data:text/javascript,process.on('SIGUSR2',()=>globalThis.gc())";
      agent = await startAgentProcess(config, {}, join(root, "dist/agent-runtime.js"), {
        launcher: memory?.launcher ?? [],
        flags: [...readImageFlags(), "--expose-gc", "--import", collect],
      });
      http = new Agent({ headersTimeout: 120_000, bodyTimeout: 120_000 });
      await vi.waitFor(() => request(`${agent.adminUrl}/readyz`, { dispatcher: http }), { timeout: 30_000 });
      await Promise.all(Array.from({ length: 16 }, () => say("hello")));
      await readHeapBytes();
      restBytes = await readHeapBytes();
    });
    afterAll(async () => {
      await http.destroy();
      await agent.stop();
      tools.stop();
    });

    /** That the process is the one that was started, and answers. */
    async function expectAlive(): Promise<void> {
      expect(await memory?.countKills()).toBe(0);
      expect((await request(`${agent.adminUrl}/livez`, { dispatcher: http })).statusCode).toBe(200);
    }

    const shapes: [string, () => Buffer][] = [
      ["32 MiB of empty lists", () => fill('{"x":[[]', ",[]", "]}", bodyLimitBytes)],
      ["19 MiB of empty objects", () => fill('{"x":[{}', ",{}", "]}", 19 * mebibyte)],
      ["9.5 MiB of lists inside each other", () => fill('{"x":', "[", "}", 9.5 * mebibyte)],
      ["9.5 MiB of objects inside each other", () => fill('{"x":', '{"a":', "}", 9.5 * mebibyte)],
      ["32 MiB of distinct keys", () => renderKeys(bodyLimitBytes)],
      ["32 MiB of numbers", () => fill('{"x":[1', ",1", "]}", bodyLimitBytes)],
    ];

    it("a body of many values is refused, alone and four of each kind together", async () => {
      const bodies = shapes.map(([, render]) => render());
      for (const body of bodies) {
        expect(await send(body)).toMatchObject({ status: 400, text: expect.stringContaining("-32600") });
      }
      const answers = await Promise.all(bodies.flatMap((body) => Array.from({ length: 4 }, () => send(body))));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
      await expectAlive();
    });

    it.each([
      ["the largest body, of ASCII", "x", bodyLimitBytes],
      ["the largest body, of characters that take two bytes in memory", "ж", bodyLimitBytes],
      ["the largest body, of characters that are written as escapes", "\\u0041", bodyLimitBytes],
      ["a text that fills a quarter of it", "x", bodyLimitBytes / 4],
      ["a text that fills half of it", "ж", bodyLimitBytes / 2],
    ])("%s, is answered when it is alone", async (_what, unit, bytes) => {
      const answer = await send(fill('{"message":"', unit, '"}', bytes));
      expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, expect.stringContaining("result")]);
      await expectAlive();
    });

    it("of 32 of the largest at once some are answered, and all others told to come again", async () => {
      const body = fill('{"message":"', "x", '"}', bodyLimitBytes);
      const answers = await Promise.all(Array.from({ length: 32 }, () => send(body)));
      const statuses = Map.groupBy(answers, ({ status }) => status);
      expect(new Set(statuses.keys())).toEqual(new Set([200, 503]));
      for (const { text } of statuses.get(503) ?? []) expect(text).toContain("try again later");
      await expectAlive();
    });

    it.each([
      [
        "text",
        () =>
          Buffer.concat([
            Buffer.from('{"content":[{"type":"text","text":"'),
            Buffer.alloc(64 * mebibyte, "x"),
            Buffer.from('"}]}'),
          ]),
      ],
      [
        "values",
        () =>
          Buffer.concat([
            Buffer.from('{"content":[],"structuredContent":{"x":[{}'),
            Buffer.alloc(64 * mebibyte, ",{}"),
            Buffer.from("]}}"),
          ]),
      ],
    ])("a tool's answer of 64 MiB of %s is an error of that tool", async (_what, render) => {
      tools.answerWith(render());
      const asked = await Promise.all(Array.from({ length: 2 }, () => say("***CALL_TOOL t__large {}")));
      for (const { status, text } of asked) {
        expect([status, text]).toEqual([200, expect.stringMatching(/over the limit|structural characters/)]);
      }
      await expectAlive();
    });

    describe.each([
      ["texts", () => ({ type: "text", text: "x".repeat(toolAnswerBytes - 1_000) })],
      ["images", () => ({ type: "image", ...testImage("image/png", { bytes: maxImageBytes }) })],
    ])("a tool's largest answers, %s", (_what, render) => {
      const call = "***CALL_TOOL t__large {}";
      const isRefused = ({ text }: Answer) => text.includes("does not fit in memory");
      beforeAll(() => tools.answerWith(Buffer.from(JSON.stringify({ content: [render()] }))));

      it("one alone is used", async () => {
        const answer = await say(call);
        expect([answer.status, isRefused(answer)]).toEqual([200, false]);
        expect(answer.text).not.toContain('"isError":true');
      });

      it("of 32 calls at once some get them, and all others an error of the tool", async () => {
        const asked = await Promise.all(Array.from({ length: 32 }, () => say(call)));
        expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]));
        expect(new Set(asked.map(isRefused))).toEqual(new Set([true, false]));
        await expectAlive();
      });

      it("so do 32 in one turn of one call", async () => {
        expect(await say(Array.from({ length: 32 }, () => call).join("\n"))).toMatchObject({ status: 200 });
        await expectAlive();
      });
    });

    it(`of 1,000 callers ${concurrentCalls} are served, and all others told to come again`, async () => {
      const answers = await Promise.all(Array.from({ length: 1_000 }, (_, at) => say(`caller ${at}`)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      const refused = answers.filter(({ text }) => text.includes("limits.concurrentCalls"));
      expect(refused.length).toBeGreaterThanOrEqual(900);
      expect(answers.length - refused.length).toBeGreaterThanOrEqual(concurrentCalls);
      await expectAlive();
    });

    it("once all is over, the heap is what it was at rest", async () => {
      await expect.poll(readHeapBytes, { timeout: 20_000 }).toBeLessThan(restBytes * restShare);
      expect((await say("still there")).text).toContain("still there");
      await expectAlive();
    });
  },
);
