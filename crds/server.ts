// PallasServer: an MCP server that agents of an instance can use, whatever it is made of (DSC-6). What speaks stdio runs in a
// restricted pod of its own behind a bridge (bridge-config.ts); a remote one without secrets is called directly.
import type * as z from "zod";
import { pod, resourcesWithin } from "./agent-settings.ts";
import { conditionList, manifestSchema, observedGeneration, timestamp, type ResourceDefinition } from "./definition.ts";
import {
  choice,
  flag,
  integer,
  list,
  namedList,
  object,
  setOf,
  text,
  withRules,
  withTransitionRule,
} from "./fields.ts";
import { rfc1035 } from "./instance.ts";
import { maxNameChars } from "./names.ts";
import { header, nameRef, secretSource, serverName, url } from "./references.ts";
import { duration } from "./units.ts";

const packageKinds = ["npm", "pypi"] as const;

/** off: nothing is compared. warn: a changed definition is reported. block: the tool is hidden until somebody approves it (DSC-12). */
export const pinModes = ["off", "warn", "block"] as const;

const argument = text(4096, "An argument, as it is: no shell reads it.");
const args = (description: string) => list(argument, 64, description);

const remote = object("A server that runs elsewhere and speaks Streamable HTTP.", {
  url: url("URL of its Streamable HTTP endpoint."),
  headers: namedList(
    header,
    32,
    "Headers of every request; an Authorization here wins over forwarding.",
  ).exactOptional(),
  forwardInboundAuth: flag("Whether it receives the caller's bearer token (BRR-1). Default false.").exactOptional(),
});

const container = object("A server in an image of its own that speaks stdio.", {
  image: text(512, "The image; from the repositories that the installation allows.", {
    min: 1,
    pattern: /^[a-zA-Z0-9][-a-zA-Z0-9._/:]*(@sha256:[0-9a-f]{64})?$/,
    expected: "an image reference",
  }),
  command: args("The program and what stands before its arguments; it is needed, since nobody reads the image for it."),
  args: args("Its arguments.").exactOptional(),
});

/** A name with extras and versions, as pip and uv write it. */
const requirement = text(214, "A requirement.", {
  min: 1,
  pattern:
    /^[A-Za-z0-9][A-Za-z0-9._-]*(\[[A-Za-z0-9,._-]+\])?((==|!=|<=|>=|~=|<|>)[0-9A-Za-z.*+!-]+(,(==|!=|<=|>=|~=|<|>)[0-9A-Za-z.*+!-]+)*)?$/,
  expected: "a requirement such as mcp<2",
});

const packageSource = withRules(
  object("A published package that speaks stdio, installed by npm or run by uvx.", {
    kind: choice(packageKinds, "Where it is published: npm or pypi (run by uvx)."),
    name: text(214, "Its name there.", {
      min: 1,
      pattern: /^(@[a-zA-Z0-9._~-]+\/)?[a-zA-Z0-9][a-zA-Z0-9._~-]*$/,
      expected: "the name of a package, such as @modelcontextprotocol/server-memory or mcp-server-time",
    }),
    version: text(64, "Its version. Absent: the latest when its bridge starts, which a condition warns of.", {
      min: 1,
      pattern: /^[0-9A-Za-z][0-9A-Za-z.+!_-]*$/,
      expected: "a version such as 1.2.3",
    }).exactOptional(),
    command: text(214, "The program in it, where that is not the package's own name.", {
      min: 1,
      pattern: /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/,
      expected: "the name of a program",
    }).exactOptional(),
    with: setOf(
      requirement,
      16,
      "Requirements that hold for what it is installed with, such as mcp<2; pypi only.",
    ).exactOptional(),
    args: args("The server's arguments.").exactOptional(),
  }),
  {
    cel: "self.kind == 'pypi' || !has(self.with)",
    message: "with is for packages of pypi; pin another version of this one",
    holds: ({ kind, with: requirements }) => kind === "pypi" || requirements === undefined,
  },
  {
    cel: "self.kind == 'npm' || !self.name.startsWith('@')",
    message: "a package of pypi has no scope; remove it from the name, or set kind to npm",
    holds: ({ kind, name }) => kind === "npm" || !name.startsWith("@"),
  },
);

