// W3C trace context as MCP carries it: `traceparent` and `tracestate`, unprefixed, in a request's `_meta` (MET-6).
// What does not have the form of the recommendation is dropped, so that it can be passed on without a second look.

export interface TraceContext {
  traceparent?: string;
  tracestate?: string;
}

const traceparentPattern = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
/** Of one line, printable, as long as the recommendation asks everybody to pass on. */
const tracestatePattern = /^[\x20-\x7e]{1,512}$/;

/** The trace context in `meta`; empty without a sound `traceparent`. */
export function readTraceContext(meta: Readonly<Record<string, unknown>>): TraceContext {
  const { traceparent, tracestate } = meta;
  if (typeof traceparent !== "string" || !traceparentPattern.test(traceparent)) return {};
  if (typeof tracestate !== "string" || !tracestatePattern.test(tracestate)) return { traceparent };
  return { traceparent, tracestate };
}

/** `meta`, with the trace context of the HTTP request where it has none of its own. */
export function withTraceOfHeaders(
  meta: Readonly<Record<string, unknown>>,
  readHeader: (name: string) => unknown,
): Record<string, unknown> {
  if (meta["traceparent"] !== undefined) return { ...meta };
  const { tracestate: _, ...rest } = meta;
  const ofHeaders = { traceparent: readHeader("traceparent"), tracestate: readHeader("tracestate") };
  return { ...rest, ...readTraceContext(ofHeaders) };
}
