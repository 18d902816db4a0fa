import { describe, expect, it } from "vitest";
import { readTraceContext, withTraceOfHeaders } from "./trace-context.ts";

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const headers = (values: Record<string, unknown>) => (name: string) => values[name];

describe("MET-6 trace context", () => {
  it.each([
    ["no text", 1],
    ["a version that is forbidden", traceparent.replace("00-", "ff-")],
    ["a trace id of zeros", `00-${"0".repeat(32)}-b7ad6b7169203331-01`],
    ["a span id of zeros", `00-0af7651916cd43dd8448eb211c80319c-${"0".repeat(16)}-01`],
    ["capitals", traceparent.toUpperCase()],
    ["something after it", `${traceparent}\r\nx: y`],
  ])("with %s is dropped", (_fault, invalid) => {
    expect(readTraceContext({ traceparent: invalid, tracestate: "a=b" })).toEqual({});
  });

  it("keeps a tracestate of 512 printable characters and none of 513, or of several lines", () => {
    const longest = `a=${"b".repeat(510)}`;
    expect(readTraceContext({ traceparent, tracestate: longest })).toEqual({ traceparent, tracestate: longest });
    expect(readTraceContext({ traceparent, tracestate: `${longest}b` })).toEqual({ traceparent });
    expect(readTraceContext({ traceparent, tracestate: "a=b\nc=d" })).toEqual({ traceparent });
  });

  it("is that of the headers only where _meta has none, never a mixture", () => {
    const ofHeaders = headers({ traceparent, tracestate: "h=1" });
    expect(withTraceOfHeaders({ a: 1 }, ofHeaders)).toEqual({ a: 1, traceparent, tracestate: "h=1" });
    expect(withTraceOfHeaders({ tracestate: "m=1" }, ofHeaders)).toEqual({ traceparent, tracestate: "h=1" });
    expect(withTraceOfHeaders({ traceparent: "x" }, ofHeaders)).toEqual({ traceparent: "x" });
    expect(withTraceOfHeaders({}, headers({ traceparent: [traceparent] }))).toEqual({});
  });
});
