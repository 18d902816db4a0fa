// A scene in which everybody who can write something writes the corpus: who keeps manifests, a tool server, a server that fails, who
// registers in the directory, who calls, and who decides.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fillField, fillFields, lineTexts, opening } from "./hostile-text.ts";
import { askAgent, callTool, openApprover, proposeRules } from "./scene-caller.ts";
import { startScene, type Scene } from "./scene.ts";
import { xssCorpus } from "./xss-corpus.ts";

/** What the server says where, all of the corpus in each. */
const serverFields = [
  ...["calls-itself", "version", "instructions", "stderr", "schema-title", "schema-description", "property-title"],
  ...["property-description", "property-default", "property-format", "property-enum", "property-const"],
  ...[
    "variant-title",
    "group-title",
    "group-description",
    "item-title",
    "tool-title",
    "tool-description",
    "annotation-title",
  ],
  ...["asked-title", "asked-description", "asked-property-title", "asked-property-description"],
  ...["question", "tool-error", "protocol-error", "structured-text", "progress"],
  ...["tool-result", "link-name", "link-description", "embedded", "resource-name", "resource-title"],
  ...["resource-description", "template-name", "template-description", "resource-text", "prompt-title"],
  ...["prompt-description", "argument-description", "got-description", "prompt-text"],
];

const meta = (name: string) => ({ name, namespace: "default" });
const resource = (kind: string, name: string, spec: object) => ({
  apiVersion: "pallas.helu.ca/v1alpha1",
  kind,
  metadata: meta(name),
  spec: { instanceRef: { name: "ouranos" }, ...spec },
});

const agentTexts = fillFields("agent-description", 4_096);
const serverTexts = fillFields("server-description", 4_096);
const reasons = fillFields("policy-reason", 1_024);
const isAscii = (text: string) => /^[!-~]([ -~]*[!-~])?$/.test(text);

const resources = [
  resource("PallasAgent", "parrot", {
    title: opening("agent-title"),
    description: agentTexts[0],
    servers: [{ name: "hostile" }],
  }),
  resource("PallasAgent", "mute", { description: "Has a server that fails", servers: [{ name: "loud" }] }),
  ...agentTexts.map((description, index) => resource("PallasAgent", `idle-${index}`, { description })),
  resource("PallasServer", "hostile", {
    title: opening("server-title"),
    local: { command: "node", args: ["hostile-server.ts"] },
  }),
  resource("PallasServer", "loud", {
    description: "Exits at once",
    local: {
      command: "node",
      args: ["-e", `console.error(${JSON.stringify(opening("last-words"))}); process.exit(1)`],
    },
  }),
  ...serverTexts.map((description, index) =>
    resource("PallasServer", `off-${index}`, {
      // Where there is a title, the description is not shown.
      ...(index % 2 === 1 && { title: lineTexts[index] }),
      description,
      tags: xssCorpus.filter((text) => text.length <= 63 && isAscii(text)).slice(index * 10, index * 10 + 10),
      active: false,
      local: { command: "true" },
    }),
  ),
  resource("PallasPolicy", "hostile", {
    rules: [
      {
        name: "reads",
        match: { tools: ["read_*", "list_*", "count_*", "send_message", "get_health"] },
        action: "allow",
      },
      {
        name: "never",
        match: { tools: ["keep_note"], args: [{ path: "/never", equals: true }] },
        action: "denyContinue",
        reason: `${opening("denied-because")}${reasons[0]?.slice(0, 900)}`,
      },
      ...reasons.map((reason, index) => ({
        name: `asks-${index}`,
        match: {
          tools: [
            index === 0 ? "keep_note" : `never_${index}`,
            ...xssCorpus.filter((text) => text.length < 100 && !text.includes("*")).slice(index * 20, index * 20 + 20),
          ],
        },
        action: "ask",
        reason,
      })),
    ],
    default: "ask",
  }),
];

const renderInstance = (): string =>
  readFileSync(join(import.meta.dirname, "scene/instance.yaml"), "utf8")
    .replaceAll("policyRef: { name: careful }", "policyRef: { name: hostile }")
    .replace("title: Ouranos", `title: ${JSON.stringify(opening("instance-title"))}`);

