// Whether and where traces go: the variables that OpenTelemetry has published names for, or the instance's endpoint.
// The libraries behind it are loaded only then.
import type { RunConfig } from "../../crds/run-config.ts";
import { withoutEndSlashes } from "../../lib/process/end-slashes.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { Environment } from "../environment.ts";
import { noTelemetry, type Telemetry, type TelemetrySettings } from "./telemetry.ts";

type Variables = Pick<
  Environment,
  | "OTEL_EXPORTER_OTLP_ENDPOINT"
  | "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
  | "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"
  | "OTEL_SDK_DISABLED"
  | "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
>;

/** The environment wins over the instance. Undefined: nothing is to be sent. */
export function readTelemetrySettings(
  environment: Variables,
  config: Pick<RunConfig, "telemetry">,
): TelemetrySettings | undefined {
  const endpoint = environment.OTEL_EXPORTER_OTLP_ENDPOINT ?? config.telemetry?.otlpEndpoint;
  if (endpoint === undefined || environment.OTEL_SDK_DISABLED) return undefined;
  const below = (path: string) => `${withoutEndSlashes(endpoint)}${path}`;
  return {
    tracesUrl: environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? below("/v1/traces"),
    metricsUrl: environment.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT ?? below("/v1/metrics"),
    captureContent: environment.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT,
  };
}

/** Starts sending to where `settings` say; without any nothing is loaded. */
export async function startTelemetry(
  settings: TelemetrySettings | undefined,
  options: { config: RunConfig; log: Logger },
): Promise<Telemetry> {
  if (settings === undefined) return noTelemetry;
  const { createOtelTelemetry } = await import("./otel.ts");
  return createOtelTelemetry({ ...settings, ...options });
}
