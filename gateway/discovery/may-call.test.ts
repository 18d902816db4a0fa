// Who may call which tool (DSC-3), rule by rule, and then by chance: what is found, listed, suggested, described, told and called is never a
// tool that its caller may not call, nor does an answer say that there is one.
import { describe, expect, it } from "vitest";
import { matchesToolPattern } from "../../crds/tool-pattern.ts";
import type { Identity } from "../../lib/auth/roles.ts";
import type { ToolEntry } from "../../lib/mcp/table.ts";
import { sampleAgent } from "../../plan/testing/resources.ts";
import { person } from "../management/testing/management.ts";
import { openPolicy } from "../policy/testing/open-policy.ts";
import { openDiscoveryScene } from "../testing/discovery-scene.ts";
import { echoTool, remoteServer, startMcpServer } from "../testing/server-scene.ts";
import { serverResource } from "../testing/resources.ts";
import { createMayCall } from "./may-call.ts";
import { callAsOf } from "./tool-name.ts";

const agent = (name: string): Identity => ({
  kind: "agent",
  subject: `agent ${name}`,
  agent: name,
  name: `agent:${name}`,
});

function openRules({ servers = ["memory"], agents = [sampleAgent("clerk")] } = {}) {
  const known = new Map(servers.map((name) => [name, { name, resource: serverResource(name) }]));
  const byName = new Map(agents.map((each) => [each.metadata.name, each]));
  return createMayCall({
    state: { getServer: (name) => known.get(name), getAgent: (name) => byName.get(name) },
    policy: openPolicy(),
    findHints: () => undefined,
  });
}

const granted = (tools?: { allow?: string[]; deny?: string[] }, name = "registry") =>
  sampleAgent("clerk", { servers: [{ name, ...(tools && { tools }) }] });

describe("DSC-3 who may call a tool", () => {
  it.each([
    [person(undefined), false],
    [person("viewer"), false],
    [person("caller"), true],
    [person("admin"), true],
    [person("caller", { servers: ["mem*"] }), true],
    [person("caller", { servers: ["other"] }), false],
    [person("caller", { servers: [] }), false],
    [person("caller", { agents: [] }), true],
  ])("of a server, a person: %j %s", (identity, may) => {
    expect(openRules()(identity, "memory", "read_graph")).toBe(may);
  });

  it.each([
    [person("viewer"), "send_message", false],
    [person("caller"), "send_message", true],
    [person("caller"), "get_health", false],
    [person("caller", { agents: ["clerk"], servers: [] }), "send_message", true],
    [person("caller", { agents: ["other"] }), "send_message", false],
  ])("of an agent, a person: %j %s %s", (identity, tool, may) => {
    expect(openRules()(identity, "clerk", tool)).toBe(may);
  });

  it("a server wins over the agent of its name", () => {
    const may = openRules({ servers: ["clerk"] });
    expect(may(person("caller", { agents: [] }), "clerk", "send_message")).toBe(true);
    expect(may(person("caller", { servers: [] }), "clerk", "send_message")).toBe(false);
  });

  it.each([
    ["not given it", sampleAgent("clerk"), false],
    ["given it", granted(), true],
    ["given a server of another name", granted(undefined, "memory"), false],
    ["allowed the server's tools", granted({ allow: ["memory__*"] }), true],
    ["allowed others", granted({ allow: ["memory__write", "other__*"] }), false],
    ["denied it", granted({ deny: ["memory__read_*"] }), false],
    ["allowed and denied it", granted({ allow: ["*"], deny: ["memory__read_graph"] }), false],
  ])("an agent that was %s", (_, clerk, may) => {
    expect(openRules({ agents: [clerk] })(agent("clerk"), "memory", "read_graph")).toBe(may);
  });

  it("an agent calls no agents this way, and no servers that are not there", () => {
    const may = openRules({ agents: [granted(), sampleAgent("other")] });
    expect(may(agent("clerk"), "other", "send_message")).toBe(false);
    expect(may(agent("clerk"), "gone", "tool")).toBe(false);
    expect(may(agent("nobody"), "memory", "read_graph")).toBe(false);
  });

  it("an instance with a server called registry gives agents that server, and not this tool", () => {
    const may = openRules({ servers: ["memory", "registry"], agents: [granted()] });
    expect(may(agent("clerk"), "memory", "read_graph")).toBe(false);
  });
});