const local = object("A program of this machine that speaks stdio; pallas up only.", {
  command: text(4096, "The program.", { min: 1 }),
  args: args("Its arguments.").exactOptional(),
  cwd: text(4096, "The folder it runs in, relative to the manifest's. Default that folder.", {
    min: 1,
  }).exactOptional(),
});

const envEntry = withRules(
  object("A variable of the server's process; its value is given here or in a Secret.", {
    name: text(128, "Name of the variable.", {
      min: 1,
      pattern: /^[A-Za-z_][A-Za-z0-9_]*$/,
      expected: "the name of a variable: letters, digits and underscores",
    }),
    value: text(32_768, "Its value, where it is not a secret.").exactOptional(),
    valueFrom: secretSource.exactOptional(),
  }),
  {
    cel: "has(self.value) != has(self.valueFrom)",
    message: "exactly one of value and valueFrom is needed",
    holds: (entry) => (entry.value === undefined) !== (entry.valueFrom === undefined),
  },
  {
    cel: "!self.name.startsWith('PALLAS_')",
    message: "name cannot start with PALLAS_, which is for variables of Pallas",
    holds: ({ name }) => !name.startsWith("PALLAS_"),
  },
);

const egressEntry = object("A host that it connects to.", {
  host: text(253, "Host name or IP address.", {
    min: 1,
    pattern: /^([0-9a-fA-F]*:[0-9a-fA-F:.]*|[a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?)$/,
    expected: "a host name or IP address without scheme and port",
  }),
  port: integer(1, 65_535, "Port. Default 443.").exactOptional(),
});

const toolPattern = text(128, "A tool's name; * stands for any characters.", { min: 1 });

const serverSpec = withRules(
  object("What the server is and how it is run.", {
    instanceRef: withTransitionRule(nameRef("The instance it belongs to, in the same namespace; it cannot change."), {
      cel: "self == oldSelf",
      message: "instanceRef cannot change; create another server instead",
    }),
    serverName: serverName(
      "Name that agents refer to, and that progress messages show. Default metadata.name.",
    ).exactOptional(),
    title: text(100, "Title for people.").exactOptional(),
    description: text(4096, "What it is for.").exactOptional(),
    tags: setOf(
      text(63, "A tag.", { min: 1, pattern: /^[!-~]([ -~]*[!-~])?$/, expected: "printable ASCII characters" }),
      32,
      "Words it is found by.",
    ).exactOptional(),
    active: flag("Whether it is started; otherwise it is known, and nothing runs.").default(true),
    listed: flag("Whether a gateway shows its tools to everybody who may call them.").default(false),
    remote: remote.exactOptional(),
    container: container.exactOptional(),
    package: packageSource.exactOptional(),
    local: local.exactOptional(),
    env: namedList(envEntry, 64, "Variables of its process; not for remote.").exactOptional(),
    sessions: object("Its processes; not for remote.", {
      processes: choice(
        ["perSession", "shared"],
        "perSession: a process for each MCP session; shared: one for all. Default perSession.",
      ).exactOptional(),
      max: integer(1, 64, "Processes at the same time. Default 16.").exactOptional(),
      idleTtl: duration("24h", "How long a session without a request keeps its process. Default 10m.").exactOptional(),
    }).exactOptional(),
    egress: list(egressEntry, 32, "Hosts that it connects to, beside where its package comes from.").exactOptional(),
    tools: object("Which of its tools are offered. Default all.", {
      allow: setOf(toolPattern, 128, "Only these.").exactOptional(),
      deny: setOf(toolPattern, 128, "Not these; it wins over allow.").exactOptional(),
    }).exactOptional(),
    timeout: duration("24h", "Deadline of one tool call, restarted by its progress. Default 60s.").exactOptional(),
    pin: choice(
      pinModes,
      "What becomes of a tool whose definition changed: off (nothing), warn (it is reported), block (it is hidden until somebody approves it). Default warn.",
    ).exactOptional(),
    resources: resourcesWithin("1Gi", "Compute resources of all its processes together.").exactOptional(),
    pod: pod.exactOptional(),
  }),
  {
    cel: "[has(self.remote), has(self.container), has(self.package), has(self.local)].filter(given, given).size() == 1",
    message: "exactly one of remote, container, package and local is needed",
    holds: (spec) =>
      [spec.remote, spec.container, spec.package, spec.local].filter((given) => given !== undefined).length === 1,
  },
  {
    cel: "!has(self.remote) || !(has(self.env) || has(self.sessions) || has(self.egress))",
    message: "env, sessions and egress are for servers that run here; remove them from a remote one",
    holds: ({ remote: given, env, sessions, egress }) =>
      given === undefined || (env === undefined && sessions === undefined && egress === undefined),
  },
  {
    cel: "!has(self.container) || self.container.command.size() > 0",
    message: "container.command must name the program, since nobody reads the image for it",
    holds: (spec) => spec.container === undefined || spec.container.command.length > 0,
  },
);

const pinnedTool = object("A tool as it was approved.", {
  name: text(128, "Its name.", { min: 1 }),
  hash: text(64, "Digest of its definition.", { pattern: /^[0-9a-f]*$/, expected: "a hex digest" }),
});

const serverStatus = object("What was observed: by the operator, and of its tools by the instance's gateway.", {
  observedGeneration: observedGeneration.exactOptional(),
  conditions: conditionList.exactOptional(),
  url: text(2048, "Where its MCP endpoint is reached in the cluster.").exactOptional(),
  toolCount: integer(0, 1_000_000, "Its tools as last listed.").exactOptional(),
  toolsHash: text(64, "Digest of all their definitions.").exactOptional(),
  listedAt: timestamp.meta({ description: "When they last changed." }).exactOptional(),
  pinned: namedList(pinnedTool, 1024, "Its tools as they were approved.").exactOptional(),
});

const readyCondition = (field: string) => `.status.conditions[?(@.type=="Ready")].${field}`;

export const pallasServer = {
  kind: "PallasServer",
  plural: "pallasservers",
  singular: "pallasserver",
  shortNames: ["ps"],
  description: "An MCP server that agents of an instance use.",
  spec: serverSpec,
  status: serverStatus,
  nameRules: [
    {
      cel: `self.metadata.name.size() <= ${maxNameChars} && self.metadata.name.matches('${rfc1035.source}')`,
      message: `metadata.name must be at most ${maxNameChars} lower-case letters, digits and hyphens, starting with a letter`,
      holds: (name) => name.length <= maxNameChars && rfc1035.test(name),
    },
  ],
  columns: [
    { name: "Instance", type: "string", jsonPath: ".spec.instanceRef.name", description: "Its instance." },
    { name: "Active", type: "boolean", jsonPath: ".spec.active", description: "Whether it is started." },
    { name: "Ready", type: "string", jsonPath: readyCondition("status"), description: "Whether it serves calls." },
    { name: "Tools", type: "integer", jsonPath: ".status.toolCount", description: "Its tools as last listed." },
    {
      name: "Message",
      type: "string",
      jsonPath: readyCondition("message"),
      description: "Why it is or is not Ready.",
      priority: 1,
    },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp", description: "Time since its creation." },
  ],
} satisfies ResourceDefinition;

export const serverManifest = manifestSchema(pallasServer);
export type PallasServer = z.output<typeof serverManifest>;
export type ServerSpec = PallasServer["spec"];
export type ServerStatus = NonNullable<PallasServer["status"]>;
/** What a server is made of. */
export const serverKinds = ["remote", "container", "package", "local"] as const;
export type ServerKind = (typeof serverKinds)[number];