/** What one call is made with: all texts as names and as values. */
const hostileArguments = {
  note: opening("argument"),
  lines: fillField("argument-lines"),
  ...Object.fromEntries(xssCorpus.map((text) => [text, text])),
};

export async function startHostileScene(): Promise<Scene> {
  const fields = {
    ...Object.fromEntries(serverFields.map((field) => [field, fillField(field)])),
    // A question has a limit.
    "asked-enum": opening("asked-enum"),
    "asked-enum-name": opening("asked-enum-name"),
  };
  const scene = await startScene({
    more: {
      "hostile.txt": JSON.stringify({ texts: xssCorpus, fields }),
      // JSON is YAML.
      "hostile.yaml": resources.map((each) => JSON.stringify(each)).join("\n---\n"),
      "instance.yaml": renderInstance(),
    },
    without: ["agents.yaml", "broken.yaml"],
  });
  return scene;
}

/** Somebody registers in the directory, in both forms. */
export async function register({ origin, tokens }: Scene): Promise<void> {
  const send = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${tokens.caller}`, "content-type": "application/json" };
    const response = await fetch(origin + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  };
  const names = fillFields("directory-name", 256, lineTexts);
  const descriptions = fillFields("directory-description", 4_096);
  for (const [index, name] of names.entries()) {
    await send("/agents", {
      name,
      description: descriptions[index % descriptions.length],
      labels: {
        label: opening("directory-label"),
        ...Object.fromEntries(xssCorpus.slice(index, index + 3).map((text) => [`l${text.length}`, text])),
      },
      capabilities: lineTexts
        .slice(index * 5, index * 5 + 5)
        .map((text) => ({ name: text, description: text, tags: [text.slice(0, 64)] })),
      endpoints: [
        {
          name: opening("endpoint-name"),
          transport: "Amqp",
          protocol: "Unknown",
          address: "javascript:__xss()",
          livenessModel: "Persistent",
          heartbeatIntervalSeconds: 30,
        },
      ],
    });
  }
  await send("/mcp/servers", {
    serverCard: {
      mcpVersion: "2025-11-25",
      serverInfo: { name: opening("card-name"), version: opening("card-version") },
      endpoints: { streamableHttp: "https://elsewhere.invalid/mcp?__xss()" },
      capabilities: { tools: { listChanged: true } },
      tools: lineTexts.map((text) => ({ name: text, description: text, inputSchema: { type: "object" } })),
    },
  });
}

/** Of values that are equal to those of the last approved call, fewer are in sight. */
const changed = {
  note: `${opening("changed-argument")} changed`,
  lines: `${fillField("argument-lines")}\nchanged`,
  [opening("argument-name")]: 1,
};

/** Somebody proposes other rules. Resolves with the proposal's name. */
export function propose(scene: Scene): Promise<string> {
  const rules = lineTexts.slice(0, 40).map((text, index) => ({
    name: `proposed-${index}`,
    match: { tools: [text.replaceAll("*", "x").slice(0, 128)] },
    action: "ask",
    reason: index === 0 ? opening("proposed-rule") : text,
  }));
  return proposeRules(scene, { policy: "hostile", rules, reason: fillFields("proposal-reason", 1_000)[0] ?? "" });
}

/** Calls that wait: of them one is denied and one approved, with reasons, and one goes on waiting. */
export async function bringCalls(scene: Scene): Promise<void> {
  await using approver = await openApprover(scene);
  for (const decision of ["deny_continue", "approve", undefined]) {
    const answer = askAgent(
      scene,
      "parrot",
      callTool("hostile__keep_note", decision === undefined ? { ...hostileArguments, ...changed } : hostileArguments),
    );
    answer.catch(() => undefined);
    const pending = await approver.untilOneWaits();
    if (decision === undefined) return;
    await approver.decide(pending, decision, fillFields("verdict-reason", 1_000)[0]);
    await approver.untilPending(0);
    await answer;
  }
}
