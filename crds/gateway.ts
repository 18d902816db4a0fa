// `spec.gateway` of a PallasInstance: the program for callers who say who they are, and who may do what there (MGM-1).
// What is absent here is absent in the cluster. Which defaults hold is said in plan/.
import type * as z from "zod";
import { resources } from "./agent-settings.ts";
import { choice, flag, integer, list, namedList, object, setOf, text, withRules } from "./fields.ts";
import { label, nameRef, objectName, secretSource, writtenUrl } from "./references.ts";
import { durationFrom } from "./units.ts";

/** Each may do what those before it may. */
export const gatewayRoles = ["viewer", "caller", "approver", "operator", "admin"] as const;

/** approve: decide, prompt, abort. readWrite: also create, change and delete agents. */
export const managementModes = ["approve", "readWrite"] as const;

/** off: who called which tool, when and how that went. redacted: also with what, and what it answered. */
const callArguments = ["off", "redacted"] as const;

/** What a browse source speaks: the generic registry API, npm's registry API, PyPI's JSON or simple API (DSC-7). */
export const browseKinds = ["mcp-registry", "npm", "pypi"] as const;

/** static: a table that the gateway brings. none: words alone. openai: an endpoint of that protocol. */
const embeddingKinds = ["static", "none", "openai"] as const;

const printable = { pattern: /^[!-~]+$/, expected: "printable ASCII characters without spaces" };

const globs = (what: "agents" | "servers", pattern: RegExp) =>
  setOf(
    text(63, `A name, in which * stands for any characters.`, {
      min: 1,
      pattern,
      expected: "a name, in which * may stand for any characters",
    }),
    64,
    `Names of the ${what} it is for. Default all.`,
  );

const accessEntry = withRules(
  object("Who is let in, and as what.", {
    role: choice(
      gatewayRoles,
      "What they may do; each role may do what those before it may: viewer (look), caller (talk to agents), approver (decide), operator (start and stop servers), admin (change agents and policies).",
    ).exactOptional(),
    agent: label("In place of a role: whoever holds the token is this agent of the instance.").exactOptional(),
    serviceAccount: object("A ServiceAccount of this namespace, by a token with the gateway's audience.", {
      name: objectName("Name of the ServiceAccount."),
    }).exactOptional(),
    claim: object("Whoever has this claim in a token of spec.auth.jwt.", {
      name: text(128, "Name of the claim.", { min: 1, ...printable }),
      value: text(512, "What it is, or what one of its entries is where it is a list.", {
        min: 1,
        pattern: /^[^\r\n]*$/,
        expected: "one line of text",
      }),
    }).exactOptional(),
    tokenFrom: secretSource
      .meta({
        description:
          "Tokens by their hashes, in a Secret of this namespace: lines of sha256:HEX, with an expiry or without.",
      })
      .exactOptional(),
    agents: globs("agents", /^[-a-z0-9*]+$/).exactOptional(),
    servers: globs("servers", /^[-a-zA-Z0-9_.*]+$/).exactOptional(),
  }),
  {
    cel: "[has(self.serviceAccount), has(self.claim), has(self.tokenFrom)].filter(given, given).size() == 1",
    message: "exactly one of serviceAccount, claim and tokenFrom is needed",
    holds: ({ serviceAccount, claim, tokenFrom }) =>
      [serviceAccount, claim, tokenFrom].filter((given) => given !== undefined).length === 1,
  },
  {
    cel: "has(self.role) != has(self.agent)",
    message: "exactly one of role and agent is needed",
    holds: ({ role, agent }) => (role === undefined) !== (agent === undefined),
  },
  {
    cel: "!has(self.agent) || (has(self.tokenFrom) && !has(self.agents) && !has(self.servers))",
    message:
      "agent goes with tokenFrom only, and without agents and servers: what an agent may do is said by the agent",
    holds: ({ agent, tokenFrom, agents, servers }) =>
      agent === undefined || (tokenFrom !== undefined && agents === undefined && servers === undefined),
  },
);
export type GatewayAccess = z.output<typeof accessEntry>;

const browseSource = object("A place where tool servers are published.", {
  name: label("Its name, by which answers and install refer to it."),
  kind: choice(
    browseKinds,
    "What it speaks: mcp-registry (the generic registry API, as registries of other instances do), npm or pypi.",
  ),
  url: writtenUrl("Its base URL, such as https://registry.npmjs.org; without a user or password."),
});

