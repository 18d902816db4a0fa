// `pallas agent`: one agent as a process in the foreground, from the same manifests, without registry and without the
// agents and tool servers it uses. It is not started again: who wants that runs `pallas up`.
import { join } from "node:path";
import { suggestion } from "../../crds/did-you-mean.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { localAgentUrl } from "../../plan/urls.ts";
import { ports } from "../../crds/names.ts";
import { renderDiagnostic, renderWithExcerpt } from "../manifests/diagnostic.ts";
import { UsageError } from "../manifests/find-files.ts";
import type { Terminal } from "../terminal.ts";
import { urlHost } from "../up/addresses.ts";
import { describeExposure, openCallerToken } from "../up/caller-token.ts";
import { observeReadiness } from "../up/admin-client.ts";
import { isFree, type RunningChild } from "../up/child-process.ts";
import type { RunnableAgent } from "../up/desired.ts";
import { bridgeHost } from "../up/desired-servers.ts";
import { loadManifests, type Loaded } from "../up/load.ts";
import { shortName } from "../up/process-keys.ts";
import { openProcessLogs, type ProcessLogs } from "../up/process-logs.ts";
import { agentStopGraceMs, planAgent, requirePort } from "../up/programs.ts";
import { applyLiveConfigs, applyObjectFiles, removeSecrets } from "../up/run-files.ts";
import { untilReady } from "../up/runner.ts";
import { aborted, stopSignal, type SignalSource } from "../up/signals.ts";
import { lockStateFolder, openStateFolder, stateFolderPath, type StateFolder } from "../up/state-folder.ts";

export interface RunAgentOptions {
  name: string;
  paths: readonly [string, ...string[]];
  port: number;
  host: string;
  /** Whether callers from other machines need a token. */
  token: boolean;
}

export interface RunAgentEdges {
  terminal: Terminal;
  process: SignalSource & { env: Readonly<Record<string, string | undefined>> };
}

/**
 * Runs until Ctrl-C, which lets calls in flight end (CLI-2).
 * @returns the exit code: 0 after a stop, 1 when the agent cannot start or ended by itself
 * @throws UsageError when there is no such agent
 */
export async function runAgent(options: RunAgentOptions, { terminal, process }: RunAgentEdges): Promise<number> {
  const loaded = await loadManifests(
    {
      paths: options.paths,
      only: [],
      registryPort: ports.registry,
      host: options.host,
      env: process.env,
      trusts: false,
      // Where `pallas up` has them, which may be running.
      isFree: () => Promise.resolve(true),
    },
    undefined,
  );
  const render = terminal.err.isTerminal ? renderWithExcerpt : renderDiagnostic;
  for (const diagnostic of loaded.diagnostics) terminal.complain(render(diagnostic, terminal.folder));
  const agent = findAgent(loaded, options.name);
  if (agent === undefined) {
    terminal.complain(`pallas: agent "${options.name}" cannot run; correct the errors above`);
    return 1;
  }
  await warnOfMissing(agent, loaded, terminal);

  const { signal, hurry, release } = stopSignal(process, { canHurry: true });
  try {
    await requirePort(options.port, options.host, "choose another --port");
    const path = join(stateFolderPath(loaded.folders, process.env), "agents", options.name.replaceAll("/", "_"));
    const folder = await openStateFolder(path);
    const unlock = await lockStateFolder(folder);
    try {
      await applyObjectFiles(folder, loaded.objects, loaded.environment.variables);
      await applyLiveConfigs(folder, [agent]);
      const token = await openCallerToken(folder, { host: options.host, isOpen: !options.token });
      for (const line of describeExposure({ host: options.host, instances: [agent.instance], token })) {
        terminal.complain(line);
      }
      const logs = openProcessLogs({ folder, terminal, env: process.env, showsAll: true });
      const context = { folder, loaded, terminal, signal, hurry, host: options.host, tokenFile: token?.file, logs };
      return await runProcess({ ...agent, port: options.port }, context).finally(() => logs.close());
    } finally {
      await removeSecrets(folder);
      await unlock();
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    terminal.complain(`pallas: ${error.message}`);
    return 1;
  } finally {
    release();
  }
}

/** Undefined when it is there and cannot run. */
function findAgent({ desired }: Loaded, name: string): RunnableAgent | undefined {
  const fits = (key: string): boolean => key === name || key.endsWith(`/${name}`);
  const listed = [...desired.listed.keys()].filter(fits);
  if (listed.length > 1) {
    throw new UsageError(`there are several agents of this name; name one of ${listed.join(", ")}`);
  }
  if (listed.length === 0) {
    const names = [...desired.listed.values()].map(({ agent }) => agent.metadata.name);
    throw new UsageError(
      `no agent is named "${name}"${suggestion(name, names)}; there is ${names.join(", ") || "none"}`,
    );
  }
  return [...desired.runnable.values()].find(({ key }) => fits(key));
}

/** Its sub-agents and servers are called where `pallas up` would have them; those that are not there fail as tools. */
async function warnOfMissing(
  { agent, servers }: RunnableAgent,
  { desired }: Loaded,
  terminal: Terminal,
): Promise<void> {
  const { name: own } = agent.metadata;
  for (const key of servers) {
    const port = desired.serverPorts.get(key);
    // Without one it is called where it runs.
    if (port === undefined || !(await isFree(port, bridgeHost))) continue;
    const start = `pallas up --only ${own} starts it too`;
    terminal.complain(
      `warning: the tool server "${shortName(key)}" that it uses is not running on port ${port}; calls of it will fail; ${start}`,
    );
  }
  const names = (agent.spec.agents ?? []).map(({ name }) => name);
  for (const name of names) {
    const port = desired.ports.get(`${agent.metadata.namespace}/${name}`);
    if (port === undefined || (await isFree(port, "127.0.0.1"))) {
      terminal.complain(
        `warning: the agent "${name}" that it uses is not running${port === undefined ? "" : ` on port ${port}`}; calls of it will fail`,
      );
    }
  }
}

interface ProcessContext {
  folder: StateFolder;
  loaded: Loaded;
  host: string;
  tokenFile: string | undefined;
  terminal: Terminal;
  signal: AbortSignal;
  hurry: AbortSignal;
  logs: ProcessLogs;
}

async function runProcess(agent: RunnableAgent, context: ProcessContext): Promise<number> {
  const { folder, loaded, host, tokenFile, terminal, signal, hurry, logs } = context;
  const child: RunningChild = await planAgent(agent, {
    host,
    registryPort: ports.registry,
    folder,
    tokenFile,
    environment: () => loaded.environment,
    takenPorts: () => new Set([agent.port]),
    output: logs.output,
  }).launch();
  const over = new AbortController();
  const ended = child.exited.finally(() => over.abort());
  const either = AbortSignal.any([signal, over.signal]);
  const say = (reason: string): void => terminal.complain(`${agent.agent.metadata.name}: not ready yet: ${reason}`);
  const notReady = await untilReady(child.adminUrl, { clock: systemClock, observeReadiness }, either, say);
  if (notReady !== undefined) {
    say(notReady);
  } else if (!either.aborted) {
    terminal.print(`${agent.agent.metadata.name} ready: ${localAgentUrl(agent.port, urlHost(host))}`);
  }
  const trouble = await Promise.race([aborted(signal), ended]);
  if (trouble !== undefined) {
    terminal.complain(`pallas: the agent ${trouble}`);
    return 1;
  }
  terminal.complain("stopping: calls in flight may end; Ctrl-C once more ends them");
  await child.stop(agentStopGraceMs(agent), hurry);
  return 0;
}
