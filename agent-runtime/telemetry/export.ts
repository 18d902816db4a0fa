// The way out: batches of spans and a sum of metrics over OTLP/HTTP as JSON, in the background and in bounded memory. A
// collector that is slow or down costs spans, never a call; it is told once when that begins and once when it is over. Its
// connections are guarded like all others (SEC-5).
import type { Meter, Tracer } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import type { RunConfig } from "../../crds/run-config.ts";
import { settledWithin, systemClock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { openGuardedAgent } from "../../lib/outgoing/guarded-agent.ts";
import { readCertificates } from "./certificates.ts";
import type { TelemetrySettings } from "./telemetry.ts";

const scope = "pallas";
const exportTimeoutMs = 10_000;
const spansEveryMs = 1_000;
const metricsEveryMs = 60_000;
/** Spans that wait; later ones are dropped. */
const maxSpans = 2_048;
const maxSpansPerRequest = 512;
/** With content spans are large: 256 of at most five texts of 16 Ki characters. */
const maxContentSpans = 256;
const maxAttributeChars = 1_024;
const maxContentChars = 16_384;
/** Label sets per metric; more are summed up under one. */
const maxSeries = 500;
/** For what is left at the end. */
const closeDeadlineMs = 2_000;

export interface Exporting {
  tracer: Tracer;
  meter: Meter;
  /** Never rejects; what is not sent within two seconds is lost. */
  close(): Promise<void>;
}

interface Exporter {
  export(items: never, done: (result: { code: number; error?: Error }) => void): void;
}

/** Exporters report nothing by themselves: a line when they begin to fail, and one when they are well again. */
function reportFailures<Exported extends Exporter>(exporter: Exported, signal: string, log: Logger): Exported {
  let failing = false;
  const send: Exported["export"] = exporter.export.bind(exporter);
  exporter.export = (items, done) =>
    send(items, (result) => {
      if (result.code !== 0 && !failing) log.warn({ signal, err: result.error }, "telemetry cannot be sent");
      if (result.code === 0 && failing) log.info({ signal }, "telemetry is sent again");
      failing = result.code !== 0;
      done(result);
    });
  return exporter;
}

/** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win. */
function renderResource({ agent }: RunConfig) {
  const own = resourceFromAttributes({
    "service.name": agent.name,
    "service.namespace": agent.namespace,
    "service.version": agent.version,
    "pallas.instance": agent.instance,
  });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}

/** Starts the exporters; nothing is registered globally. Headers and compression come from OTEL_EXPORTER_OTLP_* too. */
export function startExporting(options: TelemetrySettings & { config: RunConfig; log: Logger }): Exporting {
  const { config, captureContent } = options;
  const log = options.log.child({ logger: "pallas.telemetry" });
  const resource = renderResource(config);
  const maxQueueSize = captureContent ? maxContentSpans : maxSpans;
  const connecting = (signal: "TRACES" | "METRICS") => ({
    timeoutMillis: exportTimeoutMs,
    httpAgentOptions: async (protocol: string) =>
      openGuardedAgent(protocol, { tls: await readCertificates(signal, process.env) }),
  });
  const traceExporter = new OTLPTraceExporter({ url: options.tracesUrl, ...connecting("TRACES") });
  const metricExporter = new OTLPMetricExporter({ url: options.metricsUrl, ...connecting("METRICS") });
  const tracers = new TracerProvider({
    resource,
    spanLimits: { attributeValueLengthLimit: captureContent ? maxContentChars : maxAttributeChars },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reportFailures(traceExporter, "traces", log),
        maxQueueSize,
        maxExportBatchSize: Math.min(maxSpansPerRequest, maxQueueSize),
        scheduledDelayMillis: spansEveryMs,
        exportTimeoutMillis: exportTimeoutMs,
      }),
    ],
  });
  const meters = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: reportFailures(metricExporter, "metrics", log),
        exportIntervalMillis: metricsEveryMs,
        exportTimeoutMillis: exportTimeoutMs,
        cardinalityLimits: { default: maxSeries },
      }),
    ],
  });
  return {
    tracer: tracers.getTracer(scope, config.agent.version),
    meter: meters.getMeter(scope, config.agent.version),
    async close() {
      // A failure has been reported by its exporter.
      await settledWithin(Promise.allSettled([tracers.shutdown(), meters.shutdown()]), closeDeadlineMs, systemClock);
    },
  };
}
