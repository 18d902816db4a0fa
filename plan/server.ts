// From a tool server without problems to how it is reached and, where it needs one, the one file that its bridge reads (DSC-6).
// Pure: the same resources give the same bytes.
import type { BridgeConfig, BridgeTarget, BridgeValue } from "../crds/bridge-config.ts";
import { defined } from "../crds/defined.ts";
import type { PallasInstance } from "../crds/instance.ts";
import { mounts, ports } from "../crds/names.ts";
import type { SecretKey } from "../crds/run-config.ts";
import { serverKinds, type PallasServer, type ServerKind, type ServerSpec } from "../crds/server.ts";
import { parseDurationMs } from "../crds/units.ts";
import type { ResolvedBridge, ResolvedServer } from "./resolved-server.ts";
import { hashRunConfig } from "./run-config.ts";
import { addressOf, isCalledDirectly, offeredTools, renderValues, toolTimeoutMs } from "./server-address.ts";
import {
  builtInBodyLimit,
  effectivePod,
  effectiveReadBytes,
  effectiveResources,
  serverResources,
  sharedDrainTimeoutMs,
} from "./settings.ts";

const sessionDefaults = { processes: "perSession", max: 16, idleTtl: "10m" } as const;
/** Of a bridge whose server has a container of its own: spec.resources is that one's. */
const besideContainer = { requests: { cpu: "25m", memory: "64Mi" }, limits: { memory: "256Mi" } } as const;

/** The name by which agents refer to it. */
export const serverNameOf = ({ metadata, spec }: PallasServer): string => spec.serverName ?? metadata.name;

function kindOf(spec: ServerSpec): ServerKind {
  const kind = serverKinds.find((each) => spec[each] !== undefined);
  if (kind === undefined) {
    throw new Error("expected a server that says what it is made of, found none: its schema asks");
  }
  return kind;
}

function renderPackage({ package: published, env }: Pick<ServerSpec, "package" | "env">): BridgeTarget | undefined {
  if (published === undefined) return undefined;
  const { kind, name, version, command, with: requirements = [], args = [] } = published;
  if (kind === "npm") {
    return { kind, package: { name, ...defined({ version, program: command }) }, args, env: renderValues(env) };
  }
  const pinned = version === undefined ? name : `${name}==${version}`;
  const beside = requirements.flatMap((requirement) => ["--with", requirement]);
  const program = command === undefined ? [pinned] : ["--from", pinned, command];
  return { kind: "command", command: ["uvx", ...beside, ...program, ...args], env: renderValues(env) };
}

function renderTarget(spec: ServerSpec): BridgeTarget {
  const { remote, local, env } = spec;
  if (remote !== undefined) {
    const { url, headers, forwardInboundAuth = false } = remote;
    return { kind: "remote", url, headers: renderValues(headers), forwardInboundAuth };
  }
  if (local !== undefined) {
    const { command, args = [], cwd } = local;
    return { kind: "command", command: [command, ...args], ...defined({ cwd }), env: renderValues(env) };
  }
  // What the server of a container is given is that container's, and in no file of the bridge.
  return renderPackage(spec) ?? { kind: "pipes", folder: mounts.serverPipes };
}

function resolveContainer(
  { container, env }: ServerSpec,
  resources: ResolvedBridge["resources"],
): Pick<ResolvedBridge, "container"> {
  if (container === undefined) return {};
  const { image, command, args = [] } = container;
  return { container: { image, command, args, env: renderValues(env), resources } };
}

function resolveBridge(server: PallasServer, instance: PallasInstance): ResolvedBridge {
  const { spec } = server;
  const own = effectiveResources(undefined, spec.resources, serverResources);
  const resources = spec.container === undefined ? own : effectiveResources(undefined, undefined, besideContainer);
  const { processes, max, idleTtl } = { ...sessionDefaults, ...spec.sessions };
  const { http, version, logLevel = "INFO" } = instance.spec;
  const config: BridgeConfig = {
    schema: 1,
    server: {
      name: serverNameOf(server),
      // By which its Service is called.
      ...defined({ resource: serverNameOf(server) === server.metadata.name ? undefined : server.metadata.name }),
      namespace: server.metadata.namespace,
      instance: instance.metadata.name,
      version,
    },
    target: renderTarget(spec),
    sessions: { processes, max, idleTtlMs: parseDurationMs(idleTtl) },
    tools: offeredTools(spec),
    timeoutMs: toolTimeoutMs(spec),
    ports: { http: ports.bridge, admin: ports.bridgeAdmin },
    http: {
      allowedHosts: http?.allowedHosts ?? [],
      allowedOrigins: http?.allowedOrigins ?? [],
      // What is written is for agents too, which may have more memory.
      bodyLimitBytes: effectiveReadBytes(undefined, String(http?.bodyLimit ?? builtInBodyLimit), resources),
    },
    // What goes through it takes as long as the agents' calls.
    drainTimeoutMs: sharedDrainTimeoutMs(instance),
    logLevel,
  };
  return {
    config,
    hash: hashRunConfig(config),
    ...resolveContainer(spec, own),
    resources,
    pod: effectivePod(spec.pod),
  };
}

/**
 * @param server one without problems
 * @param bridgeUrl where its bridge is reached by who calls it; unused where it is called directly
 */
export function resolveServer(server: PallasServer, instance: PallasInstance, bridgeUrl: string): ResolvedServer {
  const { spec } = server;
  return {
    server,
    instance,
    name: serverNameOf(server),
    kind: kindOf(spec),
    address: addressOf(spec, bridgeUrl),
    tools: offeredTools(spec),
    timeoutMs: toolTimeoutMs(spec),
    ...(isCalledDirectly(spec) ? {} : { bridge: resolveBridge(server, instance) }),
  };
}

/** The Secrets among variables or headers, each once. */
function secretsIn(values: readonly BridgeValue[]): SecretKey[] {
  const keys = values.flatMap((value) => ("secret" in value ? [value.secret] : []));
  return [...new Map(keys.map((key) => [`${key.name}/${key.key}`, key])).values()];
}

/** Keys of Secrets that the files of a bridge are made of; those of a server's own container are not among them. */
export const bridgeFiles = ({ target }: BridgeConfig): SecretKey[] =>
  target.kind === "pipes" ? [] : secretsIn(target.kind === "remote" ? target.headers : target.env);

/** Keys of all Secrets that a server and its bridge read. */
export const secretsOfServer = ({ bridge }: ResolvedServer): SecretKey[] =>
  bridge === undefined ? [] : [...bridgeFiles(bridge.config), ...secretsIn(bridge.container?.env ?? [])];
