// Which agents a project has: those that agents.yaml deploys, each with the definition that its module or card gives
// it, and those that are defined beside them. Two that would have one name are a fault.
import { posix } from "node:path";
import { cardFolders, readCards, readRootCards } from "./cards.ts";
import type { Definition } from "./definition.ts";
import type { Place } from "./field.ts";
import { agentNameFault, toResourceName } from "./names.ts";
import type { Notes } from "./notes.ts";
import type { ProjectFiles } from "./project-files.ts";
import { mentionsFastAgent, readDefinitions } from "./python/definitions.ts";
import { PythonModules } from "./python/modules.ts";
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
  definition?: Definition;
  /** Names that its definition can use, before those of the whole project. */
  group: ReadonlyMap<string, Definition>;
}

export interface AgentSources {
  agents: AgentSource[];
  /** What a name means to an agent: another agent, or why there is none. */
  lookUp(name: string, from: AgentSource): AgentSource | string;
}

const noWorkflows =
  "Pallas runs single agents; write an agent whose instruction says how to go on, and give it the others in spec.agents";

export function collectAgents(
  topology: Topology | undefined,
  files: ProjectFiles,
  cards: string | undefined,
  notes: Notes,
): AgentSources {
  const collection = new Collection(files, notes, cards);
  for (const agent of topology?.agents ?? []) collection.deploy(agent);
  if ((topology?.agents.length ?? 0) === 0) collection.scan();
  collection.addCards();
  collection.addRest();
  if (collection.agents.length === 0) collection.addRootCards();
  collection.checkNames();
  if (collection.agents.length > maxAgents) {
    notes.fault({ file: files.folder }, `has more than ${maxAgents} agents; import a part of the project`);
    return { agents: [], lookUp: () => "which is not looked for" };
  }
  return { agents: collection.agents, lookUp: (name, from) => collection.lookUp(name, from) };
}

class Collection {
  readonly agents: AgentSource[] = [];
  private readonly files: ProjectFiles;
  private readonly notes: Notes;
  private readonly modules: PythonModules;
  private readonly groups = new Map<string, Definition[]>();
  private readonly cards = new Map<string, Definition[]>();
  private readonly taken = new Set<Definition>();
  /** Agents of agents.yaml that could not be carried over. */
  private readonly gone = new Set<string>();

  constructor(files: ProjectFiles, notes: Notes, cards: string | undefined) {
    this.files = files;
    this.notes = notes;
    this.modules = new PythonModules(files, notes);
    for (const folder of new Set([...cardFolders, ...(cards === undefined ? [] : [cards])]))
      this.cards.set(folder, readCards(folder, files, notes));
  }

  deploy(deployed: DeployedAgent): void {
    const { key, place, module } = deployed;
    const notes = this.notes.about(toResourceName(key));
    const group = module === undefined ? [] : this.open(module.value, module.field.place, notes);
    const candidates = [...group, ...this.allCards.filter(({ name }) => sameName(name, key))];
    const definition = choose(candidates, key);
    if (definition !== undefined) this.taken.add(definition);
    if (definition !== undefined && definition.kind !== "agent") {
      this.gone.add(key);
      notes.warn(definition.place, `agent "${key}": not carried over: its kind is ${definition.kind}; ${noWorkflows}`);
      return;
    }
    if (definition === undefined) {
      const where =
        module === undefined ? "agents.yaml names no module, and no card is called so" : "its module has none";
      notes.warn(place, `agent "${key}" is written without a definition: ${where}; add its instruction and servers`);
    }
    const definitions = new Map(group.map((each) => [each.name, each]));
    this.agents.push({
      key,
      name: toResourceName(key),
      place,
      deployed,
      ...(definition === undefined ? {} : { definition }),
      group: definitions,
    });
  }

