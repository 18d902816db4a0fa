// The views whose loading, errors and lost connections are looked at.
import { agentWords } from "../../dashboard/words/agent.ts";
import { agentsWords } from "../../dashboard/words/agents.ts";
import { approvalWords } from "../../dashboard/words/approvals.ts";
import { callWords } from "../../dashboard/words/calls.ts";
import { createWords } from "../../dashboard/words/create.ts";
import { directoryWords } from "../../dashboard/words/directory.ts";
import { discoverWords } from "../../dashboard/words/discover.ts";
import { policyWords } from "../../dashboard/words/policies.ts";
import { serverWords } from "../../dashboard/words/servers.ts";
import { testerWords } from "../../dashboard/words/tester.ts";

/** `reads`: what the view waits for. `shows`: something of its data. */
export const stateViews = [
  { name: "agents", route: "#/agents", reads: "resource://agents/list", shows: "slowpoke", what: agentsWords.what },
  {
    name: "agent",
    route: "#/agents/bookkeeper",
    reads: "resource://agents/bookkeeper/info",
    shows: agentWords.definition,
    what: agentWords.what,
  },
  {
    name: "approvals",
    route: "#/approvals",
    reads: "resource://approvals/pending",
    shows: "create_transfer",
    what: approvalWords.what,
  },
  {
    name: "decided",
    route: "#/approvals/decided",
    reads: "resource://approvals/history",
    shows: "create_transfer",
    what: approvalWords.whatDecided,
  },
  { name: "servers", route: "#/servers", reads: "resource://servers/list", shows: "payments", what: serverWords.what },
  {
    name: "discover",
    route: "#/discover?q=read+an+invoice",
    reads: "find_tools",
    shows: "read_invoice",
    what: discoverWords.what,
  },
  {
    name: "install",
    route: "#/discover/install?q=bookkeeper",
    reads: "/api/browse",
    shows: "Invoices, payments, bank statements",
    what: discoverWords.browseWhat,
  },
  {
    name: "tester",
    route: "#/tester/payments/tools/read_invoice",
    reads: "resource://servers/list",
    shows: "read_invoice",
    what: testerWords.what,
  },
  {
    name: "policies",
    route: "#/policies",
    reads: "resource://approval-policy/policy",
    shows: "careful",
    what: policyWords.what,
  },
  { name: "calls", route: "#/calls", reads: "resource://calls/log", shows: "read_invoice", what: callWords.logWhat },
  {
    name: "directory",
    route: "#/directory",
    reads: "resource://directory/list",
    shows: "bookkeeper",
    what: directoryWords.what,
  },
  {
    name: "create",
    route: "#/agents/new",
    reads: "resource://presets/list",
    // Neither presets nor writing are of a run without a cluster.
    shows: createWords.noWrites.local,
    what: createWords.presetsWhat,
  },
] as const;
