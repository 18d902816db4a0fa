// What becomes of a call whose answer's stream ends before the answer, and of one whose stream ends after it.
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { expect, it, vi } from "vitest";
import { CallTransport } from "./call-transport.ts";
import { Problem } from "./problem.ts";

const call = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "x", arguments: {} } } as const;

async function start(end: (stream: ReadableStreamDefaultController<Uint8Array>) => void) {
  const body = new ReadableStream<Uint8Array>({ start: end });
  const headers = { "content-type": "text/event-stream" };
  const fetch = async () => new Response(body, { headers });
  const transport = new CallTransport(new URL("http://gateway.test/mcp"), { fetch });
  const heard: JSONRPCMessage[] = [];
  transport.onmessage = (message) => void heard.push(message);
  await transport.start();
  return { transport, heard };
}

it.each([
  ["closed", (stream: ReadableStreamDefaultController) => stream.close()],
  ["cut", (stream: ReadableStreamDefaultController) => stream.error(new TypeError("network error"))],
])("UI-1 a call whose stream is %s before its answer ends at once, as one that nobody can answer", async (_, end) => {
  const { transport, heard } = await start(end);
  await transport.send(call);
  await vi.waitFor(() => expect(heard).toHaveLength(1));
  const [answer] = heard;
  expect(answer).toMatchObject({ id: 7, error: { data: { kind: "unreachable" } } });
  expect(answer !== undefined && "error" in answer && answer.error.data).toBeInstanceOf(Problem);
});

it("UI-1 a stream of changes hears of its own end, and nothing is answered for it", async () => {
  const { transport, heard } = await start((stream) => stream.close());
  const onRequestStreamEnd = vi.fn();
  await transport.send(call, { onRequestStreamEnd });
  await vi.waitFor(() => expect(onRequestStreamEnd).toHaveBeenCalledOnce());
  expect(heard).toEqual([]);
});
