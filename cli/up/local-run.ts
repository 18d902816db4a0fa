// A run on this machine: registry, gateways, tool servers and agents as processes, the files they read, and the state the
// registry is told.
import { isDeepStrictEqual } from "node:util";
import { isOfKind, kinds, type Resource } from "../../crds/kinds.ts";
import { renderTime, systemClock } from "../../lib/process/clock.ts";
import { reasonOf } from "../manifests/find-files.ts";
import { urlHost } from "./addresses.ts";
import { observeBridge, observeHealth, observeLiveness, observeReadiness } from "./admin-client.ts";
import { isSameHealth } from "./agent-status.ts";
import { Board, describeState, isSettled, type ProcessState } from "./board.ts";
import { coalesce, type Coalesced } from "./coalesce.ts";
import type { Desired, RunnableAgent } from "./desired.ts";
import type { DesiredGateway } from "./desired-gateways.ts";
import type { RunnableServer } from "./desired-servers.ts";
import type { Loaded } from "./load.ts";
import { renderLocalState, type LocalStateInput } from "./local-state.ts";
import { keyOf, kindOfKey, registryKey, shortName } from "./process-keys.ts";
import type { ProcessLogs } from "./process-logs.ts";
import { planAgent, planGateway, planRegistry, renderRegistrySettings, type ProgramContext } from "./programs.ts";
import { applyLiveConfigs, applyObjectFiles, removeSecrets, renderFilledFiles } from "./run-files.ts";
import { writePorts } from "./remembered-ports.ts";
import type { RunState, UpReport } from "./report.ts";
import type { RunSigner } from "./run-signer.ts";
import { RunTokens } from "./run-token.ts";
import type { RunnerContext } from "./runner.ts";
import { planServer } from "./server-program.ts";
import { Services } from "./services.ts";
import { Slots } from "./slots.ts";
import type { StateFolder } from "./state-folder.ts";
import { stopOrder } from "./stop-order.ts";
import { Supervisor, type Changes } from "./supervisor.ts";
import { followCalls } from "./follow-calls.ts";
import { watchProcess } from "./watch-process.ts";

/** Processes that start at once; more would only starve each other. */
const maxConcurrentStarts = 8;

export interface LocalRunOptions {
  host: string;
  registryPort: number;
  folder: StateFolder;
  /** Of the token that callers from other machines need. */
  tokenFile: string | undefined;
  signer: Pick<RunSigner, "sign">;
  logs: ProcessLogs;
  report: UpReport;
  /** Aborted when stopping must be quick. */
  hurry: AbortSignal;
}

export class LocalRun {
  readonly registryUrl: string;
  readonly #options: LocalRunOptions;
  readonly #board = new Board();
  readonly #agents: Supervisor<RunnableAgent>;
  readonly #servers: Supervisor<RunnableServer>;
  readonly #stateFile: Coalesced;
  readonly #runner: RunnerContext;
  readonly #programs: ProgramContext;
  readonly #services: Services;
  readonly #tokens: RunTokens;
  #loaded: Loaded;
  #statuses: LocalStateInput["previous"] = { agents: new Map(), servers: new Map() };

