// Where a card stands: in the page, or alone in a host of MCP Apps, which has no other views and may not be able to decide. Pure.
import type { ShownApproval } from "../../data/approvals.ts";
import { link } from "../../route/route.ts";

export interface CardPlace {
  readonly hrefOf: (callId: string) => string;
  readonly listHref: string;
  /** Undefined where there is no such view. */
  readonly policyHref: ((policy: string) => string) | undefined;
  readonly ruleHref: ((approval: ShownApproval) => string) | undefined;
  /** Why nothing can be decided here, and where it can. */
  readonly cannotDecide?: string | undefined;
}

/** Server and tool alone: arguments are never in an address. */
const ruleHref = ({ policy, server, tool }: ShownApproval): string =>
  link(["policies", policy.name], { rule: "new", server, tool });

export const waitingPlace = (who: string | undefined): CardPlace => ({
  hrefOf: (callId) => link(["approvals", callId], { who }),
  listHref: link(["approvals"], { who }),
  policyHref: (policy) => link(["policies", policy]),
  ruleHref,
});

export const decidedPlace: CardPlace = {
  hrefOf: (callId) => link(["approvals", "decided", callId]),
  listHref: link(["approvals", "decided"]),
  policyHref: (policy) => link(["policies", policy]),
  ruleHref,
};
