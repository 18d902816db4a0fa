// A project that has been found → its resources: what its files say, in the order in which one thing needs another.
import { basename } from "node:path";
import { collectAgents } from "./agent-sources.ts";
import { importAgent, type ImportedAgent } from "./agent-spec.ts";
import { emptyMap, overlay, type Field, type Place } from "./field.ts";
import { importInstance } from "./instance.ts";
import { MapReader } from "./map-reader.ts";
import { toResourceName } from "./names.ts";
import type { Notes } from "./notes.ts";
import type { ImportedProgram } from "./programs.ts";
import type { ProjectFiles } from "./project-files.ts";
import { Providers } from "./providers.ts";
import { SecretKeys } from "./secret-keys.ts";
import { importServers } from "./servers.ts";
import { readTopology, type Topology } from "./topology.ts";
import { readVariables, type Variables } from "./variables.ts";
import { readYamlField } from "./yaml-field.ts";

export interface ImportedProject {
  instance: { name: string; spec: object; place: Place };
  agents: ImportedAgent[];
  /** Those that become PallasServers. */
  programs: ImportedProgram[];
  secrets: SecretKeys;
  variables: Variables;
  registryPort: number | undefined;
  /** Whether agents that name no model have one. */
  hasModel: boolean;
}

export interface ConvertOptions {
  model?: string | undefined;
  cards?: string | undefined;
  /** The folder that the manifests go to. */
  manifests: string;
}

/** Undefined when the project is faulty, which is then reported. */
export function convert(files: ProjectFiles, options: ConvertOptions, notes: Notes): ImportedProject | undefined {
  const variables = readVariables(files, notes);
  const settingsFile = readFirst(inHomeFirst(settingsNames), files, notes);
  const secretsFile = readFirst(inHomeFirst(secretsNames), files, notes, true);
  const topologyFile = readFirst(["agents.yaml"], files, notes);
  if (notes.problems > 0) return undefined;

  const topology = topologyFile && readTopology(topologyFile, notes);
  const merged = secretsFile === undefined ? settingsFile : overlay(settingsFile, secretsFile);
  const settings = new MapReader(merged ?? emptyMap({ file: files.folder }), "", notes.about("instance"));
  // The name of the project, or its folder's.
  const name = toResourceName(topology?.name?.value ?? basename(files.folder)) || "imported";
  const secrets = new SecretKeys(`${name}-keys`);
  const references = readReferences(settings.map("model_references"));
  const providers = new Providers(settings, { references, variables, secrets });
  const { manifests } = options;
  const servers = importServers(settings.map("mcp"), {
    ...{ instance: name, topology, variables, secrets },
    ...{ project: files.folder, manifests },
  });
  const defaultModel = importDefaultModel(settings, providers, options.model);
  const { version, registryNamespace, externalUrl, modelCapabilities, ...rest } = importInstance(
    name,
    topology,
    settings,
    variables,
  );
  const sources = collectAgents(topology, files, options.cards, notes);
  const around = { instance: name, sources, servers, providers, notes };
  const agents = sources.agents.map((source) => importAgent(source, around));
  if (agents.length === 0 && notes.problems === 0) notes.problem({ file: files.folder }, nothingFound);
  if (externalUrl?.host !== undefined) givePorts(agents, topology, notes);
  // In the order in which the documentation has the fields.
  const spec = {
    ...{ version, registryNamespace, externalUrl, defaultModel: defaultModel ?? "passthrough", modelCapabilities },
    providers: providers.all,
    servers: [...servers.values()].flatMap((server) => (server.kind === "server" ? [server.spec] : [])),
    ...rest,
  };
  return {
    instance: { name, spec, place: topology?.name?.place ?? settings.place },
    agents,
    programs: [...servers.values()].flatMap((server) => (server.kind === "program" ? [server] : [])),
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
    if (!read.isMissing) notes.problem({ file: read.file }, read.message);
  }
  return undefined;
}

/** `$namespace.key` → model. */
function readReferences(reader: MapReader): Map<string, string> {
  const references = new Map<string, string>();
  for (const namespace of reader.keys) {
    const group = reader.map(namespace);
    for (const key of group.keys) references.set(`${namespace}.${key}`, group.text(key)?.value ?? "");
  }
  return references;
}

/** provider.model-name */
function importDefaultModel(settings: MapReader, providers: Providers, wanted?: string): string | undefined {
  const { notes } = settings;
  const written = settings.text("default_model");
  const place = written?.place ?? settings.place;
  const value = wanted ?? written?.value;
  const model =
    value === undefined ? value : providers.resolve({ value, place, isSecret: false }, "default_model", notes);
  for (const key of model?.request.keys() ?? []) {
    notes.warn(place, `default_model ?${key}: not carried over: set spec.request of the agents`);
  }
  const message = "spec.defaultModel is passthrough, which only echoes, since no model is known; write your model";
  if (model === undefined) notes.warn(place, message);
  return model?.ref;
}

/** An address that is made with a port needs one for every agent. */
function givePorts(agents: readonly ImportedAgent[], topology: Topology | undefined, notes: Notes): void {
  let next = Math.max(topology?.registryPort?.value ?? 0, ...agents.map(({ spec }) => spec.port ?? 0)) + 1;
  for (const { source, spec } of agents) {
    if (spec.port !== undefined) continue;
    if (next > 65_535) {
      notes.problem(source.place, `agent "${source.key}" needs a port, and none is left; give it one in agents.yaml`);
      return;
    }
    spec.port = next;
    const message = `agent "${source.key}" gets port ${next}, since it is served by itself`;
    notes.about(source.name).note(source.place, message);
    next += 1;
  }
}
