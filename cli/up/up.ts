// `pallas up`: read the manifests, run what is sound in them, follow edits, stop in order. This file is the sequence.
import * as z from "zod";
import { readEnvironment } from "../../lib/process/environment.ts";
import { logVariables } from "../../lib/process/log-variables.ts";
import { displayPath } from "../manifests/diagnostic.ts";
import type { Terminal } from "../terminal.ts";
import { describeExposure, openCallerToken } from "./caller-token.ts";
import { isFree } from "./child-process.ts";
import { coalesce } from "./coalesce.ts";
import { bridgeHost } from "./desired-servers.ts";
import { followEdits } from "./follow.ts";
import { loadManifests, type LoadOptions, type Loaded } from "./load.ts";
import { LocalRun } from "./local-run.ts";
import { createJsonReport } from "./json-report.ts";
import { openProcessLogs, type ProcessLogs } from "./process-logs.ts";
import { requirePort } from "./programs.ts";
import { removeSecrets } from "./run-files.ts";
import { createRunSigner, type RunSigner } from "./run-signer.ts";
import type { UpReport } from "./report.ts";
import { aborted, stopSignal, type SignalSource } from "./signals.ts";
import { lockStateFolder, openStateFolder, stateFolderPath, type StateFolder } from "./state-folder.ts";
import { createTextReport } from "./text-report.ts";
import { writeAllowed } from "./trust.ts";

export interface UpOptions {
  paths: readonly [string, ...string[]];
  port: number;
  host: string;
  only: readonly string[];
  /** Whether callers from other machines need a token. */
  token: boolean;
  /** Whether the manifests may start what they run, while this run goes on, and later for as long as that stays as it is. */
  trust: boolean;
  /** Show what every process logs. */
  logs: boolean;
  /** One JSON object per event, in place of lines for people. */
  json: boolean;
}

export interface UpEdges {
  terminal: Terminal;
  process: SignalSource & { env: Readonly<Record<string, string | undefined>> };
}

/**
 * Runs until it is told to stop (CLI-1).
 * @returns the exit code: 0 after a stop, 1 when nothing could be started
 * @throws UsageError when a path is not there, or `--only` names no agent
 */
export async function up(options: UpOptions, { terminal, process }: UpEdges): Promise<number> {
  const { paths, port, host, only, json, logs, trust: trusts, token: needsToken } = options;
  const signer = await createRunSigner();
  const loading: LoadOptions = {
    ...{ paths, only, host, trusts },
    registryPort: port,
    env: process.env,
    signer: signer.published,
    isFree: (wanted) => isFree(wanted, bridgeHost),
  };
  const first = await loadManifests(loading, undefined);
  const report = json ? createJsonReport(terminal) : createTextReport(terminal);
  report.judged(first.diagnostics);
  if (first.desired.runnable.size + first.desired.runnableServers.size === 0) {
    terminal.complain(`pallas: ${describeNothing(first)}`);
    return 1;
  }

  let prepared: Prepared;
  try {
    prepared = await prepare(first, loading);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    terminal.complain(`pallas: ${error.message}`);
    return 1;
  }
  const { folder, unlock } = prepared;
  const { signal, hurry, release } = stopSignal(process, { canHurry: true });
  const openLogs = () => openProcessLogs({ folder, terminal, env: process.env, showsAll: logs });
  await run(first, { loading, signer, needsToken, folder, report, terminal, signal, hurry, openLogs });
  await unlock();
  release();
  return 0;
}

interface Prepared {
  folder: StateFolder;
  unlock(): Promise<void>;
}

/** What must hold before anything is started: a state folder that is ours alone, and the registry's port. */
async function prepare(
  { folders, programs }: Loaded,
  { registryPort, host, env, trusts }: LoadOptions,
): Promise<Prepared> {
  // Said here once, not by every program that is started.
  readEnvironment(z.object(logVariables), env);
  const folder = await openStateFolder(stateFolderPath(folders, env));
  const unlock = await lockStateFolder(folder);
  try {
    // Of a run before that was killed.
    await removeSecrets(folder);
    await requirePort(registryPort, host, "choose another --port");
    if (trusts) await writeAllowed(folder, programs);
  } catch (error) {
    await unlock();
    throw error;
  }
  return { folder, unlock };
}

interface RunContext {
  loading: LoadOptions;
  signer: RunSigner;
  needsToken: boolean;
  folder: StateFolder;
  report: UpReport;
  terminal: Terminal;
  signal: AbortSignal;
  hurry: AbortSignal;
  openLogs(): ProcessLogs;
}

async function run(first: Loaded, context: RunContext): Promise<void> {
  const { loading, signer, folder, report, terminal, signal, hurry } = context;
  const { host, registryPort } = loading;
  const token = await openCallerToken(folder, { host, isOpen: !context.needsToken });
  const logs = context.openLogs();
  const tokenFile = token?.file;
  const local = new LocalRun(first, { host, registryPort, folder, tokenFile, signer, logs, report, hurry });
  const instances = [...first.desired.instances.values()];
  for (const line of describeExposure({ host, instances, token })) report.say(line);
  report.say(`starting; logs are in ${displayPath(folder.path, terminal.folder)}/logs`);
  await local.start();

  const edits = coalesce(
    async () => {
      const loaded = await loadManifests(loading, local.current);
      report.judged(loaded.diagnostics);
      if (loading.trusts) await writeAllowed(folder, loaded.programs);
      if (!signal.aborted) report.edited(await local.apply(loaded));
    },
    (error) => {
      const message = error instanceof Error ? error.message : String(error);
      report.say(`error: ${message}; running agents keep running`);
    },
  );
  followEdits([...first.folders, ...first.localFolders], () => edits.changed(), signal);

  await local.settled(signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  await aborted(signal);
  report.stopping();
  await edits.settled();
  await local.stop();
  terminal.status(undefined);
  logs.close();
}

function describeNothing({ folders, desired, diagnostics }: Loaded): string {
  const held = [...desired.servers.values()].flatMap((each) =>
    each.held ? [`${each.name}: ${each.held.message}`] : [],
  );
  if (held.length > 0) return `nothing was started; ${held.join("\n")}`;
  if (diagnostics.some(({ severity }) => severity === "error")) return "no agent can run; correct the errors above";
  const what = desired.instances.size === 0 ? "PallasInstance and no PallasAgent" : "PallasAgent";
  return `there is no ${what} in ${folders.join(", ")}; name the folder with the manifests: pallas up -f FOLDER`;
}
