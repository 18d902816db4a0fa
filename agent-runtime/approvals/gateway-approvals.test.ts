// What comes back from a gateway is bounded in time and size.
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { listen } from "../../lib/process/http-server.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { createTestLog } from "../testing/servers.ts";
import { createGatewayApprovals, silenceMs } from "./gateway-approvals.ts";
import { readLines } from "./ndjson.ts";

async function startGateway(answer: () => Response) {
  const server = await listen(answer, { port: 0, hostname: "127.0.0.1", log: createTestLog("SILENT").log });
  onTestFinished(async () => void (await server.close({ graceMs: 0 })));
  const clock = new ManualClock();
  const gateway = createGatewayApprovals({ readToken: async () => "t", clock });
  onTestFinished(gateway.close);
  const lines = gateway.listen(server.url, { name: "clerk-1" }, new AbortController().signal);
  return { clock, lines };
}

async function readAll(stream: ReadableStream<Uint8Array>): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of readLines(stream, 8)) lines.push(line);
  return lines;
}

const streamOf = (...chunks: string[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(Buffer.from(chunk));
      controller.close();
    },
  });

describe("MGM-6 a stream about an approval", () => {
  test("that says nothing for 30 s is broken, and not a moment sooner", async () => {
    let beat = (): void => undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        beat = () => controller.enqueue(Buffer.from('{"type":"heartbeat"}\n'));
      },
    });
    const { clock, lines } = await startGateway(() => new Response(body));
    for (let beats = 0; beats < 3; beats += 1) {
      beat();
      expect((await lines.next()).value).toEqual({ type: "heartbeat" });
      await clock.advance(beats < 2 ? silenceMs - 1 : 0);
    }
    const onEnd = vi.fn<(error: unknown) => void>();
    const next = lines.next().catch(onEnd);
    await clock.advance(silenceMs - 1);
    expect(onEnd).not.toHaveBeenCalled();
    await clock.advance(1);
    await next;
    expect(String(onEnd.mock.calls[0]?.[0])).toContain("the gateway said nothing for 30 s");
    expect(clock.pending).toEqual([]);
  });

  test("of another form is no decision", async () => {
    const { lines } = await startGateway(() => new Response('{"type":"decided","name":"x"}\n'));
    await expect(lines.next()).rejects.toThrow("expected a line about an approval");
  });

  test("has lines up to the limit, in whatever pieces they come", async () => {
    const read = async (...chunks: string[]) => await readAll(streamOf(...chunks));
    expect(await read("12345678\n\n", "ab", "cdefgh\nx", "é\n")).toEqual(["12345678", "abcdefgh", "xé"]);
    await expect(read("123456789\n")).rejects.toThrow("at most 8 bytes");
    await expect(read("12345", "6789")).rejects.toThrow("at most 8 bytes");
    const whole = Buffer.from("é\n");
    const split = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(whole.subarray(0, 1));
        controller.enqueue(whole.subarray(1));
        controller.close();
      },
    });
    expect(await readAll(split)).toEqual(["é"]);
  });
});
