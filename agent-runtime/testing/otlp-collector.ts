// A collector of OTLP/HTTP in JSON for tests: it keeps what it is sent, and refuses where told so.
import { Hono } from "hono";
import * as z from "zod";
import { listen } from "../../lib/process/http-server.ts";
import { createLogger } from "../../lib/process/log.ts";

const value = z
  .object({
    stringValue: z.string().optional(),
    intValue: z.coerce.number().optional(),
    doubleValue: z.number().optional(),
    boolValue: z.boolean().optional(),
    arrayValue: z.object({ values: z.array(z.object({ stringValue: z.string() })) }).optional(),
  })
  .transform(
    (all) =>
      all.stringValue ??
      all.intValue ??
      all.doubleValue ??
      all.boolValue ??
      all.arrayValue?.values.map(({ stringValue }) => stringValue),
  );
const attributes = z
  .array(z.object({ key: z.string(), value }))
  .default([])
  .transform((list) => Object.fromEntries(list.map(({ key, value: each }) => [key, each])));
const resource = z.object({ attributes });
const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().default(""),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes,
  status: z.object({ code: z.number().default(0), message: z.string().default("") }),
});
const traces = z.object({
  resourceSpans: z.array(z.object({ resource, scopeSpans: z.array(z.object({ spans: z.array(span) })) })),
});
const points = z.object({ dataPoints: z.array(z.object({ attributes })) });
const metric = z.object({
  name: z.string(),
  unit: z.string(),
  sum: points.optional(),
  histogram: points.optional(),
});
const metrics = z.object({
  resourceMetrics: z.array(z.object({ scopeMetrics: z.array(z.object({ metrics: z.array(metric) })) })),
});

/** `kind`: 1 internal, 2 server, 3 client. */
export type CollectedSpan = z.output<typeof span> & { service: unknown };
export type CollectedMetric = z.output<typeof metric>;

export interface OtlpCollector {
  endpoint: string;
  spans: CollectedSpan[];
  metrics: CollectedMetric[];
  /** Everything that was sent, as it came. */
  bodies: string[];
  requests(): number;
  answerWith(status: number): void;
  stop(): Promise<void>;
}

/** Starts one; `status` is the code of its answers. */
export async function startOtlpCollector({ status = 200 } = {}): Promise<OtlpCollector> {
  const collected = { spans: new Array<CollectedSpan>(), metrics: new Array<CollectedMetric>() };
  const bodies: string[] = [];
  let requests = 0;
  let answer = status;
  const app = new Hono();
  app.post("/v1/:signal", async (context) => {
    requests += 1;
    const body = await context.req.text();
    bodies.push(body);
    if (context.req.param("signal") === "traces") {
      for (const { resource: of, scopeSpans } of traces.parse(JSON.parse(body)).resourceSpans) {
        const service = of.attributes["service.name"];
        collected.spans.push(...scopeSpans.flatMap(({ spans }) => spans).map((each) => ({ ...each, service })));
      }
    } else {
      const sent = metrics.parse(JSON.parse(body)).resourceMetrics;
      collected.metrics.push(...sent.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((each) => each.metrics)));
    }
    return answer === 200 ? context.json({}) : new Response("no", { status: answer });
  });
  const log = createLogger({ logger: "test", level: "SILENT" });
  const server = await listen(app.fetch, { port: 0, hostname: "127.0.0.1", log });
  return {
    ...collected,
    endpoint: server.url,
    bodies,
    requests: () => requests,
    answerWith: (next) => void (answer = next),
    stop: async () => void (await server.close({ graceMs: 0 })),
  };
}
