// The settings with the secrets over them, and the head of agents.yaml → what is the PallasInstance's own.
import * as z from "zod";
import { type InstanceSpec, pallasInstance } from "../../crds/instance.ts";
import { ports } from "../../crds/names.ts";
import type { Draft } from "./field.ts";
import { leftOutOfSettings, leftOutOfTelemetry } from "./left-out.ts";
import type { MapReader, Placed } from "./map-reader.ts";
import type { Notes } from "./notes.ts";
import { importUrl } from "./plain-url.ts";
import type { Topology } from "./topology.ts";
import type { Variables } from "./variables.ts";

const shape = pallasInstance.spec.shape;

export function importInstance(
  name: string,
  topology: Topology | undefined,
  settings: MapReader,
  variables: Variables,
) {
  const { notes } = settings;
  const spec = {
    version: topology?.version?.value ?? "1.0.0",
    registryNamespace: importNamespace(name, topology, notes),
    externalUrl: importHost(topology?.host, notes),
    modelCapabilities: importCapabilities(settings.map("model_capabilities")),
    registry: importRegistryPort(topology?.registryPort?.value),
    telemetry: importTelemetry(settings.map("otel"), variables),
    logLevel: importLogLevel(settings.map("logger")),
  };
  settings.finish(leftOutOfSettings);
  return spec;
}

function importNamespace(name: string, topology: Topology | undefined, notes: Notes): string {
  if (topology?.namespace !== undefined) return topology.namespace.value;
  const made = `local.${name}`;
  const place = topology?.name?.place;
  const message = `spec.registryNamespace is needed, and nothing says it; "${made}" is written, set your own reverse domain`;
  if (place !== undefined) notes.note(place, message);
  return made;
}

function importHost(host: Placed<string> | undefined, notes: Notes): InstanceSpec["externalUrl"] {
  if (host === undefined) return undefined;
  if (/^(localhost|127\.0\.0\.1|0\.0\.0\.0)$/.test(host.value)) {
    notes.note(host.place, "host: left out: it is what `pallas up` says, and means nothing in a cluster");
    return undefined;
  }
  const externalUrl = { host: host.value };
  if (shape.externalUrl.safeParse(externalUrl).success) return externalUrl;
  notes.warn(host.place, "host: not carried over: expected a host name without scheme and port");
  return undefined;
}

const importRegistryPort = (port: number | undefined): InstanceSpec["registry"] =>
  port === undefined || port === ports.registry ? undefined : { service: { port } };

const positive = z.int().min(1).max(100_000_000);
const positiveWords = "a number from 1 to 100000000";

function importCapabilities(reader: MapReader): Draft<NonNullable<InstanceSpec["modelCapabilities"]>> {
  const capabilities = {
    vision: reader.flag("vision"),
    contextWindow: reader.read("context_window", positive, positiveWords)?.value,
    maxOutputTokens: reader.read("max_output_tokens", positive, positiveWords)?.value,
  };
  reader.finish();
  return capabilities;
}

function importTelemetry(reader: MapReader, variables: Variables): InstanceSpec["telemetry"] {
  const otlpEndpoint = reader.flag("enabled") === true ? importUrl(reader, "otlp_endpoint", variables) : undefined;
  reader.take("otlp_endpoint");
  reader.finish(leftOutOfTelemetry);
  return otlpEndpoint === undefined ? undefined : { otlpEndpoint: otlpEndpoint.replace(/\/v1\/traces\/?$/, "") };
}

function importLogLevel(reader: MapReader): InstanceSpec["logLevel"] {
  const level = z.preprocess((value) => String(value).toUpperCase(), shape.logLevel);
  const found = reader.read("level", level, "debug, info, warning or error");
  const others = reader.keys.join(", ");
  if (others !== "") reader.notes.note(reader.place, `logger: not carried over: ${others}; only level is a setting`);
  return found?.value;
}
