// A tool server without problems and everything that is derived from it and its instance, each once: what renderers, local
// mode, registry and gateway take, and all they take (DSC-6).
import type { BridgeConfig, BridgeValue } from "../crds/bridge-config.ts";
import type { PallasInstance } from "../crds/instance.ts";
import type { RunHeader } from "../crds/run-config.ts";
import type { PallasServer, ServerKind } from "../crds/server.ts";
import type { effectivePod, effectiveResources } from "./settings.ts";

type Resources = ReturnType<typeof effectiveResources>;

/** How agents and the gateway reach a server from their own processes. */
export interface ServerAddress {
  readonly url: string;
  /** Of a remote one that is called directly, which has no secrets; with a bridge none. */
  readonly headers: readonly RunHeader[];
  /** Also with a bridge, which sends on what it is sent. */
  readonly forwardInboundAuth: boolean;
}

/** A process of its own that stands before the server: in a pod, or a child process in local mode. */
export interface ResolvedBridge {
  /** Of a program of this machine, `target.cwd` is as it was written: relative to the manifest's folder, or absent for that. */
  readonly config: BridgeConfig;
  /** Of the configuration: what its pods run on is named by it. */
  readonly hash: string;
  /** The server's own container, where it has an image of its own: nothing of the bridge's is in it, and its secrets only there. */
  readonly container?: {
    readonly image: string;
    readonly command: readonly string[];
    readonly args: readonly string[];
    readonly env: readonly BridgeValue[];
    readonly resources: Resources;
  };
  /** Of the bridge's container, in which a package runs as well. */
  readonly resources: Resources;
  readonly pod: ReturnType<typeof effectivePod>;
}

export interface ResolvedServer {
  readonly server: PallasServer;
  readonly instance: PallasInstance;
  /** As agents refer to it: spec.serverName, or metadata.name. */
  readonly name: string;
  readonly kind: ServerKind;
  readonly address: ServerAddress;
  /** Names of tools that are offered; deny wins, no allow means all. A bridge applies it; who calls directly applies it itself. */
  readonly tools: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  readonly timeoutMs: number;
  /** Absent for a remote one that is called directly. */
  readonly bridge?: ResolvedBridge;
}
