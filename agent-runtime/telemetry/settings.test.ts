import { describe, expect, test } from "vitest";
import { parseEnvironment } from "../environment.ts";
import { renderTestConfig } from "../testing/run-config.ts";
import { createTestLog } from "../testing/servers.ts";
import { readTelemetrySettings, startTelemetry } from "./settings.ts";
import { noTelemetry } from "./telemetry.ts";

const ofInstance = renderTestConfig({ telemetry: { otlpEndpoint: "http://instance:4318/" } });
const read = (env: Record<string, string>, config = ofInstance) => readTelemetrySettings(parseEnvironment(env), config);

describe("MET-6 telemetry", () => {
  test("is off without an endpoint, and loads nothing then", async () => {
    const config = renderTestConfig();
    expect(read({}, config)).toBeUndefined();
    expect(await startTelemetry(undefined, { config, log: createTestLog().log })).toBe(noTelemetry);
  });

  test("goes to the instance's endpoint, without content", () => {
    expect(read({})).toEqual({
      tracesUrl: "http://instance:4318/v1/traces",
      metricsUrl: "http://instance:4318/v1/metrics",
      captureContent: false,
    });
  });

  test("goes to that of the environment instead, and to a URL of its own per kind", () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://env:4318",
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://metrics/otlp",
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "True",
    };
    expect(read(env)).toEqual({
      tracesUrl: "http://env:4318/v1/traces",
      metricsUrl: "http://metrics/otlp",
      captureContent: true,
    });
  });

  test("is switched off by OTEL_SDK_DISABLED", () => expect(read({ OTEL_SDK_DISABLED: "true" })).toBeUndefined());

  test("with an endpoint that is no URL ends the start", () => {
    expect(() => read({ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" })).toThrow(/OTEL_EXPORTER_OTLP_ENDPOINT is/);
  });
});
