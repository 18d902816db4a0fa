// agents.yaml: what is deployed, under which names and ports.
import type { Field, Place } from "./field.ts";
import { MapReader, type Placed } from "./map-reader.ts";
import { toResourceName } from "./names.ts";
import type { Notes } from "./notes.ts";

export interface DeployedAgent {
  key: string;
  place: Place;
  module: Placed<string> | undefined;
  port: Placed<number> | undefined;
  title: Placed<string> | undefined;
  description: Placed<string> | undefined;
  dependsOn: Placed<string>[];
}

export interface Topology {
  name: Placed<string> | undefined;
  version: Placed<string> | undefined;
  host: Placed<string> | undefined;
  namespace: Placed<string> | undefined;
  registryPort: Placed<number> | undefined;
  agents: DeployedAgent[];
}

const topKeys = ["name", "version", "host", "namespace", "registry_port", "agents"];
const agentKeys = ["module", "port", "title", "description", "depends_on"];

export function readTopology(file: Field, notes: Notes): Topology {
  const top = new MapReader(file, "", notes);
  const agents = top.take("agents");
  const topology: Topology = {
    name: top.text("name"),
    version: top.text("version"),
    host: top.text("host"),
    namespace: top.text("namespace"),
    registryPort: port(top, "registry_port"),
    agents: [],
  };
  top.refuseRest(topKeys);
  if (agents !== undefined && agents.kind !== "map") {
    notes.fault(agents.place, "agents: expected a mapping of agents by name; correct it");
  } else if (agents?.kind === "map") {
    topology.agents = [...agents.entries].map(([key, field]) => readAgent(key, field, notes));
  }
  checkPorts(topology, notes);
  return topology;
}

function readAgent(key: string, field: Field, notes: Notes): DeployedAgent {
  const reader = new MapReader(field, `agents.${key}`, notes.about(toResourceName(key)));
  const agent = {
    key,
    place: field.place,
    module: reader.text("module"),
    port: port(reader, "port"),
    title: reader.text("title"),
    description: reader.text("description"),
    dependsOn: reader.texts("depends_on"),
  };
  reader.refuseRest(agentKeys);
  return agent;
}

function port(reader: MapReader, key: string): Placed<number> | undefined {
  const found = reader.integer(key);
  if (found === undefined || (found.value >= 1 && found.value <= 65_535)) return found;
  reader.notes.fault(found.field.place, `${reader.path(key)}: expected a port from 1 to 65535; correct it`);
  return undefined;
}

/** Locally they would clash, and who is named first would get it. */
function checkPorts({ registryPort, agents }: Topology, notes: Notes): void {
  const owners = new Map(registryPort === undefined ? [] : [[registryPort.value, "the registry"]]);
  for (const { key, port: wanted } of agents) {
    if (wanted === undefined) continue;
    const owner = owners.get(wanted.value);
    owners.set(wanted.value, owner ?? `agent "${key}"`);
    if (owner === undefined) continue;
    const message = `agents.${key}.port: ${wanted.value} is the port of ${owner} already; choose another`;
    notes.fault(wanted.field.place, message);
  }
}