/** Numbers from 0 to 1 that are the same in each run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const verbs = ["read", "write", "list", "delete", "send", "create"];
const nouns = ["mail", "note", "graph", "issue", "file", "invoice"];
const serverNames = ["memory", "mail", "files", "mail-archive", "billing", "notes"];
const toolsOf = (server: string): ToolEntry[] =>
  verbs.flatMap((verb) => nouns.map((noun) => ({ ...echoTool(`${verb}_${noun}`), description: `${server} ${noun}` })));

interface WrittenRule {
  name: string;
  match: { servers?: string[]; tools?: string[]; callers?: string[]; roles?: string[]; args?: object[] };
  action: string;
}
interface WrittenPolicy {
  rules: WrittenRule[];
  default: string;
}

/** Half of them deny by names alone, and some ask or allow by arguments before that. */
function createPolicies(random: () => number, some: (all: readonly string[]) => string[]): () => WrittenPolicy {
  const pick = (all: readonly string[]): string => all[Math.floor(random() * all.length)] ?? "";
  const globsOf = (name: string, all: readonly string[]) => {
    const globs = random() < 0.5 ? some(all) : [];
    return globs.length === 0 ? {} : { [name]: globs };
  };
  const drawRule = (_: unknown, at: number): WrittenRule => ({
    name: `rule-${at}`,
    match: {
      ...globsOf("servers", ["ma*", "memory", "*s", "post*", "billing"]),
      ...globsOf("tools", ["read_*", "*_mail", "write_note", "send_message", "*e*"]),
      ...globsOf("callers", ["caller", "agent:*", "oper*", "nobody"]),
      ...globsOf("roles", ["caller", "none", "viewer"]),
      ...(random() < 0.3 && { args: [{ path: "/amount", lessThan: 100 }] }),
    },
    action: pick(["allow", "ask", "denyContinue", "denyAbort", "denyAbort"]),
  });
  return () => ({
    rules: Array.from({ length: Math.floor(random() * 5) }, drawRule),
    default: pick(["allow", "allow", "ask", "denyContinue"]),
  });
}

/** Whether no call of it can go out, by the rules as they are written. */
function isDeniedAlways(
  { rules, default: fallback }: WrittenPolicy,
  subject: Record<"servers" | "tools" | "callers" | "roles", string>,
) {
  const fits = (text: string, globs: string[] | undefined) =>
    globs === undefined || globs.some((glob) => new RegExp(`^${glob.replaceAll("*", ".*")}$`).test(text));
  const names = ["servers", "tools", "callers", "roles"] as const;
  const matching = rules.filter(({ match }) => names.every((name) => fits(subject[name], match[name])));
  const decisive = matching.findIndex(({ match, action }) => match.args === undefined || !action.startsWith("deny"));
  return (matching[decisive]?.action ?? fallback).startsWith("deny");
}

/** Every text of an answer, keys included. */
const render = (answer: unknown): string => JSON.stringify(answer);

