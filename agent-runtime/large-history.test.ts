// AGT-4 AGT-5 SEC-6 a history at its bound, with images, in the memory of a pod as it is shipped: the process with the heap that
// Node takes in 512Mi serves calls and pages of it again and again, and grows no further.
import { readFile } from "node:fs/promises";
import { describe, expect, test, vi } from "vitest";
import { listen } from "../lib/process/http-server.ts";
import { keepUntilEnd } from "./testing/cleanup.ts";
import { connect2026, sendMessage } from "./testing/client.ts";
import { createTestFolder, createTestStore, user } from "./testing/histories.ts";
import { testImage } from "./testing/images.ts";
import { startAgentProcess } from "./testing/process.ts";
import { renderTestConfig } from "./testing/run-config.ts";
import { createTestLog } from "./testing/servers.ts";

const keep = keepUntilEnd();
const rounds = 4;
const boundBytes = 16 * 1024 * 1024;
const options = { signal: new AbortController().signal, idleTimeoutMs: 60_000 };

/** A provider that answers whatever it is sent, and counts how much that is. */
async function startProvider() {
  const sizes: number[] = [];
  const answer = { index: 0, delta: { role: "assistant", content: "fine" }, finish_reason: "stop" };
  const fetch = async (request: Request) => {
    const { byteLength } = await request.arrayBuffer();
    if (request.method === "POST") sizes.push(byteLength);
    const chunk = { id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [answer] };
    const body = `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
    return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  };
  const server = await listen(fetch, { port: 0, hostname: "127.0.0.1", log: createTestLog("SILENT").log });
  const stop = async () => void (await server.close({ graceMs: 0 }));
  return keep(Promise.resolve({ sizes, baseUrl: `${server.url}/v1`, stop }));
}

/** The most that it ever had. */
const peakMiB = async (pid: number) =>
  Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;

describe.skipIf(process.platform !== "linux")("AGT-5 SEC-6 a history at its bound", () => {
  test(
    "with a hundred MiB of images is gone on with and read, in a heap of 256 MiB",
    { timeout: 180_000 },
    async () => {
      const { path: folder } = await keep(createTestFolder());
      const store = createTestStore(folder);
      for (let fill = 1; fill <= 12; fill += 1) {
        const image = { type: "image" as const, ...testImage("image/png", { bytes: 10 * 2 ** 20, fill }) };
        await store.append("shared", { role: "user", content: [image] });
      }
      // Two bytes a character in memory.
      const text = `€${"x".repeat(2 ** 20 - 100)}`;
      for (let index = 0; index < 15; index += 1) await store.append("shared", user(text));
      await store.close();

      const provider = await startProvider();
      const models = renderTestConfig().models.map((model) => ({
        ...model,
        ...{ ref: "local.m", provider: "local", name: "m" },
        capabilities: { ...model.capabilities, contextWindow: 100_000_000 },
      }));
      const local = { name: "local", kind: "openai-compatible" as const, baseUrl: provider.baseUrl, headers: [] };
      const config = renderTestConfig({
        scope: "shared",
        limits: { ...renderTestConfig().limits, totalTokens: 1_000_000_000 },
        history: { ...renderTestConfig().history, maxBytes: 2 ** 30, maxBytesPerConversation: boundBytes },
        models,
        providers: [{ ...local, requireListedModel: false, forwardInboundAuth: false }],
      });
      const env = { PALLAS_HISTORIES_DIR: folder, NODE_OPTIONS: "--max-old-space-size=256" };
      const agent = await keep(startAgentProcess(config, env));
      const isReady = async () => expect((await fetch(`${agent.adminUrl}/readyz`)).status).toBe(200);
      await vi.waitFor(isReady, { timeout: 20_000, interval: 50 });

      const connection = await connect2026(`${agent.url}/mcp`);
      for (let round = 0; round < rounds; round += 1) {
        const answer = await sendMessage(connection, { message: `message ${round}` }, options.signal, 60_000);
        expect(answer).toMatchObject({ isError: false, text: "fine" });
        const { messages } = await connection.getPrompt("tech_research_history", {}, options);
        expect(messages.length).toBeGreaterThan(2);
        expect(JSON.stringify(messages).length).toBeLessThan(10 * 2 ** 20);
      }
      await connection.close();
      // All text, and images of no more than 20 MiB.
      expect(provider.sizes).toHaveLength(rounds);
      for (const bytes of provider.sizes) expect(bytes).toBeGreaterThan(boundBytes);
      for (const bytes of provider.sizes) expect(bytes).toBeLessThan(3 * boundBytes);
      expect(await peakMiB(agent.pid)).toBeLessThan(512);
    },
  );
});
