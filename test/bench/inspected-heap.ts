// What a Node process holds on its heap once everything unreachable is gone, asked through its debugger.
import { once } from "node:events";

interface Answer {
  readonly id?: number;
  readonly result?: { readonly usedSize?: number };
}

const answerTimeoutMs = 30_000;

/** Bytes in use after a full collection. `url` is what the process printed after "Debugger listening on". */
export async function readCollectedHeap(url: string): Promise<number> {
  const socket = new WebSocket(url);
  const signal = AbortSignal.timeout(answerTimeoutMs);
  await once(socket, "open", { signal });
  const call = async (id: number, method: string): Promise<Answer> => {
    socket.send(JSON.stringify({ id, method }));
    for (;;) {
      const [event] = await once(socket, "message", { signal });
      const answer: Answer = JSON.parse(String(event.data));
      if (answer.id === id) return answer;
    }
  };
  await call(1, "HeapProfiler.collectGarbage");
  const { result } = await call(2, "Runtime.getHeapUsage");
  socket.close();
  if (result?.usedSize === undefined) {
    throw new Error("expected the debugger to say the size of the heap, found nothing");
  }
  return result.usedSize;
}
