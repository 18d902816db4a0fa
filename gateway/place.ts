// Where a gateway runs: in a cluster, by the API server, or beside `pallas up`, by its state file. What the two differ in is
// all in what this returns.
import type { GatewayConfig } from "../crds/gateway-config.ts";
import type { ApiServerReader } from "../lib/auth/cluster-issuer.ts";
import { findClusterConfig } from "../lib/kube/cluster-config.ts";
import { createTransport } from "../lib/kube/transport.ts";
import type { Clock } from "../lib/process/clock.ts";
import type { Logger } from "../lib/process/log.ts";
import { createClusterStore as createApprovalResources } from "./approvals/cluster-store.ts";
import { openLocalStore as openApprovalsFile } from "./approvals/local-store.ts";
import type { ApprovalStore } from "./approvals/store.ts";
import { createClusterStore } from "./directory/cluster-store.ts";
import { openLocalStore } from "./directory/local-store.ts";
import type { RegistrationStore } from "./directory/store.ts";
import { createClusterProposals } from "./management/policies/cluster-store.ts";
import { openLocalProposals } from "./management/policies/local-store.ts";
import type { ProposalStore } from "./management/policies/store.ts";
import type { GatewayMetrics } from "./metrics.ts";
import { createClusterState } from "./state/cluster-state.ts";
import { createLocalState } from "./state/local-state.ts";
import type { StateSource, WritesFor } from "./state/state.ts";
import { createClusterWrites } from "./writes/cluster-writes.ts";
import { createServerStatusWrites, type WriteToolStatus } from "./writes/server-status.ts";
import { localWrites } from "./writes/local-writes.ts";

export interface Place {
  state: StateSource;
  writesFor: WritesFor;
  /** What was registered in the directory. */
  registrations: RegistrationStore;
  approvals: ApprovalStore;
  /** What people propose for policies. */
  proposals: ProposalStore;
  /** Absent where there is no cluster: local mode keeps no status. */
  writeToolStatus?: WriteToolStatus;
  /** Absent where there is no cluster. */
  server?: ApiServerReader;
  close(): Promise<void>;
}

export interface PlaceOptions {
  config: Pick<GatewayConfig, "instance" | "management">;
  /** Undefined: in a cluster. */
  localState: string | undefined;
  /** Needed where there is no cluster. */
  registrationsFile: string | undefined;
  /** Needed where there is no cluster. */
  approvalsFile: string | undefined;
  metrics: GatewayMetrics;
  log: Logger;
  clock: Clock;
}

/** Nothing is read before `state.start()`. */
export async function openPlace(options: PlaceOptions): Promise<Place> {
  const { config, localState, registrationsFile, approvalsFile, metrics, log, clock } = options;
  const { name: instance, namespace } = config.instance;
  if (localState !== undefined) {
    if (approvalsFile === undefined) {
      throw new Error("PALLAS_APPROVALS_FILE is needed with PALLAS_LOCAL_STATE: name a file to keep approvals in");
    }
    if (registrationsFile === undefined) {
      throw new Error(
        "PALLAS_REGISTRATIONS_FILE is needed with PALLAS_LOCAL_STATE: name a file to keep the directory in",
      );
    }
    const registrations = await openLocalStore({ path: registrationsFile, log });
    const approvals = await openApprovalsFile({ path: approvalsFile, log });
    const state = createLocalState({ path: localState, namespace, instance, approvals, log });
    const proposals = await openLocalProposals({ path: `${approvalsFile}.proposals`, log });
    return { state, writesFor: localWrites, registrations, approvals, proposals, close: () => state.stop() };
  }
  const kubeConfig = await findClusterConfig();
  const transport = createTransport({ kubeConfig, userAgent: "pallas-gateway", metrics: metrics.kube });
  const state = createClusterState({ transport, namespace, instance, log, metrics: metrics.kube });
  const { management } = config;
  const writeLog = log.child({ logger: "pallas.gateway.writes" });
  const writesFor = createClusterWrites({ transport, state, management, metrics, log: writeLog, clock });
  const approvals = createApprovalResources({ transport, state });
  return {
    state,
    writesFor,
    approvals,
    proposals: createClusterProposals({ transport, state, metrics, log: writeLog, clock }),
    registrations: createClusterStore({ state, writesFor, clock }),
    writeToolStatus: createServerStatusWrites(transport),
    server: transport,
    async close() {
      approvals.close();
      await state.stop();
      await transport.close();
    },
  };
}