  /** Without agents.yaml, what lies in the project's folder and in `agents`. */
  scan(): void {
    for (const folder of [".", "agents"]) {
      for (const name of this.files.list(folder).filter((each) => each.endsWith(".py"))) {
        const path = posix.join(folder, name);
        const read = this.files.read(path);
        if (!read.ok) this.notes.warn({ file: read.file }, `not carried over: ${read.message}`);
        else if (mentionsFastAgent(read.text)) this.openPath(path);
      }
    }
  }

  addCards(): void {
    for (const definitions of this.cards.values()) this.groups.set(`cards ${this.groups.size}`, definitions);
  }

  /** Cards beside everything else, where nothing else has an agent: what `fast-agent go --card .` runs. */
  addRootCards(): void {
    this.groups.set("cards .", readRootCards(this.files, this.notes));
    this.addRest();
  }

  /** What is defined and not deployed by itself, as the sub-agents of a module. */
  addRest(): void {
    for (const [path, definitions] of this.groups) {
      const group = new Map(definitions.map((each) => [each.name, each]));
      for (const definition of definitions) {
        if (this.taken.has(definition) || this.agents.length > maxAgents) continue;
        this.taken.add(definition);
        const { kind, name: key, place } = definition;
        if (kind !== "agent") {
          this.notes.warn(place, `"${key}": not carried over: its kind is ${kind}; ${noWorkflows}`);
          continue;
        }
        const name = this.freeName(key, path);
        this.agents.push({ key, name, place, definition, group });
      }
    }
  }

  checkNames(): void {
    const owners = new Map<string, string>();
    for (const { key, name, place } of this.agents) {
      const owner = owners.get(name);
      const fault = owner === undefined ? agentNameFault(name) : `"${owner}" would be called "${name}" too`;
      owners.set(name, owner ?? key);
      if (fault !== undefined) this.notes.fault(place, `agent "${key}": ${fault}; choose another name`);
      else if (name !== key.replaceAll("_", "-")) {
        const why = name === toResourceName(key) ? "as names go in Kubernetes" : "since another one is called so";
        this.notes.about(name).warn(place, `agent "${key}" is called "${name}" now, ${why}; its clients see that name`);
      }
    }
  }

  lookUp(name: string, from: AgentSource): AgentSource | string {
    const definition = from.group.get(name);
    const near = definition && this.agents.find((agent) => agent.definition === definition);
    const found = near ?? this.agents.find(({ key }) => key === name);
    if (found !== undefined) return found;
    const isKnown = definition !== undefined || this.gone.has(name) || this.all.some((each) => each.name === name);
    return isKnown ? "which is not carried over either" : "which is nowhere in the project";
  }

  private get all(): Definition[] {
    return [...this.groups.values()].flat();
  }

  private get allCards(): Definition[] {
    return [...this.cards.values()].flat();
  }

  private open(module: string, place: Place, notes: Notes): Definition[] {
    const found = this.modules.find(module);
    if (typeof found !== "string") return this.openPath(found.path);
    notes.warn(place, `module "${module}": ${found}; add it, or write the agent by hand`);
    return [];
  }

  private openPath(path: string): Definition[] {
    const known = this.groups.get(path);
    if (known !== undefined) return known;
    const module = this.modules.open(path);
    if (typeof module === "string") return [];
    const { definitions, cardPaths } = readDefinitions(module, this.modules, this.notes);
    this.groups.set(path, definitions);
    for (const field of cardPaths) {
      const named = field.kind === "path" ? field.path : field.kind === "scalar" ? String(field.value) : undefined;
      if (named === undefined)
        this.notes.warn(field.place, "the cards that are loaded here are not imported: their path is made by code");
      else if (!this.cards.has(named)) this.cards.set(named, readCards(named, this.files, this.notes));
    }
    return definitions;
  }

  private freeName(key: string, path: string): string {
    const name = toResourceName(key);
    const isFree = (wanted: string): boolean => this.agents.every((agent) => agent.name !== wanted);
    const longer = toResourceName(`${posix.basename(path, ".py")}-${key}`);
    return isFree(name) || !path.endsWith(".py") ? name : longer;
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
