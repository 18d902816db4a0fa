// From `-f` to what should run: find, read, fill in the environment, judge, render. The same at the start and after
// every edit; nothing is started here.
import { suggestion } from "../../crds/did-you-mean.ts";
import type { TokenSigner } from "../../crds/run-config.ts";
import { resolveServer } from "../../plan/server.ts";
import type { Diagnostic } from "../manifests/diagnostic.ts";
import { readLocalEnvironment, type LocalEnvironment } from "../manifests/environment.ts";
import { findManifestFiles, UsageError } from "../manifests/find-files.ts";
import { judge, type Judged } from "../manifests/judge.ts";
import type { Environment, LocalObject } from "../manifests/local-objects.ts";
import { readManifests, sourceOf, type Manifests } from "../manifests/read-manifests.ts";
import { onlyNamed, renderDesired, type Desired } from "./desired.ts";
import { urlHost } from "./addresses.ts";
import { serverKey } from "./process-keys.ts";
import { readPorts } from "./remembered-ports.ts";
import { chooseServerPorts } from "./server-ports.ts";
import { stateFolderPath } from "./state-folder.ts";
import { judgeProgram, readAllowed, type Allowed } from "./trust.ts";

export interface LoadOptions {
  paths: readonly [string, ...string[]];
  /** Names of agents; empty: all. */
  only: readonly string[];
  registryPort: number;
  /** The address on which everything listens. */
  host: string;
  /** Variables of this process. */
  env: Environment;
  /** Of the tokens of the run's gateways, where some are started. */
  signer?: TokenSigner;
  /** Whether the user allows what the manifests run. */
  trusts: boolean;
  /** Whether nobody listens on a port of this machine. */
  isFree(port: number): Promise<boolean>;
}

export interface Loaded {
  folders: readonly [string, ...string[]];
  /** Folders in them for this machine only. */
  localFolders: readonly string[];
  environment: Omit<LocalEnvironment, "diagnostics">;
  objects: readonly LocalObject[];
  diagnostics: Diagnostic[];
  desired: Desired;
  /** What is started of this machine's, whether or not it may be, and by `--only`. */
  programs: Allowed;
}

/** @throws UsageError when a path is not there, or `--only` names no agent */
export async function loadManifests(options: LoadOptions, previous: Loaded | undefined): Promise<Loaded> {
  const found = await findManifestFiles(options.paths);
  const { diagnostics, ...environment } = await readLocalEnvironment(found.folders, options.env);
  const manifests = await readManifests(found);
  const judged = judge(manifests, { mode: "local" }, environment.variables);
  const { registryPort } = options;
  const stateFolder = stateFolderPath(found.folders, options.env);
  const remembered = await readPorts(stateFolder, registryPort);
  const allowed = await readAllowed(stateFolder);
  const all = renderDesired(manifests, judged, {
    registryPort,
    urlHost: urlHost(options.host),
    environment: environment.variables,
    signer: options.signer,
    previous: previous?.desired,
    portsBefore: previous?.desired.ports ?? remembered.ports,
    serverPorts: await chooseServerPorts({
      ...findServerWishes(judged, previous?.desired),
      registryPort,
      remembered: remembered.servers,
      isFree: options.isFree,
    }),
    judgeProgram: (key, digest) => (options.trusts ? "allowed" : judgeProgram(allowed, key, digest)),
  });
  const unknown = options.only.find(
    (name) => ![...all.listed.keys()].some((key) => key === name || key.endsWith(`/${name}`)),
  );
  if (unknown !== undefined && previous === undefined) throw unknownAgent(unknown, all);
  const desired = onlyNamed(all, options.only);
  return {
    folders: found.folders,
    localFolders: found.localFolders,
    environment,
    objects: [...manifests.objects, ...keptObjects(manifests, judged.diagnostics, previous)],
    diagnostics: [...judged.diagnostics, ...diagnostics, ...portDiagnostics(manifests, desired)],
    desired,
    programs: new Map(
      [...all.servers.values()].flatMap(({ key, program }) => (program === undefined ? [] : [[key, program]])),
    ),
  };
}

/** Servers that need a port, and the ports that are others'. */
function findServerWishes({ checked }: Judged, previous: Desired | undefined) {
  const agents = checked.accepted.flatMap(({ agent }) => agent.spec.port ?? []);
  const gateways = checked.instances.flatMap(({ spec }) => spec.gateway?.service?.port ?? []);
  const held = previous?.serverPorts ?? new Map<string, number>();
  const withBridge = checked.servers.filter(({ server, instance }) => resolveServer(server, instance, "").bridge);
  // One whose edit is faulty may run on.
  const keys = new Set([
    ...withBridge.map(({ server }) => serverKey(server)),
    ...(previous?.runnableServers.keys() ?? []),
  ]);
  return { keys, held, named: new Set([...agents, ...gateways, ...(previous?.ports.values() ?? [])]) };
}

/** A file with a problem takes no Secret away from those who read it. */
function keptObjects(
  { objects }: Manifests,
  diagnostics: readonly Diagnostic[],
  previous: Loaded | undefined,
): LocalObject[] {
  const invalid = new Set(diagnostics.filter(({ severity }) => severity === "error").map(({ file }) => file));
  const idOf = ({ kind, namespace, name }: LocalObject) => `${kind} ${namespace}/${name}`;
  const there = new Set(objects.map(idOf));
  return (previous?.objects ?? []).filter((object) => invalid.has(object.file) && !there.has(idOf(object)));
}

function unknownAgent(name: string, { listed }: Desired): UsageError {
  const names = [...listed.values()].map(({ agent }) => agent.metadata.name);
  return new UsageError(
    `--only ${name}: no agent has this name${suggestion(name, names)}; there is ${names.join(", ") || "none"}`,
  );
}

const portDiagnostics = (manifests: Manifests, { refusedPorts, listed }: Desired): Diagnostic[] =>
  refusedPorts.flatMap(({ key, message }) => {
    const agent = listed.get(key)?.agent;
    const source = agent && sourceOf(manifests, agent);
    if (source === undefined) return [];
    const position = source.document.locate("spec.port");
    const excerpt = source.lines[position.line - 1] ?? "";
    return [{ severity: "error", file: source.file, position, excerpt, message: `PallasAgent ${key}: ${message}` }];
  });