  constructor(first: Loaded, options: LocalRunOptions) {
    const { host, registryPort, folder, logs, report, tokenFile } = options;
    this.#options = options;
    this.#loaded = first;
    this.#tokens = new RunTokens(options.signer);
    this.registryUrl = `http://${urlHost(host)}:${registryPort}`;
    this.#programs = {
      host,
      registryPort,
      folder,
      tokenFile,
      environment: () => this.#loaded.environment,
      takenPorts: () =>
        new Set([
          registryPort,
          ...this.#desired.ports.values(),
          ...this.#desired.serverPorts.values(),
          ...this.#gateways.map(({ port }) => port),
        ]),
      output: (key) => logs.output(key),
    };
    this.#runner = this.#createRunner();
    this.#services = new Services(this.#runner);
    this.#agents = new Supervisor(this.#runner, {
      planFor: (agent) => ({
        ...planAgent(agent, this.#programs),
        servers: () => agent.servers.filter((key) => this.#desired.runnableServers.has(key)),
      }),
      stopOrder,
    });
    this.#servers = new Supervisor(this.#runner, {
      planFor: (server) => planServer(server, this.#programs),
      stopOrder: (servers) => [servers.map(({ key }) => key)],
    });
    this.#stateFile = coalesce(
      () => this.#writeState(),
      (error) => report.say(`warning: ${folder.localState} cannot be written (${reasonOf(error)}); free disk space`),
    );
    this.#board.onChange(() => {
      this.#stateFile.changed();
      report.changed(this.#state);
    });
  }

  /** Writes the files and starts the registry, gateways, tool servers and agents. */
  async start(): Promise<void> {
    await this.#applyFiles();
    await this.#writeState();
    await this.#writePorts();
    await this.#applyServices();
    this.#applyRunnable();
  }

  /** Moves to what an edit asks for; Secrets, texts and live configurations are rewritten in place, and read again by those that run. */
  async apply(loaded: Loaded): Promise<Changes> {
    this.#loaded = loaded;
    await this.#applyFiles();
    await this.#writePorts();
    await this.#applyServices();
    const changes = this.#applyRunnable();
    this.#stateFile.changed();
    // Of what no process stands for the board says nothing.
    this.#options.report.changed(this.#state);
    return changes;
  }

  /** Servers first, which agents ask for their tools as they start. */
  #applyRunnable(): Changes {
    const servers = this.#servers.apply(this.#desired.runnableServers);
    const agents = this.#agents.apply(this.#desired.runnable);
    return {
      started: [...servers.started, ...agents.started],
      restarted: [...servers.restarted, ...agents.restarted],
      stopped: [...servers.stopped, ...agents.stopped],
    };
  }

  /** What is wanted now. */
  get current(): Loaded {
    return this.#loaded;
  }

  get #desired(): Desired {
    return this.#loaded.desired;
  }

  get #gateways(): DesiredGateway[] {
    return [...this.#desired.gateways.values()];
  }

  get #state(): RunState {
    return { desired: this.#desired, board: this.#board, registryUrl: this.registryUrl };
  }

  /** Tells how everything is, once each process is ready or has said why not. */
  async settled(signal: AbortSignal): Promise<void> {
    const wanted = (): Map<string, readonly string[]> =>
      new Map([
        [registryKey, []],
        ...this.#gateways.map(({ key }): [string, string[]] => [key, []]),
        ...[...this.#desired.runnableServers.keys()].map((key): [string, string[]] => [key, []]),
        ...[...this.#desired.runnable.values()].map(({ key, dependencies }): [string, string[]] => [key, dependencies]),
      ]);
    await this.#board.until((board) => isSettled(board, wanted(), (key) => isKnown(key, board.get(key))), signal);
    await this.#stateFile.settled();
    this.#options.report.settled(this.#state, this.#tokens.own);
  }

  /** Registry and gateways, so that nobody finds what is about to end; then those that use others, and tool servers last. */
  async stop(): Promise<void> {
    await this.#services.stop();
    await this.#agents.stop();
    await this.#servers.stop();
    await this.#stateFile.settled();
    await removeSecrets(this.#options.folder);
  }

  /** Those that are told something else at their start now are started anew. */
  async #applyServices(): Promise<void> {
    const settings = renderRegistrySettings([...this.#desired.instances.values()], this.#options.host);
    const registry = { plan: planRegistry(this.#programs, settings), fingerprint: JSON.stringify(settings) };
    const gateways = this.#gateways.map((gateway) => ({
      plan: planGateway(gateway, this.#programs),
      fingerprint: gateway.fingerprint,
    }));
    await this.#services.apply([registry, ...gateways]);
  }

  #urlOf(key: string): string {
    const { listed, servers, gateways } = this.#desired;
    return (listed.get(key) ?? servers.get(key) ?? gateways.get(key))?.url ?? this.registryUrl;
  }

  #createRunner(): RunnerContext {
    const { report } = this.#options;
    return {
      clock: systemClock,
      board: this.#board,
      slots: new Slots(maxConcurrentStarts),
      observeReadiness,
      hurry: this.#options.hurry,
      whileReady: (key, { adminUrl }, signal) => this.#watch(key, adminUrl, signal),
      whileStopping: (key, { adminUrl }, signal) => this.#countCalls(key, adminUrl, signal),
      onReady: (key, afterMs) => report.ready(key, this.#urlOf(key), afterMs),
      onTrouble: (key, message, retryMs) => report.inTrouble(key, message, retryMs, this.#agents.waitingFor(key)),
    };
  }

  #watch(key: string, adminUrl: string, signal: AbortSignal): Promise<string | undefined> {
    const either = { clock: systemClock, observeLiveness: (ends: AbortSignal) => observeLiveness(adminUrl, ends) };
    const update = (change: (state: ProcessState) => ProcessState): void => {
      const state = this.#board.get(key);
      const next = state && change(state);
      if (next !== undefined && next !== state) this.#board.set(key, next);
    };
    switch (kindOfKey(key)) {
      case "agent":
        return watchProcess(
          {
            ...either,
            observeHealth: (ends) => observeHealth(shortName(key), adminUrl, ends),
            onHealth: (health) =>
              update((state) => (isSameHealth(state.health, health) ? state : { ...state, health })),
          },
          signal,
        );
      case "server":
        return watchProcess(
          {
            ...either,
            observeHealth: (ends) => observeBridge(adminUrl, ends),
            onHealth: (bridge) =>
              update((state) => (isDeepStrictEqual(state.bridge, bridge) ? state : { ...state, bridge })),
            isPassing: (bridge) => bridge !== "unreachable" && bridge.status === "starting",
          },
          signal,
        );
      case "registry":
      case "gateway":
        return watchProcess({ ...either, onHealth: () => undefined }, signal);
    }
  }

  async #countCalls(key: string, adminUrl: string, signal: AbortSignal): Promise<void> {
    if (kindOfKey(key) !== "agent") return;
    const onCalls = (calls: number): void => {
      const state = this.#board.get(key);
      const detail = calls === 1 ? "1 call is still running" : `${calls} calls are still running`;
      if (state?.phase === "stopping" && state.detail !== detail) this.#board.set(key, { ...state, detail });
    };
    await followCalls(() => observeHealth(shortName(key), adminUrl, signal), onCalls, systemClock, signal);
  }

  async #applyFiles(): Promise<void> {
    const { folder } = this.#options;
    const tokens = await this.#tokens.renderFiles(this.#gateways, folder);
    const own = new Map([...tokens, ...renderFilledFiles(folder, this.#desired.runnableServers.values())]);
    await applyObjectFiles(folder, this.#loaded.objects, this.#loaded.environment.variables, own);
    await applyLiveConfigs(folder, this.#desired.runnable.values());
  }

  #writePorts(): Promise<void> {
    const { folder, registryPort } = this.#options;
    return writePorts(folder, registryPort, { ports: this.#desired.ports, servers: this.#desired.serverPorts });
  }

  async #writeState(): Promise<void> {
    const state = renderLocalState({
      desired: this.#desired,
      board: this.#board,
      registryUrl: this.registryUrl,
      previous: this.#statuses,
      now: renderTime(systemClock),
    });
    const statusesOf = <Status>(found: readonly (Resource & { status?: Status })[]) =>
      new Map(found.flatMap((resource) => (resource.status ? [[keyOf(resource), resource.status] as const] : [])));
    this.#statuses = {
      agents: statusesOf(state.resources.filter(isOfKind(kinds.PallasAgent))),
      servers: statusesOf(state.resources.filter(isOfKind(kinds.PallasServer))),
    };
    await this.#options.folder.replace(this.#options.folder.localState, `${JSON.stringify(state)}\n`);
  }
}

/** Whether enough is known of a ready process to tell of it: of a bridge, whether its server is there. */
function isKnown(key: string, state: ProcessState | undefined): boolean {
  const kind = kindOfKey(key);
  if (kind === "agent") return state?.health !== undefined;
  return kind !== "server" || (state?.bridge !== undefined && describeState(state).status !== "starting");
}
