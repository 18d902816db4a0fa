// A project that has been found → its resources: what its files say, in the order in which one thing needs another.
import type { InstanceSpec } from "../../crds/instance.ts";
import { collectAgents } from "./agent-sources.ts";
import { importAgent, type ImportedAgent } from "./agent-spec.ts";
import { type Field, overlay, type Place } from "./field.ts";
import { importInstance, instanceName } from "./instance.ts";
import { MapReader, type Placed } from "./map-reader.ts";
import type { NamedModel } from "./model-name.ts";
import type { Notes } from "./notes.ts";
import type { ProjectFiles } from "./project-files.ts";
import { Providers, providerSections } from "./providers.ts";
import { SecretKeys } from "./secret-keys.ts";
import { importServers } from "./servers.ts";
import { readTopology, type Topology } from "./topology.ts";
import { readVariables, type Variables } from "./variables.ts";
import { readYamlField } from "./yaml-field.ts";

export interface ImportedProject {
  instance: { name: string; spec: InstanceSpec; place: Place };
  agents: ImportedAgent[];
  secrets: SecretKeys;
  variables: Variables;
  registryPort: number | undefined;
  /** Whether agents that name no model have one. */
  hasModel: boolean;
}

export interface ConvertOptions {
  model?: string | undefined;
  cards?: string | undefined;
}

/** Undefined when the project is faulty, which is then told. */
export function convert(
  files: ProjectFiles,
  { model, cards }: ConvertOptions,
  notes: Notes,
): ImportedProject | undefined {
  const variables = readVariables(files, notes);
  const settingsFile = readFirst(inHomeFirst(settingsNames), files, notes);
  const secretsFile = readFirst(inHomeFirst(secretsNames), files, notes, true);
  const topologyFile = readFirst(["agents.yaml"], files, notes);
  if (notes.hasFaults) return undefined;

  const topology = topologyFile && readTopology(topologyFile, notes);
  const settings = new MapReader(mergeSettings(settingsFile, secretsFile, files), "", notes.about("instance"));
  const name = instanceName(topology, files);
  const secrets = new SecretKeys(`${name}-keys`);
  const around = { variables, secrets, notes: settings.notes };
  const references = readReferences(settings.map("model_references"));
  const providers = new Providers(providerSections(settings), references, around);
  const servers = importServers(settings.map("mcp"), { ...around, topology });
  const defaultModel = importDefaultModel(settings, providers, model);
  const spec = importInstance(name, topology, settings, variables);

  const sources = collectAgents(topology, files, cards, notes);
  const agents = sources.agents.map((source) =>
    importAgent(source, { instance: name, sources, servers, providers, notes }),
  );
  if (agents.length === 0 && !notes.hasFaults) notes.fault({ file: files.folder }, nothingFound);
  if (spec.externalUrl?.host !== undefined) givePorts(agents, topology, notes);
  return {
    instance: {
      name,
      spec: orderSpec(spec, defaultModel, providers, servers.specs),
      place: topology?.name?.field.place ?? settings.field.place,
    },
    agents,
    secrets,
    variables,
    registryPort: topology?.registryPort?.value,
    hasModel: defaultModel !== undefined,
  };
}

const nothingFound =
  "no agent was found: expected agents.yaml, Python with @fast.agent, or cards in agent-cards; name the folder of the project, or that of its cards with --cards";

const settingsNames = ["fast-agent.yaml", "fast-agent.config.yaml", "fastagent.config.yaml"];
const secretsNames = ["fast-agent.secrets.yaml", "fastagent.secrets.yaml"];
/** As fast-agent looks for them: in its home, and where there is none in the project's folder. */
const inHomeFirst = (names: readonly string[]): string[] => [...names.map((name) => `.fast-agent/${name}`), ...names];

/** The first of these files that is there. */
function readFirst(names: readonly string[], files: ProjectFiles, notes: Notes, isSecret = false): Field | undefined {
  for (const name of names) {
    const read = files.read(name);
    if (read.ok) return readYamlField(read.file, read.text, notes, { isSecret });
    if (!read.isMissing) notes.fault({ file: read.file }, read.message);
  }
  return undefined;
}

function mergeSettings(settings: Field | undefined, secrets: Field | undefined, files: ProjectFiles): Field {
  const none: Field = { kind: "map", entries: new Map(), place: { file: files.folder } };
  if (secrets === undefined) return settings ?? none;
  return overlay(settings ?? { ...none, place: secrets.place }, secrets);
}

/** `$namespace.key` → model. */
function readReferences(reader: MapReader): Map<string, string> {
  const references = new Map<string, string>();
  for (const namespace of reader.keys) {
    const group = reader.map(namespace);
    for (const key of group.keys) {
      const model = group.text(key);
      if (model !== undefined) references.set(`${namespace}.${key}`, model.value);
    }
  }
  return references;
}

function importDefaultModel(settings: MapReader, providers: Providers, wanted?: string): NamedModel | undefined {
  const written: Placed<string> | undefined = settings.text("default_model");
  const found = wanted === undefined ? written : { value: wanted, field: written?.field ?? settings.field };
  const model = found && providers.resolve(found, "default_model", settings.notes);
  if (found === undefined || model === undefined) {
    const message = "spec.defaultModel is passthrough, which only echoes, since no model is known; write your model";
    settings.notes.warn(found?.field.place ?? settings.field.place, message);
    return undefined;
  }
  for (const key of model.request.keys()) {
    settings.notes.warn(found.field.place, `default_model ?${key}: not carried over: set spec.request of the agents`);
  }
  return model;
}

/** An address that is made with a port needs one for every agent. */
function givePorts(agents: readonly ImportedAgent[], topology: Topology | undefined, notes: Notes): void {
  const used = new Set([topology?.registryPort?.value, ...agents.map(({ spec }) => spec.port)]);
  let next = Math.max(0, ...[...used].map((port) => port ?? 0)) + 1;
  for (const { source, spec } of agents) {
    if (spec.port !== undefined) continue;
    if (next > 65_535) {
      notes.fault(source.place, `agent "${source.key}" needs a port, and none is left; give it one in agents.yaml`);
      return;
    }
    spec.port = next;
    notes
      .about(source.name)
      .note(source.place, `agent "${source.key}" gets port ${next}, since it is served by itself`);
    next += 1;
  }
}

/** In the order in which the documentation has the fields. */
function orderSpec(
  { version, registryNamespace, externalUrl, modelCapabilities, ...rest }: InstanceSpec,
  defaultModel: NamedModel | undefined,
  providers: Providers,
  servers: NonNullable<InstanceSpec["servers"]>,
): InstanceSpec {
  return {
    version,
    registryNamespace,
    ...(externalUrl === undefined ? {} : { externalUrl }),
    defaultModel: defaultModel?.ref ?? "passthrough",
    ...(modelCapabilities === undefined ? {} : { modelCapabilities }),
    ...(providers.all.length === 0 ? {} : { providers: providers.all }),
    ...(servers.length === 0 ? {} : { servers }),
    ...rest,
  };
}
