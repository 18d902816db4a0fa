// The approvals as an MCP App (UI-2, SEP-1865): the page that a host of such apps shows, and the tool that makes a host show it. The
// page is the dashboard's; it has no network of its own and decides by agents_approve_request, which the host calls for it.
import * as z from "zod";
import type { Identity } from "../../../lib/auth/roles.ts";
import { renderTime, type Clock } from "../../../lib/process/clock.ts";
import { isViewer } from "../access.ts";
import type { ResourceFamily } from "../resources/family.ts";
import { defineTool, ToolRefused, type ManagementTool } from "../tools/tool.ts";
import type { ShownApproval } from "./view.ts";
import type { ApprovalViews } from "./views.ts";

const appUri = "ui://pallas/approvals";
/** By which hosts know such a page. */
const appType = "text/html;profile=mcp-app";
/** What the model reads of the list; the page has all of it. */
const maxToldCalls = 20;

/** An empty list of origins is none: what the page needs is in it. */
const appMeta = {
  ui: {
    csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
    permissions: {},
    prefersBorder: false,
  },
};

const isForPerson = (identity: Identity): boolean => identity.kind === "person" && isViewer(identity);

export const createApprovalsApp = (html: string): ResourceFamily => ({
  uri: appUri,
  name: "Approvals",
  description: "Calls that wait for approval, as a page for hosts of MCP Apps.",
  mimeType: appType,
  meta: appMeta,
  listKeys: (identity) => (isForPerson(identity) ? [""] : []),
  mayRead: (_key, identity) => isForPerson(identity),
  read: async () => html,
});

export interface ApprovalsListParts {
  views: Pick<ApprovalViews, "one" | "pending">;
  /** What `resource://caller` says. */
  caller: Pick<ResourceFamily, "read">;
  clock: Clock;
}

export const createApprovalsList = ({ views, caller, clock }: ApprovalsListParts): ManagementTool =>
  defineTool({
    name: "approvals_list",
    title: "Show calls that wait",
    description:
      "Lists calls of tools that wait for somebody's approval, the first to expire first. Hosts of MCP Apps show them to the person, who decides there.",
    role: "viewer",
    annotations: { readOnlyHint: true },
    meta: { ui: { resourceUri: appUri, visibility: ["model", "app"] } },
    args: z.strictObject({
      call_id: z
        .string()
        .min(1)
        .max(253)
        .exactOptional()
        .meta({ description: "One call with all that is known of it, whatever was decided. Absent: those that wait." }),
    }),
    async call({ call_id }, identity, context) {
      const approvals = call_id === undefined ? views.pending(identity) : oneOf(views.one(call_id, identity), call_id);
      return {
        content: [{ type: "text", text: tellCalls(approvals) }],
        structuredContent: {
          approvals,
          caller: await caller.read("", identity, context),
          now: renderTime(clock),
        },
      };
    },
  });

function oneOf(approval: ShownApproval | undefined, callId: string): ShownApproval[] {
  if (approval !== undefined) return [approval];
  throw new ToolRefused("not_found", `there is no call "${callId}" that waits or waited, or it is not for you to see`);
}

/** For the model, and for hosts that show no apps: without the calls' arguments, which are for the person alone. */
function tellCalls(approvals: readonly ShownApproval[]): string {
  if (approvals.length === 0) return "No call waits for approval.";
  const lines = approvals.slice(0, maxToldCalls).map((approval) => {
    const { call_id, agent_id, server, tool, state, expires_at, may_decide } = approval;
    const who = agent_id === null ? "through the gateway" : `of agent ${agent_id}`;
    return `${call_id}: ${server} / ${tool} ${who}, ${state}, expires at ${expires_at}${may_decide ? ", waits for you" : ""}`;
  });
  const more = approvals.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}
