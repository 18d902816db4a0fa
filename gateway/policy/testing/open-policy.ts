// Gateway policies for tests: one of an instance that has none, and permits as it gives them.
import type { Identity } from "../../../lib/auth/roles.ts";
import { createLogger } from "../../../lib/process/log.ts";
import { systemClock } from "../../../lib/process/clock.ts";
import { createGatewayPolicy, type GatewayPolicy } from "../gateway-policy.ts";
import type { Permit } from "../judged-call.ts";

const never = () => {
  throw new Error("expected no approval to be asked without a policy");
};

const nobodyElse: Identity = { kind: "person", subject: "ann", name: "ann", groups: [], role: "caller" };

/** Whoever may call is allowed. */
export const openPolicy = (): GatewayPolicy =>
  createGatewayPolicy({
    config: {},
    state: { getPolicySource: () => undefined, onChange: () => () => undefined },
    approvals: { ask: never, open: never, wait: never, use: never, decideAsCaller: never },
    metrics: { countPolicyDecision: () => undefined },
    log: createLogger({ logger: "test", level: "SILENT" }),
    clock: systemClock,
  });

export async function permitFor(server: string, tool: string, args: Record<string, unknown> = {}): Promise<Permit> {
  const definition = { name: tool, inputSchema: { type: "object" as const } };
  const { signal } = new AbortController();
  const judged = await openPolicy().judge({ server, definition, args, identity: nobodyElse, signal });
  if (judged.answer !== undefined) throw new Error("expected a permit, found an answer");
  return judged.permit;
}
