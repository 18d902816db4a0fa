// agents.yaml: what is deployed, under which names and ports. Whether those are sound is judged when they have become
// resources.
import * as z from "zod";
import { pallasInstance } from "../../crds/instance.ts";
import type { Field, Place } from "./field.ts";
import { MapReader, text, type Placed } from "./map-reader.ts";
import { toResourceName } from "./names.ts";
import type { Notes } from "./notes.ts";

const { shape } = pallasInstance.spec;

export type DeployedAgent = ReturnType<typeof readAgent>;
export type Topology = ReturnType<typeof readTopology>;

export function readTopology(file: Field, notes: Notes) {
  const top = new MapReader(file, "", notes);
  const agents = top.take("agents");
  if (agents !== undefined && agents.kind !== "map") {
    notes.problem(agents.place, "agents: expected a mapping of agents by name; correct it");
  }
  const topology = {
    name: top.text("name"),
    version: top.read("version", text.pipe(shape.version.unwrap())),
    host: top.text("host"),
    namespace: top.read("namespace", text.pipe(shape.registryNamespace)),
    registryPort: top.read("registry_port", z.int(), "a port"),
    agents: agents?.kind === "map" ? [...agents.entries].map(([key, field]) => readAgent(key, field, notes)) : [],
  };
  top.finish();
  checkPorts(topology.registryPort, topology.agents, notes);
  return topology;
}

function readAgent(key: string, field: Field, notes: Notes) {
  const reader = new MapReader(field, `agents.${key}`, notes.about(toResourceName(key)));
  const { place }: { place: Place } = field;
  const agent = {
    key,
    place,
    module: reader.text("module"),
    port: reader.read("port", z.int(), "a port"),
    title: reader.text("title"),
    description: reader.text("description"),
    dependsOn: reader.texts("depends_on"),
  };
  reader.finish();
  return agent;
}

/** Locally they would clash, and who is named first would get it. */
function checkPorts(registryPort: Placed<number> | undefined, agents: readonly DeployedAgent[], notes: Notes): void {
  const owners = new Map(registryPort === undefined ? [] : [[registryPort.value, "the registry"]]);
  for (const { key, port } of agents) {
    if (port === undefined) continue;
    const owner = owners.get(port.value);
    if (owner === undefined) owners.set(port.value, `agent "${key}"`);
    else notes.problem(port.place, `agents.${key}.port: ${port.value} is already the port of ${owner}; choose another`);
  }
}
