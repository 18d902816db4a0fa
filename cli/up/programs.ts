// How registry, gateways and agents are started here: program, variables, ports. Beside dist/pallas.js lie the others.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { PallasInstance } from "../../crds/instance.ts";
import { tokenNames } from "../../crds/names.ts";
import { fillVariablePrefix } from "../../crds/references.ts";
import type { LocalEnvironment } from "../manifests/environment.ts";
import { placeholdersIn, type Environment } from "../manifests/local-objects.ts";
import { externalHost } from "../../plan/urls.ts";
import { isEveryAddress, isLoopback, reachableHost } from "./addresses.ts";
import { findFreePort, startChild, tryPort, type RunningChild } from "./child-process.ts";
import { reasonOf } from "../manifests/find-files.ts";
import type { RunnableAgent } from "./desired.ts";
import type { DesiredGateway } from "./desired-gateways.ts";
import { registryKey } from "./process-keys.ts";
import type { ProcessPlan } from "./runner.ts";
import type { StateFolder } from "./state-folder.ts";

/** A process that does not end by itself is killed after this; calls that it works on have their drainTimeout before it. */
export const closeMs = 15_000;

export interface ProgramContext {
  host: string;
  registryPort: number;
  folder: StateFolder;
  /** Read anew at each start: `.env` may have changed. */
  environment(): Pick<LocalEnvironment, "variables" | "forProcesses">;
  /** File of the token that callers from other machines need; undefined where none is asked for. */
  tokenFile?: string | undefined;
  /** Ports that are promised to an agent, a tool server, a gateway or the registry. */
  takenPorts(): ReadonlySet<number>;
  /** Where a process's lines go. */
  output(key: string): { onLine(line: string): void; onWarning(text: string): void };
}

/** @throws Error when the program was not built */
export function programPath(name: string): string {
  const path = fileURLToPath(new URL(`./${name}.js`, import.meta.url));
  if (!existsSync(path)) throw new Error(`the program ${path} does not exist; run "make build"`);
  return path;
}

/** Probes, health and metrics are asked by our own programs alone. */
export const adminHost = "127.0.0.1";

/** A Host that clients use: known by itself to every program where it is loopback. */
const ownHosts = (host: string): string[] => (isLoopback(host) || isEveryAddress(host) ? [] : [host]);

const logLevels = ["TRACE", "DEBUG", "INFO", "WARNING", "ERROR"];

/** The Host names that the registry takes beside those of loopback. */
export const listedHosts = (instances: readonly PallasInstance[], host: string): string[] => [
  ...new Set([
    ...instances.flatMap((instance) => externalHost(instance) ?? []),
    ...instances.flatMap(({ spec }) => spec.http?.allowedHosts ?? []),
    ...ownHosts(host),
  ]),
];

/** Variables of the registry that come from the manifests: it must be started anew when they change. */
export function renderRegistrySettings(instances: readonly PallasInstance[], host: string): Record<string, string> {
  const specs = instances.map(({ spec }) => spec);
  const http = specs.map((spec) => spec.http);
  const hosts = listedHosts(instances, host);
  return {
    PALLAS_ALLOWED_HOSTS: hosts.join(","),
    PALLAS_ALLOWED_ORIGINS: [...new Set(http.flatMap((entry) => entry?.allowedOrigins ?? []))].join(","),
    // Of several instances the one that wants to know most.
    PALLAS_LOG_LEVEL: logLevels.find((level) => specs.some(({ logLevel = "INFO" }) => logLevel === level)) ?? "INFO",
  };
}

/** @param settings as rendered by renderRegistrySettings */
export function planRegistry(context: ProgramContext, settings: Readonly<Record<string, string>>): ProcessPlan {
  const adminUrl = `http://${reachableHost(context.host)}:${context.registryPort}`;
  return {
    key: registryKey,
    dependencies: () => [],
    stopGraceMs: closeMs,
    launch: async () => {
      await requirePort(context.registryPort, context.host, "choose another --port");
      return startChild({
        program: programPath("registry"),
        adminUrl,
        env: {
          ...settings,
          ...context.environment().forProcesses,
          PALLAS_LOCAL_STATE: context.folder.localState,
          PALLAS_PORT: String(context.registryPort),
          PALLAS_HOST: context.host,
          PALLAS_DRAIN_DELAY_MS: "0",
        },
        ...context.output(registryKey),
      });
    },
  };
}

export const planGateway = (gateway: DesiredGateway, context: ProgramContext): ProcessPlan => ({
  key: gateway.key,
  dependencies: () => [],
  stopGraceMs: gateway.config.drainTimeoutMs + closeMs,
  launch: () => launchGateway(gateway, context),
});

