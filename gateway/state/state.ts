// What the gateway knows of its instance, and the one way in which it writes: what the management table, the proxy, tool servers
// and the directory are made with. Whether a watch or a file brings it is for the files beside this one; nothing here does I/O.
import type { PallasAgent } from "../../crds/agent.ts";
import type { PallasApproval } from "../../crds/approval.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import type { PallasPolicy } from "../../crds/policy.ts";
import type { PolicySource } from "../../plan/policy-in-force.ts";
import type { PallasRegistration } from "../../crds/registration.ts";
import type { PallasServer } from "../../crds/server.ts";
import type { AgentFinding } from "../../lib/auth/authenticate.ts";
import type { ClusterAccount } from "../../lib/auth/cluster-tokens.ts";
import type { Identity } from "../../lib/auth/roles.ts";
import type { PresetSource } from "./presets.ts";
import type { KnownServer, PlainAddress } from "./servers.ts";

export interface StateChange {
  /** Names of agents that came, changed or went, their endpoints included. */
  readonly agents: readonly string[];
  /** Names of servers, as agents refer to them. */
  readonly servers: readonly string[];
  /** Names of registrations' resources. */
  readonly registrations: readonly string[];
  readonly policies: readonly string[];
  readonly approvals: readonly string[];
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
  /** Of this instance, by name: its PallasServers, and those of its own spec. */
  listServers(): readonly KnownServer[];
  /** By the name that agents refer to it by. */
  getServer(name: string): KnownServer | undefined;
  /** Where a server is called by this program; undefined while it has no address, and where only agents hold its secrets. */
  getServerAddress(name: string): PlainAddress | undefined;
  /** The admin URLs of the bridges before a server, by the name of its resource; none where it is called directly. */
  listServerAdminUrls(name: string): readonly string[];
  /** Of this instance, by the name of the resource. */
  listRegistrations(): readonly PallasRegistration[];
  /** Of this instance, by name. */
  listPolicies(): readonly PallasPolicy[];
  getPolicy(name: string): PallasPolicy | undefined;
  /** The same, and what is left of one whose spec cannot be read: rules that held before then go on. */
  getPolicySource(name: string): PolicySource | undefined;
  /** Of this instance, by name, as they were last told; what counts of them `gateway/approvals/` says. */
  listApprovals(): readonly PallasApproval[];
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

/**
 * not-allowed: by the instance's settings, or the cluster's. taken: there is one of that name. gone: there is none. changed: it was
 * changed or replaced meanwhile. invalid: it breaks a rule. unanswered: nobody knows whether it was written.
 */
export type RefusalKind = "not-allowed" | "taken" | "gone" | "changed" | "invalid" | "unanswered";

/** Why nothing was written, in a sentence for who asked. */
export class WriteRefused extends Error {
  override readonly name = "WriteRefused";
  readonly kind: RefusalKind;

  constructor(message: string, options: ErrorOptions & { kind: RefusalKind }) {
    super(message, options);
    this.kind = options.kind;
  }
}

/** Of one kind; each is one API write that names the resource by metadata.name. Throws WriteRefused with a sentence. */
export interface ResourceWrites<Resource> {
  create(manifest: Resource): Promise<Resource>;
  /** @param mergePatch of the spec alone: `{ spec: … }` */
  patch(name: string, mergePatch: object): Promise<Resource>;
  /** Gives it this spec in place of the one that is known, or creates it where none is. */
  upsert(manifest: Resource): Promise<Resource>;
  delete(name: string): Promise<void>;
}

/** What is written only with `management: readWrite`, but for registrations, which are the directory's own. */
export interface GatewayWrites {
  readonly agents: ResourceWrites<PallasAgent>;
  readonly servers: ResourceWrites<PallasServer>;
  readonly policies: ResourceWrites<PallasPolicy>;
  readonly registrations: ResourceWrites<PallasRegistration>;
}

/** Writes in the name of a caller, whom the log names beside each. */
export type WritesFor = (caller: Identity) => GatewayWrites;
