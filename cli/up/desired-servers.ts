// The tool servers that should run on this machine, each behind a bridge of its own: pure. One without a bridge, remote and without
// a secret, is known and nothing is started for it; so is one that is switched off, or whose program nobody has allowed (SEC-8).
import { createHash } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import type { BridgeConfig, BridgeTarget, BridgeValue } from "../../crds/bridge-config.ts";
import type { StateReason } from "../../crds/conditions.ts";
import type { PallasServer, ServerKind } from "../../crds/server.ts";
import { defined } from "../../lib/process/defined.ts";
import type { ResolvedServer } from "../../plan/resolved-server.ts";
import { localAgentUrl } from "../../plan/urls.ts";
import { fillPlaceholders, placeholdersIn, type Environment } from "../manifests/local-objects.ts";
import { serverKey } from "./process-keys.ts";
import type { Supervised } from "./supervisor.ts";
import { describeHeld, digestOf, type Program, type Verdict } from "./trust.ts";

export interface ListedServer {
  /** Of its process, whether or not there is one. */
  key: string;
  /** The manifest that it is in. */
  file: string;
  server: PallasServer;
  /** As agents refer to it. */
  name: string;
  kind: ServerKind;
  /** Where agents reach it. */
  url: string;
  /** Digest of the program of this machine that it runs, if it does. */
  program?: string;
  /** Why nothing is started for it, though it is accepted. */
  held?: { reason: StateReason; message: string };
}

export interface RunnableServer extends Supervised {
  server: PallasServer;
  /** But for the admin port. */
  config: BridgeConfig;
  /** Texts with placeholders filled in, which its process alone is given: by path below the secrets of its namespace. */
  filled: ReadonlyMap<string, string>;
}

const inactive = "spec.active is false; set it to true";
const noPort = "no port is left for it; choose a lower --port";

/** Bridges have no sign-in of their own: only this machine reaches them. */
export const bridgeHost = "127.0.0.1";
export const bridgeUrl = (port: number): string => localAgentUrl(port, bridgeHost);

export interface ServerContext {
  file: string;
  /** Absent where none was left for it. */
  port: number | undefined;
  environment: Environment;
  /** Whether a program may be started here, by the key of its server and its digest. */
  judgeProgram(key: string, digest: string): Verdict;
}

/** What is started of this machine's; undefined where that is our bridge alone. */
function programOf({ server, bridge }: ResolvedServer, file: string): Program | undefined {
  const target = bridge?.config.target;
  if (target?.kind === "npm") return target;
  if (target?.kind !== "command") return undefined;
  // A program of this machine runs beside its manifest, a package in a folder of its own.
  return server.spec.local === undefined ? target : { ...target, cwd: resolve(dirname(file), target.cwd ?? ".") };
}

export function renderListedServer(resolved: ResolvedServer, context: ServerContext): ListedServer {
  const { server, name, kind, address, bridge } = resolved;
  const { file, port } = context;
  const key = serverKey(server);
  const program = programOf(resolved, file);
  const digest = program && digestOf(program);
  const listed = { key, file, server, name, kind, url: address.url, ...defined({ program: digest }) };
  if (!server.spec.active) return { ...listed, held: { reason: "Inactive", message: inactive } };
  if (bridge === undefined) return listed;
  const verdict = digest === undefined ? "allowed" : context.judgeProgram(key, digest);
  if (program !== undefined && verdict !== "allowed") {
    return { ...listed, held: { reason: "Unavailable", message: describeHeld(program, verdict) } };
  }
  return port === undefined ? { ...listed, held: { reason: "Unavailable", message: noPort } } : listed;
}

/** Undefined where nothing is to be started. */
export function renderRunnableServer(resolved: ResolvedServer, context: ServerContext): RunnableServer | undefined {
  const { server, bridge } = resolved;
  const { port, file, environment } = context;
  if (bridge === undefined || port === undefined) return undefined;
  if (renderListedServer(resolved, context).held !== undefined) return undefined;
  const placed = programOf(resolved, file) ?? bridge.config.target;
  const { target, filled } = fillTarget(server, placed, environment);
  const config: BridgeConfig = { ...bridge.config, target, ports: { ...bridge.config.ports, http: port } };
  return {
    key: serverKey(server),
    server,
    port,
    dependencies: [],
    config,
    filled,
    fingerprint: createHash("sha256")
      .update(JSON.stringify([config, [...filled]]))
      .digest("hex"),
  };
}

/** No Kubernetes name, so that no manifest's Secret has it. */
const filledName = "Pallas-filled";

/**
 * What the bridge starts or calls, with the placeholders of texts filled in: into files that are removed with the Secrets, since they
 * may well be some. A variable that is not set stays as it is written, and a warning has named it.
 */
function fillTarget(
  { metadata }: PallasServer,
  target: BridgeTarget,
  environment: Environment,
): { target: BridgeTarget; filled: ReadonlyMap<string, string> } {
  const filled = new Map<string, string>();
  const fill = (value: BridgeValue): BridgeValue => {
    if (!("value" in value) || placeholdersIn(value.value).length === 0) return value;
    const secret = { name: filledName, key: `${metadata.name}.${value.name}` };
    filled.set(join(secret.name, secret.key), fillPlaceholders(value.value, environment));
    return { name: value.name, secret };
  };
  switch (target.kind) {
    case "command":
    case "npm":
      return { target: { ...target, env: target.env.map(fill) }, filled };
    case "remote": {
      const url = fillPlaceholders(target.url, environment);
      return { target: { ...target, url, headers: target.headers.map(fill) }, filled };
    }
    case "pipes":
      return { target, filled };
  }
}
