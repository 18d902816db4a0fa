// fastagent.config.yaml with its secrets over it, and the head of agents.yaml → the PallasInstance.
import { basename } from "node:path";
import { type InstanceSpec, pallasInstance } from "../../crds/instance.ts";
import { ports } from "../../crds/names.ts";
import type { MapReader, Placed } from "./map-reader.ts";
import { toResourceName } from "./names.ts";
import type { Notes } from "./notes.ts";
import { readPlainUrl } from "./plain-url.ts";
import type { ProjectFiles } from "./project-files.ts";
import type { Topology } from "./topology.ts";
import type { Variables } from "./variables.ts";

const shape = pallasInstance.spec.shape;

/** Settings that other parts read: models, servers and providers. */
const readElsewhere = ["default_model", "model_references", "mcp"];

const unneeded: Readonly<Record<string, string>> = {
  execution_engine: "agents are processes of their own",
  home: "there is no such folder",
  session_history: "histories are always kept; see spec.history",
  session_history_window: "histories are always kept; see spec.history",
  tui: "there is no terminal of an agent",
  environments: "agents run no commands",
  default_environment: "agents run no commands",
  git_aware: "agents have no files",
  harness_app: "the agents are the servers",
  llm_retries: "Pallas retries by itself",
  compaction: "spec.history says when conversations are condensed",
};
const unsupported: Readonly<Record<string, string>> = {
  skills: "agents have no skills; put what they need into the instruction",
  cards: "cards are imported from the project only",
  plugins: "agents run no code of their own; serve tools over MCP",
  commands: "there are no commands of a terminal",
  shell_execution: "agents run no commands; serve a shell over MCP",
  ptc: "agents run no code of their own",
};

/** The name of the instance: that of the project, or its folder's. */
export function instanceName(topology: Topology | undefined, files: ProjectFiles): string {
  return toResourceName(topology?.name?.value ?? basename(files.folder)) || "imported";
}

export function importInstance(
  name: string,
  topology: Topology | undefined,
  settings: MapReader,
  variables: Variables,
): InstanceSpec {
  const { notes } = settings;
  const version = valid("version", topology?.version, "version", notes);
  const capabilities = importCapabilities(settings.map("model_capabilities"));
  const spec: InstanceSpec = {
    version: version ?? "1.0.0",
    registryNamespace: importNamespace(name, topology, notes),
    ...importHost(topology?.host, notes),
    ...(capabilities === undefined ? {} : { modelCapabilities: capabilities }),
    ...importRegistryPort(topology?.registryPort?.value),
    ...importTelemetry(settings.map("otel"), variables),
    ...importLogLevel(settings.map("logger")),
  };
  settings.leaveOut(unneeded, "note");
  settings.leaveOut(unsupported, "warn");
  settings.refuseRest([...readElsewhere, "model_capabilities", "otel", "logger", ...Object.keys(unneeded)]);
  return spec;
}

/** A text that the field of the instance takes. */
function valid(
  field: "version" | "registryNamespace",
  found: Placed<string> | undefined,
  path: string,
  notes: Notes,
): string | undefined {
  if (found === undefined) return undefined;
  const result = shape[field].safeParse(found.value);
  if (result.success) return result.data;
  notes.warn(found.field.place, `${path}: not carried over: ${result.error.issues[0]?.message ?? "is not valid"}`);
  return undefined;
}

function importNamespace(name: string, topology: Topology | undefined, notes: Notes): string {
  const found = valid("registryNamespace", topology?.namespace, "namespace", notes);
  if (found !== undefined) return found;
  const made = `local.${name}`;
  const place = topology?.name?.field.place;
  const message = `spec.registryNamespace is needed, and nothing says it; "${made}" is written, set your own reverse domain`;
  if (place !== undefined) notes.note(place, message);
  return made;
}

function importHost(host: Placed<string> | undefined, notes: Notes): Pick<InstanceSpec, "externalUrl"> {
  if (host === undefined) return {};
  if (/^(localhost|127\.0\.0\.1|0\.0\.0\.0)$/.test(host.value)) {
    notes.note(host.field.place, "host: left out: it is what `pallas up` says, and means nothing in a cluster");
    return {};
  }
  const externalUrl = { host: host.value };
  const isHost = shape.externalUrl.safeParse(externalUrl).success;
  if (!isHost) notes.warn(host.field.place, "host: not carried over: expected a host name without scheme and port");
  return isHost ? { externalUrl } : {};
}

const importRegistryPort = (port: number | undefined): Pick<InstanceSpec, "registry"> =>
  port === undefined || port === ports.registry ? {} : { registry: { service: { port } } };

function importCapabilities(reader: MapReader): InstanceSpec["modelCapabilities"] {
  const vision = reader.flag("vision")?.value;
  const contextWindow = positive(reader, "context_window");
  const maxOutputTokens = positive(reader, "max_output_tokens");
  reader.refuseRest(["vision", "context_window", "max_output_tokens"]);
  if (vision === undefined && contextWindow === undefined && maxOutputTokens === undefined) return undefined;
  return {
    ...(vision === undefined ? {} : { vision }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

function positive(reader: MapReader, key: string): number | undefined {
  const found = reader.integer(key);
  if (found === undefined || (found.value >= 1 && found.value <= 100_000_000)) return found?.value;
  reader.notes.warn(found.field.place, `${reader.path(key)}: not carried over: expected a number from 1 to 100000000`);
  return undefined;
}

function importTelemetry(reader: MapReader, variables: Variables): Pick<InstanceSpec, "telemetry"> {
  const isEnabled = reader.flag("enabled")?.value ?? false;
  const endpoint = reader.text("otlp_endpoint");
  reader.leaveOut(
    { service_name: "it is the agent's name", console_debug: "spans are only sent", sample_rate: "all are sent" },
    "note",
  );
  reader.refuseRest(["enabled", "otlp_endpoint"]);
  if (!isEnabled || endpoint === undefined) return {};
  const read = readPlainUrl(endpoint.value, variables);
  if (read.ok) return { telemetry: { otlpEndpoint: read.text.replace(/\/v1\/traces\/?$/, "") } };
  reader.notes.warn(endpoint.field.place, `otel.otlp_endpoint: not carried over: ${read.message}`);
  return {};
}

function importLogLevel(reader: MapReader): Pick<InstanceSpec, "logLevel"> {
  const level = reader.text("level");
  const others = reader.keys.join(", ");
  if (others !== "")
    reader.notes.note(reader.field.place, `logger: not carried over: ${others}; only level is a setting`);
  if (level === undefined) return {};
  const result = shape.logLevel.safeParse(level.value.toUpperCase());
  if (result.success && result.data !== undefined) return { logLevel: result.data };
  reader.notes.warn(level.field.place, "logger.level: not carried over: expected debug, info, warning or error");
  return {};
}
