// Which agents a project has: those that agents.yaml deploys, each with the definition that its module or card gives
// it, and those that are defined beside them. Two that would have one name are a problem.
import { posix } from "node:path";
import { cardFolders, readCards, readRootCards } from "./cards.ts";
import type { Definition } from "./definition.ts";
import type { Place } from "./field.ts";
import type { Placed } from "./map-reader.ts";
import { agentNameProblem, toResourceName } from "./names.ts";
import type { Notes } from "./notes.ts";
import type { ProjectFiles } from "./project-files.ts";
import { findModule, mentionsFastAgent, readDefinitions } from "./python/definitions.ts";
import type { DeployedAgent, Topology } from "./topology.ts";

/** As many as one instance is made for. */
const maxAgents = 2_000;

export interface AgentSource {
  /** Its name in the project. */
  key: string;
  /** Its name as a resource. */
  name: string;
  place: Place;
  deployed?: DeployedAgent;
  definition: Definition | undefined;
}

export interface AgentSources {
  agents: readonly AgentSource[];
  /** What a name means to an agent: another agent, or why there is none. */
  lookUp(name: string, from: AgentSource): AgentSource | string;
}

export function collectAgents(
  topology: Topology | undefined,
  files: ProjectFiles,
  cards: string | undefined,
  notes: Notes,
): AgentSources {
  const collection = new Collection(files, notes);
  for (const folder of [...cardFolders, cards]) if (folder !== undefined) collection.readCards(folder);
  for (const agent of topology?.agents ?? []) collection.deploy(agent);
  if ((topology?.agents.length ?? 0) === 0) collection.scan();
  collection.addRest();
  if (collection.agents.length === 0) {
    collection.cards.push(...readRootCards(files, notes));
    collection.addRest();
  }
  collection.checkNames();
  if (collection.agents.length <= maxAgents) return collection;
  notes.problem({ file: files.folder }, `has more than ${maxAgents} agents; import a part of the project`);
  return { agents: [], lookUp: () => "which is not looked for" };
}

class Collection implements AgentSources {
  readonly agents: AgentSource[] = [];
  readonly cards: Definition[] = [];
  readonly #inPython: Definition[] = [];
  readonly #files: ProjectFiles;
  readonly #notes: Notes;
  /** Modules and folders of cards. */
  readonly #read = new Set<string>();
  readonly #taken = new Set<Definition>();
  /** Names of what could not be carried over. */
  readonly #gone = new Set<string>();

  constructor(files: ProjectFiles, notes: Notes) {
    this.#files = files;
    this.#notes = notes;
  }

  readCards(folder: string): void {
    if (!this.#read.has(folder)) this.cards.push(...readCards(folder, this.#files, this.#notes));
    this.#read.add(folder);
  }

  deploy(deployed: DeployedAgent): void {
    const { key, place, module } = deployed;
    const notes = this.#notes.about(toResourceName(key));
    const inModule = module === undefined ? [] : this.#openModule(module, notes);
    const definition = choose([...inModule, ...this.cards.filter(({ name }) => sameName(name, key))], key);
    if (definition === undefined) {
      const where =
        module === undefined ? "agents.yaml names no module, and no card is called so" : "its module has none";
      const message = `agent "${key}" is written without a definition: ${where}; add its instruction and servers`;
      notes.warn(place, message);
    } else {
      this.#taken.add(definition);
    }
    this.#add({ key, name: toResourceName(key), place, deployed, definition }, notes);
  }

  /** Without agents.yaml, what lies in the project's folder and in `agents`. */
  scan(): void {
    for (const folder of [".", "agents"]) {
      for (const name of this.#files.list(folder).filter((each) => each.endsWith(".py"))) {
        const path = posix.join(folder, name);
        const read = this.#files.read(path);
        if (!read.ok) this.#notes.warn({ file: read.file }, `not carried over: ${read.message}`);
        else if (mentionsFastAgent(read.text)) this.#openPath(path);
      }
    }
  }

  /** What is defined and not deployed by itself, as the sub-agents of a module. */
  addRest(): void {
    for (const definition of [...this.#inPython, ...this.cards]) {
      if (this.#taken.has(definition) || this.agents.length > maxAgents) continue;
      this.#taken.add(definition);
      const { name: key, place } = definition;
      this.#add({ key, name: this.#freeName(definition), place, definition }, this.#notes);
    }
  }

  checkNames(): void {
    const owners = new Map<string, string>();
    for (const { key, name, place } of this.agents) {
      const owner = owners.get(name);
      const problem = owner === undefined ? agentNameProblem(name) : `"${owner}" would be called "${name}" too`;
      owners.set(name, owner ?? key);
      if (problem !== undefined) {
        this.#notes.problem(place, `agent "${key}": ${problem}; choose another name`);
      } else if (name !== key.replaceAll("_", "-")) {
        const why = name === toResourceName(key) ? "as names go in Kubernetes" : "since another one is called so";
        const message = `agent "${key}" is called "${name}" now, ${why}; its clients see that name`;
        this.#notes.about(name).warn(place, message);
      }
    }
  }

  lookUp = (name: string, { definition: from }: AgentSource): AgentSource | string => {
    const near = this.agents.find(({ definition }) => definition?.name === name && definition.source === from?.source);
    const found = near ?? this.agents.find(({ key }) => key === name);
    const isKnown = this.#gone.has(name) || this.#inPython.some((each) => each.name === name);
    return found ?? (isKnown ? "which is not carried over either" : "which is nowhere in the project");
  };

  #add(source: AgentSource, notes: Notes): void {
    const { key, definition } = source;
    if (definition === undefined || definition.kind === "agent") {
      this.agents.push(source);
      return;
    }
    this.#gone.add(key).add(definition.name);
    const cure = "write an agent whose instruction says how to go on, and give it the others in spec.agents";
    const message = `agent "${key}": not carried over: its kind is ${definition.kind}; Pallas runs single agents; ${cure}`;
    notes.warn(definition.place, message);
  }

  #openModule({ value, place }: Placed<string>, notes: Notes): Definition[] {
    const found = findModule(value, this.#files);
    if (typeof found !== "string") return this.#openPath(found.path);
    notes.warn(place, `module "${value}": ${found}; add it, or write the agent by hand`);
    return [];
  }

  #openPath(path: string): Definition[] {
    if (!this.#read.has(path)) {
      this.#read.add(path);
      const { definitions, cardPaths } = readDefinitions(path, this.#files, this.#notes);
      this.#inPython.push(...definitions);
      for (const field of cardPaths) {
        if (field.kind === "path") {
          this.readCards(field.path);
        } else if (field.kind === "scalar") {
          this.readCards(String(field.value));
        } else {
          this.#notes.warn(field.place, "the cards that are loaded here are not imported: their path is made by code");
        }
      }
    }
    return this.#inPython.filter(({ source }) => source === path);
  }

  #freeName({ name, source }: Definition): string {
    const short = toResourceName(name);
    const isFree = this.agents.every((agent) => agent.name !== short);
    return isFree || !source.endsWith(".py") ? short : toResourceName(`${posix.basename(source, ".py")}-${name}`);
  }
}

const sameName = (a: string, b: string): boolean => toResourceName(a) === toResourceName(b);

/** The agent that a module serves: the one of this name, else the default one, else the first. */
const choose = (definitions: readonly Definition[], key: string): Definition | undefined =>
  definitions.find(({ name }) => sameName(name, key)) ??
  definitions.find(({ fields }) => {
    const isDefault = fields.get("default");
    return isDefault?.kind === "scalar" && isDefault.value === true;
  }) ??
  definitions[0];
