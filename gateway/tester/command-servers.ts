// Transient servers of a package or an image: a PallasServer of a name nobody chose, which runs in a pod of its own as every other,
// never in this process. It is taken away with its handle; what a gateway that died left behind is found by its label and its age.
import { randomBytes } from "node:crypto";
import { apiVersion, group } from "../../crds/names.ts";
import { pallasServer, type PallasServer } from "../../crds/server.ts";
import type { Identity } from "../../lib/auth/roles.ts";
import type { Clock, Timer } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { CommandRefused, parseCommand } from "../rest/commands.ts";
import { WriteRefused, type GatewayState, type WritesFor } from "../state/state.ts";
import { TesterProblem } from "./problem.ts";

export interface TransientCommand {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

export interface CommandServer {
  readonly name: string;
  readonly url: string;
  /** Never rejects. */
  remove(): Promise<void>;
}

export interface CommandServers {
  /** One that is ready. Throws TesterProblem, and nothing is left of it then. */
  open(caller: Identity, command: TransientCommand, signal: AbortSignal): Promise<CommandServer>;
  close(): void;
}

/** Where none can be run; `message` says why, and the cure. */
export const noCommands = (status: 403 | 422, message: string): CommandServers => ({
  open: async () => {
    throw new TesterProblem(status, message);
  },
  close: () => undefined,
});

export interface CommandServersParts {
  state: Pick<GatewayState, "namespace" | "instance" | "listServers" | "getServerAddress" | "onChange">;
  writesFor: WritesFor;
  log: Logger;
  clock: Clock;
}

const transientLabel = `${group}/transient`;
/** A package is fetched in it. */
const readyTimeoutMs = 2 * 60_000;
/** However often it is used. */
const maxLifetimeMs = 30 * 60_000;
const sweepEveryMs = 60_000;
/** Who takes away what was left behind. */
const ownIdentity: Identity = {
  kind: "person",
  subject: "pallas-gateway",
  name: "pallas-gateway",
  groups: [],
  role: "operator",
};

export function createCommandServers(parts: CommandServersParts): CommandServers {
  const { state, writesFor, log, clock } = parts;
  const remove = async (identity: Identity, name: string) => {
    try {
      await writesFor(identity).servers.delete(name);
    } catch (error) {
      if (error instanceof WriteRefused && error.kind === "gone") return;
      log.warn({ server: name, err: error }, "transient server not deleted");
    }
  };
  const sweep = () => {
    for (const { resource } of state.listServers()) {
      if (resource?.metadata.labels?.[transientLabel] === undefined) continue;
      const createdAt = Date.parse(resource.metadata.creationTimestamp ?? "");
      if (createdAt + maxLifetimeMs <= clock.wallNow()) void remove(ownIdentity, resource.metadata.name);
    }
    timer = clock.schedule(sweepEveryMs, sweep);
  };
  let timer: Timer = clock.schedule(sweepEveryMs, sweep);
  return {
    async open(caller, command, signal) {
      const manifest = renderServer(command, state);
      const { name } = manifest.metadata;
      await create(writesFor, caller, manifest);
      try {
        const url = await untilReady(name, parts, signal);
        return { name, url, remove: () => remove(caller, name) };
      } catch (error) {
        await remove(caller, name);
        throw error;
      }
    },
    close: () => timer.cancel(),
  };
}

async function create(writesFor: WritesFor, caller: Identity, manifest: PallasServer): Promise<void> {
  try {
    await writesFor(caller).servers.create(manifest);
  } catch (error) {
    if (!(error instanceof WriteRefused)) throw error;
    const status = error.kind === "not-allowed" ? 403 : error.kind === "unanswered" ? 502 : 422;
    throw new TesterProblem(status, error.message, { cause: error });
  }
}

function renderServer(
  { command, args, env }: TransientCommand,
  { namespace, instance }: CommandServersParts["state"],
): PallasServer {
  const { source, env: ofCommand } = parse({ command, args });
  if (source.local !== undefined) {
    throw new TesterProblem(
      422,
      "command: npx, uvx and docker run are understood; a program of one machine runs under pallas up, from a manifest with local",
    );
  }
  if (Object.keys(env).length + Object.keys(ofCommand).length > 0) {
    // Whoever may read PallasServers would read them.
    throw new TesterProblem(
      422,
      "env: values would be readable in the resource of the server; write a PallasServer that takes them from a Secret",
    );
  }
  return {
    apiVersion,
    kind: pallasServer.kind,
    metadata: {
      name: `transient-${randomBytes(5).toString("hex")}`,
      namespace,
      labels: { [transientLabel]: "true" },
    },
    spec: { instanceRef: { name: instance }, active: true, listed: false, ...source },
  };
}

function parse(command: Pick<TransientCommand, "command" | "args">): ReturnType<typeof parseCommand> {
  try {
    return parseCommand(command);
  } catch (error) {
    if (error instanceof CommandRefused) throw new TesterProblem(422, error.message, { cause: error });
    throw error;
  }
}

/** Its URL, once it serves. */
async function untilReady(name: string, { state, clock }: CommandServersParts, signal: AbortSignal): Promise<string> {
  const done = Promise.withResolvers<string>();
  const seconds = readyTimeoutMs / 1_000;
  let latest = "the operator has said nothing of it yet";
  const look = () => {
    const known = state.listServers().find(({ resource }) => resource?.metadata.name === name);
    const conditions = known?.resource?.status?.conditions ?? [];
    const accepted = conditions.find(({ type }) => type === "Accepted");
    const ready = conditions.find(({ type }) => type === "Ready");
    latest = ready?.message ?? latest;
    if (accepted?.status === "False") done.reject(new TesterProblem(422, accepted.message));
    const url = known === undefined ? undefined : state.getServerAddress(known.name)?.url;
    if (ready?.status === "True" && url !== undefined) done.resolve(url);
  };
  const stop = state.onChange(look);
  const timer = clock.schedule(readyTimeoutMs, () =>
    done.reject(new TesterProblem(504, `the server was not ready within ${seconds} s: ${latest}`)),
  );
  const onAbort = () => done.reject(new TesterProblem(503, "the request was given up before the server was ready"));
  signal.addEventListener("abort", onAbort, { once: true });
  look();
  try {
    return await done.promise;
  } finally {
    stop();
    timer.cancel();
    signal.removeEventListener("abort", onAbort);
  }
}