const embeddings = withRules(
  object("What tools are compared by beside their words when they are searched.", {
    kind: choice(
      embeddingKinds,
      "static (a table that the gateway brings; nothing is asked), none (words alone) or openai (an endpoint that speaks OpenAI's embeddings API).",
    ),
    baseUrl: writtenUrl("Base URL of the endpoint, such as http://models.ai.svc:8080/v1; openai only.").exactOptional(),
    model: text(256, "Model of the endpoint; openai only.", { min: 1, ...printable }).exactOptional(),
    apiKey: secretSource
      .meta({ description: "Key of the endpoint; always from a Secret of this namespace. openai only." })
      .exactOptional(),
  }),
  {
    cel: "self.kind == 'openai' ? has(self.baseUrl) && has(self.model) : !has(self.baseUrl) && !has(self.model) && !has(self.apiKey)",
    message: "baseUrl and model are needed with kind openai; they and apiKey are for it only",
    holds: ({ kind, baseUrl, model, apiKey }) =>
      kind === "openai"
        ? baseUrl !== undefined && model !== undefined
        : baseUrl === undefined && model === undefined && apiKey === undefined,
  },
);

const ui = object("The dashboard, at /ui.", {
  oidc: object("Signing in there with the issuer of spec.auth.jwt. Default none: people bring a token.", {
    clientId: text(
      256,
      "Id of the dashboard at the issuer: a public client (authorization code with PKCE, no secret), whose redirect URI is the dashboard's address, such as https://team.example.com/ui/.",
      { min: 1, ...printable },
    ),
    scopes: setOf(
      text(128, "A scope of the issuer.", { min: 1, ...printable }),
      16,
      "What it asks for beside openid, such as what brings the claims of access. Default none.",
    ).exactOptional(),
  }).exactOptional(),
});

/** Of a server's name (63), two underscores and a tool's name (128). */
const pinnedTool = text(193, "A tool, as {server}__{tool}.", {
  min: 1,
  pattern: /^[a-zA-Z0-9][-a-zA-Z0-9_.]*__[^\p{Cc} ]+$/u,
  expected: "{server}__{tool}, such as memory__read_graph",
});

export const gateway = object("The gateway: one endpoint for callers who say who they are. Absent: none.", {
  replicas: integer(
    0,
    16,
    "Its pods. Default 1. With several, a client's address decides which of them it reaches.",
  ).exactOptional(),
  service: object("Its Service.", {
    type: choice(["ClusterIP", "NodePort", "LoadBalancer"], "Type of the Service. Default ClusterIP.").exactOptional(),
    port: integer(1, 65_535, "Port of the Service. Default 24300.").exactOptional(),
  }).exactOptional(),
  management: choice(
    managementModes,
    "What it may do with resources: approve (decide, prompt, abort) or readWrite (also create, change and delete agents). Default approve.",
  ).exactOptional(),
  access: list(
    accessEntry,
    64,
    "Who is who; the first entry that fits a caller holds. Agents need none. Default nobody.",
  ).exactOptional(),
  directory: object("The directory of agents and MCP servers.", {
    public: flag("Whether it is read without a token. Default false.").exactOptional(),
  }).exactOptional(),
  log: object("Its log of calls of tools, in its memory.", {
    arguments: choice(
      callArguments,
      "Whether arguments and answers are kept, for approvers to read: off, or redacted, which is without the values of what is named like a secret. Default off.",
    ).exactOptional(),
  }).exactOptional(),
  browse: object("Where its callers may look for tool servers to install.", {
    sources: namedList(browseSource, 8, "Places that are asked side by side. Default none.").exactOptional(),
  }).exactOptional(),
  embeddings: embeddings.exactOptional(),
  ui: ui.exactOptional(),
  pinnedTools: setOf(
    pinnedTool,
    20,
    "Tools that are listed to everybody who may call them. Default none.",
  ).exactOptional(),
  policyRef: nameRef(
    "The PallasPolicy that calls through it are judged by. Default none: who may call is allowed.",
  ).exactOptional(),
  approvals: object("Calls that somebody must approve.", {
    timeout: durationFrom(
      "10s",
      "24h",
      "How long somebody may take to decide; then the call is denied. Default 10m.",
    ).exactOptional(),
    keep: durationFrom("0s", "720h", "How long an approval is kept when it is over. Default 168h.").exactOptional(),
  }).exactOptional(),
  resources: resources.exactOptional(),
});