describe("DSC-3 MGM-5 leaks", () => {
  it("10,000 random callers and queries see no tool that they may not call", async () => {
    const random = createRandom(7);
    const pick = (all: readonly string[]): string => all[Math.floor(random() * all.length)] ?? "";
    const scene = await openDiscoveryScene({ policy: { rules: [], default: "allow" } });
    for (const name of serverNames) {
      const { url } = await startMcpServer(toolsOf(name));
      scene.state.put(remoteServer(name, url));
    }
    scene.state.put(serverResource("stopped", { active: false, description: "secret payroll mail" }));
    scene.state.putAgent(sampleAgent("postman", { description: "Delivers mail." }));
    scene.state.putAgent(sampleAgent("hidden", { description: "Delivers mail in secret." }));
    const count = serverNames.length * verbs.length * nouns.length + 2;
    await expect.poll(() => scene.discovery.countIndexed(), { timeout: 20_000 }).toBe(count);

    const globs = ["*", "ma*", "mail", "memory", "*s", "notes", "billing", "none"];
    const patterns = ["mail__*", "*__read_*", "notes__write_note", "*", "memory__*", "files__list_*", "none__*"];
    const some = (all: readonly string[]) => [
      ...new Set(Array.from({ length: Math.floor(random() * 3) }, () => pick(all))),
    ];
    const drawPolicy = createPolicies(random, some);
    let judged = 0;
    let hidden = 0;
    for (let round = 0; round < 500; round += 1) {
      const isAgent = random() < 0.4;
      const [allow, deny] = [some(patterns), some(patterns)];
      const isGranted = random() < 0.9;
      const servers = some(globs);
      const agents = random() < 0.5 ? ["postman"] : [];
      const role = random() < 0.2 ? "viewer" : random() < 0.7 ? "caller" : "operator";
      const granting = isGranted ? [{ name: "registry", tools: { allow, deny } }] : [];
      scene.state.putAgent(sampleAgent("clerk", { servers: granting }));
      const policy = drawPolicy();
      scene.state.putPolicy(policy);
      const identity: Identity = isAgent ? agent("clerk") : person(role, { servers, agents });
      // The rule as it is written down, and not as it is programmed.
      const subject = { callers: identity.name, roles: isAgent ? "none" : role };
      const may = (server: string, tool: string): boolean =>
        mayAtAll(server, tool) && !isDeniedAlways(policy, { servers: server, tools: tool, ...subject });
      const mayAtAll = (server: string, tool: string): boolean => {
        if (!isAgent) {
          if (role === "viewer") return false;
          if (server === "postman" || server === "hidden") return agents.includes(server);
          return servers.some((glob) => matchesToolPattern(server, glob));
        }
        if (!isGranted || !serverNames.includes(server)) return false;
        const fits = (pattern: string) => matchesToolPattern(`${server}__${tool}`, pattern);
        return (allow.length === 0 || allow.some(fits)) && !deny.some(fits);
      };
      const expectMayBeTold = (text: string) => {
        for (const [, server = "", tool = ""] of text.matchAll(/mcp__([\w.-]+?)__(\w+)/g)) {
          if (!may(server, tool)) throw new Error(`${render(identity)} was told of ${server} ${tool}: ${text}`);
        }
      };
      for (let each = 0; each < 20; each += 1) {
        judged += 1;
        const [server, verb, noun] = [pick(serverNames), pick(verbs), pick(nouns)];
        const query = `${verb} ${noun} ${random() < 0.5 ? server : ""}`;
        const tool = `${verb}_${noun}`;
        const found = await scene.actNow(identity, { action: "find_tool", query, auto_activate: false });
        expectMayBeTold(render(found));
        const misspelt = await scene.actNow(identity, { action: "proxy_call", call_as: callAsOf(server, `${tool}s`) });
        expectMayBeTold(render({ ...misspelt.structuredContent, error: undefined }));
        if (may(server, tool)) continue;
        if (mayAtAll(server, tool)) hidden += 1;
        // What is there and not for this caller reads like what is not there at all.
        const [there, nowhere] = [callAsOf(server, tool), callAsOf("absent", tool)];
        const answers = [there, nowhere].map(async (name) => {
          const schema = await scene.actNow(identity, { action: "get_schema", call_as: name });
          const called = await scene.actNow(identity, { action: "proxy_call", call_as: name });
          return render([schema, called].map(({ structuredContent }) => structuredContent?.["error"])).replaceAll(
            name,
            "NAME",
          );
        });
        expect(await answers[0]).toBe(await answers[1]);
      }
      const listed = await scene.actNow(identity, { action: "status" });
      for (const { name, tools } of JSON.parse(render(listed)).structuredContent.servers) {
        for (const tool of tools) expect(may(name, tool)).toBe(true);
      }
      const { structuredContent } = JSON.parse(render(await scene.actNow(identity, { action: "list" })));
      for (const { name } of isAgent ? structuredContent.servers : []) {
        expect(toolsOf(name).some((tool) => may(name, tool.name))).toBe(true);
      }
    }
    expect(judged).toBe(10_000);
    // Enough of them are kept from somebody by the policy alone.
    expect(hidden).toBeGreaterThan(500);
  }, 120_000);
});
