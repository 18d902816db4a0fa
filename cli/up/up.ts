// `pallas up`: read the manifests, run what is sound in them, follow edits, stop in order. This file is the sequence.
import * as z from "zod";
import { readEnvironment } from "../../lib/process/environment.ts";
import { logVariables } from "../../lib/process/log-variables.ts";
import { displayPath, renderDiagnostic, type Diagnostic } from "../manifests/diagnostic.ts";
import type { Terminal } from "../terminal.ts";
import { coalesce } from "./coalesce.ts";
import { followEdits } from "./follow.ts";
import { loadManifests, type LoadOptions, type Loaded } from "./load.ts";
import { LocalRun } from "./local-run.ts";
import { openProcessLogs } from "./process-logs.ts";
import { requirePort } from "./programs.ts";
import { shortName } from "./runner.ts";
import { stopSignal, type SignalSource } from "./signals.ts";
import { lockStateFolder, openStateFolder, stateFolderPath, type StateFolder } from "./state-folder.ts";
import type { Changes } from "./supervisor.ts";

export interface UpOptions {
  paths: readonly [string, ...string[]];
  port: number;
  host: string;
  only: readonly string[];
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
export async function up({ paths, port, host, only }: UpOptions, { terminal, process }: UpEdges): Promise<number> {
  const loading: LoadOptions = { paths, only, registryPort: port, env: process.env };
  const first = await loadManifests(loading, undefined);
  const shown = report(first.diagnostics, nothingShown, terminal);
  if (first.desired.runnable.size === 0) {
    terminal.complain(`pallas: ${describeNothing(first)}`);
    return 1;
  }

  let prepared: Prepared;
  try {
    prepared = await prepare(first, { port, host, env: process.env });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    terminal.complain(`pallas: ${error.message}`);
    return 1;
  }
  const { folder, unlock } = prepared;
  const { signal, release } = stopSignal(process);
  await run(first, { loading, host, folder, shown, terminal, signal, env: process.env });
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
  { folders }: Loaded,
  { port, host, env }: { port: number; host: string; env: Readonly<Record<string, string | undefined>> },
): Promise<Prepared> {
  // Said here once, not by every program that is started.
  readEnvironment(z.object(logVariables), env);
  const folder = await openStateFolder(stateFolderPath(folders, env));
  const unlock = await lockStateFolder(folder);
  try {
    await requirePort(port, host, "choose another --port");
  } catch (error) {
    await unlock();
    throw error;
  }
  return { folder, unlock };
}

interface RunContext {
  loading: LoadOptions;
  host: string;
  folder: StateFolder;
  /** What has been said of the manifests already. */
  shown: Shown;
  terminal: Terminal;
  signal: AbortSignal;
  env: Readonly<Record<string, string | undefined>>;
}

async function run(first: Loaded, { loading, host, folder, shown, terminal, signal, env }: RunContext): Promise<void> {
  const logs = openProcessLogs(folder, terminal, env);
  const local = new LocalRun(first, { host, registryPort: loading.registryPort, folder, logs, terminal });
  terminal.complain(`starting; logs are in ${displayPath(folder.path, terminal.folder)}/logs`);
  await local.start();

  let known = shown;
  const edits = coalesce(
    async () => {
      const loaded = await loadManifests(loading, local.current);
      known = report(loaded.diagnostics, known, terminal);
      const changes = signal.aborted ? undefined : await local.apply(loaded);
      for (const line of changes ? describeChanges(changes) : []) terminal.complain(line);
    },
    (error) => {
      const message = error instanceof Error ? error.message : String(error);
      terminal.complain(`fault: ${message}; what runs keeps running`);
    },
  );
  followEdits(first.folders, () => edits.changed(), signal);

  await local.showTable(signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  await stopped(signal);
  terminal.complain("stopping");
  await edits.settled();
  await local.stop();
  logs.close();
}

const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

interface Shown {
  texts: ReadonlySet<string>;
  hasFaults: boolean;
}

const nothingShown: Shown = { texts: new Set(), hasFaults: false };

/** Shows what has not been shown before, and when the last fault is gone; gives what is known now. */
function report(diagnostics: readonly Diagnostic[], before: Shown, terminal: Terminal): Shown {
  const texts = diagnostics.map((diagnostic) => renderDiagnostic(diagnostic, terminal.folder));
  for (const text of texts) if (!before.texts.has(text)) terminal.complain(text);
  const hasFaults = diagnostics.some(({ severity }) => severity === "fault");
  if (before.hasFaults && !hasFaults) terminal.complain("edited: no faults any more");
  return { texts: new Set(texts), hasFaults };
}

function describeNothing({ folders, desired, diagnostics }: Loaded): string {
  if (diagnostics.some(({ severity }) => severity === "fault")) return "no agent can run; correct the faults above";
  const what = desired.instances.size === 0 ? "PallasInstance and no PallasAgent" : "PallasAgent";
  return `there is no ${what} in ${folders.join(", ")}; name the folder with the manifests: pallas up -f FOLDER`;
}

function describeChanges({ started, restarted, stopped }: Changes): string[] {
  const parts = Object.entries({ started, restarted, stopped }).filter(([, keys]) => keys.length > 0);
  if (parts.length === 0) return [];
  return [`edited: ${parts.map(([what, keys]) => `${what} ${keys.map(shortName).join(", ")}`).join("; ")}`];
}
