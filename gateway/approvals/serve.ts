// Approvals as a gateway serves them: their life, and the routes by which agents ask.
import { createApprovals, type ApprovalsParts, type ServedApprovals } from "./life.ts";
import { createApprovalRoutes } from "./routes.ts";

export interface ApprovalsServed extends Pick<ReturnType<typeof createApprovalRoutes>, "routes"> {
  approvals: ServedApprovals;
  /** Ends the streams of agents, which take them up again elsewhere. */
  onDraining(): void;
  close(): Promise<void>;
}

export function serveApprovals({ log, ...parts }: ApprovalsParts): ApprovalsServed {
  const approvals = createApprovals({ ...parts, log: log.child({ logger: "pallas.gateway.approvals" }) });
  const { routes, close: onDraining } = createApprovalRoutes({ approvals, clock: parts.clock });
  return {
    approvals,
    routes,
    onDraining,
    async close() {
      onDraining();
      await approvals.close();
    },
  };
}
