// Keeps a program that may have been replaced from writing: a transport whose writes start only while the lease is
// certainly ours. Reads and watches pass. Knows only how much time is left, not where that comes from.
import { CallRefused } from "./api-error.ts";
import type { Call, Transport } from "./transport.ts";

export interface FenceOptions {
  readonly transport: Transport;
  /** How long writes may still start, by a monotonic clock; 0 or less: not at all. */
  readonly remainingMs: () => number;
  /** Why not, for the error's message. */
  readonly describe: string;
  /** Is given every write that may start, settled or not. */
  readonly onWrite?: (write: Promise<unknown>) => void;
}

/**
 * I11: a write is refused (`CallRefused`) when it would start too late, be it because it was asked for too late, waited
 * for a connection, was tried again, or because the event loop stood still. One that has started is cut off at the end.
 */
export function fenceTransport({ transport, remainingMs, describe, onWrite }: FenceOptions): Transport {
  const mayStart = () => (remainingMs() > 0 ? undefined : describe);
  return {
    async request(call: Call) {
      if (call.method === "GET") return transport.request(call);
      const refusal = mayStart();
      if (refusal !== undefined) throw new CallRefused(`${call.method} ${call.path}: ${refusal}`);
      const timeoutMs = Math.min(call.timeoutMs ?? Number.POSITIVE_INFINITY, remainingMs());
      const write = transport.request({ ...call, timeoutMs, mayStart: () => mayStart() ?? call.mayStart?.() });
      onWrite?.(write);
      return write;
    },
    watch: (call) => transport.watch(call),
    close: () => transport.close(),
  };
}
