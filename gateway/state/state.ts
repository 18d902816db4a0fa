// What the gateway knows of its instance, and the one way in which it writes: what the management table and the proxy are
// made with. Whether a watch or a file brings it is for the files beside this one; nothing here does I/O.
import type { PallasAgent } from "../../crds/agent.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import type { AgentFinding } from "../../lib/auth/authenticate.ts";
import type { ClusterAccount } from "../../lib/auth/cluster-tokens.ts";
import type { Identity } from "../../lib/auth/roles.ts";
import type { PresetSource } from "./presets.ts";

export interface StateChange {
  /** Names of agents that came, changed or went, their endpoints included. */
  readonly agents: readonly string[];
  /** Whether the instance did. */
  readonly instance: boolean;
}

/** From a watch (cluster) or the state file (local mode). Reads are from memory. */
export interface GatewayState {
  readonly namespace: string;
  readonly instance: string;
  /** Undefined until the first list has been read. */
  getInstance(): PallasInstance | undefined;
  /** Of this instance, by name. */
  listAgents(): readonly PallasAgent[];
  getAgent(name: string): PallasAgent | undefined;
  /** Where an agent is reached inside: its MCP URL, and the admin URL of one process of it; undefined while it has none. */
  getEndpoint(name: string): { mcpUrl: string; adminUrl: string } | undefined;
  /** The admin URLs of all processes of an agent, those that drain and may still work on calls included. */
  listAdminUrls(name: string): readonly string[];
  /** Called after each change, once for what comes at once; until what it returns is called. */
  onChange(listener: (change: StateChange) => void): () => void;
}

/** What the program itself needs of it. */
export interface StateSource extends GatewayState {
  readonly presets: PresetSource;
  /** Why nothing can be said yet; undefined once everything was read. It stays read when a watch breaks. */
  observeUnready(): string | undefined;
  /** Whose account a token names, by uids and from memory. Not to be asked before it is ready. */
  findAgent(account: ClusterAccount): AgentFinding;
  start(): void;
  stop(): Promise<void>;
}

/** Why nothing was written, in a sentence for who asked. */
export class WriteRefused extends Error {
  override readonly name = "WriteRefused";
}

/** The one place that writes (management readWrite). Each is one API write; throws WriteRefused with a sentence. */
export interface GatewayWrites {
  createAgent(manifest: PallasAgent): Promise<PallasAgent>;
  /** @param mergePatch of the spec alone: `{ spec: … }` */
  patchAgent(name: string, mergePatch: object): Promise<PallasAgent>;
  deleteAgent(name: string): Promise<void>;
}

/** Writes in the name of a caller, whom the log names beside each. */
export type WritesFor = (caller: Identity) => GatewayWrites;