async function launchGateway({ key, instance, port, config }: DesiredGateway, context: ProgramContext) {
  const { folder, host } = context;
  await requirePort(port, host, "change its spec.gateway.service.port");
  const adminPort = await findFreePort(adminHost, context.takenPorts());
  const ports = { http: port, admin: adminPort };
  await folder.replace(folder.runConfig(key), JSON.stringify({ ...config, ports }));
  return startChild({
    program: programPath("gateway"),
    adminUrl: `http://${adminHost}:${adminPort}`,
    env: {
      ...context.environment().forProcesses,
      PALLAS_GATEWAY_CONFIG: folder.runConfig(key),
      PALLAS_SECRETS_DIR: folder.secrets(instance.metadata.namespace),
      PALLAS_LOCAL_STATE: folder.localState,
      PALLAS_AGENTS_TOKEN: folder.token(key, tokenNames.agents),
      PALLAS_SESSIONS_FILE: folder.sessions(key),
      PALLAS_REGISTRATIONS_FILE: folder.registrations(key),
      PALLAS_APPROVALS_FILE: folder.approvals(key),
      PALLAS_ADMIN_HOST: adminHost,
      PALLAS_HOST: host,
      // The address is a Host that clients use, as a pod's is in a cluster.
      ...(ownHosts(host).length === 0 ? {} : { PALLAS_POD_IP: host }),
      PALLAS_DRAIN_DELAY_MS: "0",
    },
    ...context.output(key),
  });
}

export const agentStopGraceMs = ({ drainTimeoutMs }: RunnableAgent): number => drainTimeoutMs + closeMs;

export const planAgent = (agent: RunnableAgent, context: ProgramContext): ProcessPlan => ({
  key: agent.key,
  dependencies: () => agent.dependencies,
  stopGraceMs: agentStopGraceMs(agent),
  launch: () => launchAgent(agent, context),
});

async function launchAgent(agent: RunnableAgent, context: ProgramContext): Promise<RunningChild> {
  const { folder, host } = context;
  const { namespace } = agent.agent.metadata;
  const cure = agent.agent.spec.port === undefined ? "give it a spec.port" : "change its spec.port";
  await requirePort(agent.port, host, cure);
  await folder.replace(folder.runConfig(agent.key), agent.runConfig);
  // Let go again before the agent takes it: when somebody is faster, the next start picks another.
  const adminPort = await findFreePort(adminHost, context.takenPorts());
  return startChild({
    program: programPath("agent-runtime"),
    adminUrl: `http://${adminHost}:${adminPort}`,
    env: {
      ...context.environment().forProcesses,
      ...renderFilled(agent.runConfig, context.environment().variables),
      PALLAS_RUN_CONFIG: folder.runConfig(agent.key),
      PALLAS_LIVE_CONFIG: folder.liveConfig(agent.key),
      PALLAS_TEXTS_DIR: folder.texts(namespace),
      PALLAS_SECRETS_DIR: folder.secrets(namespace),
      PALLAS_HISTORIES_DIR: folder.histories(agent.key),
      PALLAS_GATEWAY_TOKEN: folder.token(agent.key, tokenNames.gateway),
      PALLAS_PORT: String(agent.port),
      PALLAS_ADMIN_PORT: String(adminPort),
      PALLAS_ADMIN_HOST: adminHost,
      PALLAS_HOST: host,
      ...renderTokenFile(agent, context),
      // The address is a Host that clients use, as a pod's is in a cluster.
      ...(ownHosts(host).length === 0 ? {} : { PALLAS_POD_IP: host }),
      PALLAS_EXPAND_ENV: "1",
      PALLAS_DRAIN_DELAY_MS: "0",
    },
    ...context.output(agent.key),
  });
}

/** An instance with an issuer of its own asks for its tokens. */
const renderTokenFile = ({ instance }: RunnableAgent, { tokenFile }: ProgramContext): Record<string, string> =>
  tokenFile === undefined || instance.spec.auth?.jwt !== undefined ? {} : { PALLAS_CALLER_TOKEN_FILE: tokenFile };

/** What the placeholders of a run configuration stand for, under names that mean nothing to anybody else (SEC-8). */
const renderFilled = (runConfig: string, variables: Environment): Record<string, string | undefined> =>
  Object.fromEntries(placeholdersIn(runConfig).map((name) => [`${fillVariablePrefix}${name}`, variables[name]]));

/** @throws Error that names the port and the cure when it cannot be had */
export async function requirePort(port: number, host: string, cure: string): Promise<void> {
  try {
    await tryPort(port, host);
  } catch (error) {
    const reasons: Readonly<Record<string, string>> = {
      EADDRINUSE: `port ${port} is in use by another program; stop that program, or ${cure}`,
      EACCES: `port ${port} may not be opened by this user; ${cure} to one above 1023`,
      EADDRNOTAVAIL: `${host} is not an address of this machine; choose another --host`,
      ENOTFOUND: `${host} is not an address of this machine; choose another --host`,
    };
    throw new Error(reasons[reasonOf(error)] ?? `port ${port} on ${host} cannot be opened: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}
