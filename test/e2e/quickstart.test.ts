// The first hour of a user: the examples applied to a cluster, every pod under `restricted`, the catalogue found through
// the registry's Service, and Daedalus in a pod of its own talking to agents by their names.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cataloguePath } from "../../crds/catalogue.ts";
import { agent, instance } from "../faults/space.ts";
import { parseObservation, type Observation } from "../integration/daedalus/observation.ts";
import { programsPath } from "./images/python-root.ts";
import { agentUrl, modelUrl, startClient, startModel, startToolbox, toolboxPort, type ClientPod } from "./peers.ts";
import { createSpace, isReady, type Space } from "./testbed.ts";

const examples = join(import.meta.dirname, "../../examples/quickstart");
const names = ["clerk", "concierge", "editor"];
const callTool = (tool: string, args: object): string => `***CALL_TOOL ${tool} ${JSON.stringify(args)}`;

describe("CAT-1 CAT-4 AGT-1 SEC-1 the examples on a cluster", { timeout: 120_000 }, () => {
  let space: Space;
  let client: ClientPod;

  beforeAll(async () => {
    space = await createSpace("quickstart");
    await Promise.all([startToolbox(space), startClient(space).then((started) => (client = started))]);
    // Here the tool server has a name, where it has a port on a laptop.
    const text = await readFile(join(examples, "instance.yaml"), "utf8");
    const input = text.replace("http://localhost:24290", `http://toolbox.${space.name}.svc:${toolboxPort}`);
    await space.cluster.kubectl(["apply", "--server-side", `--namespace=${space.name}`, "--filename=-"], { input });
    await space.kubectl("apply", "--server-side", `--filename=${join(examples, "agents.yaml")}`);
    await space.agentsReady(names);
    await space.instanceReady("quickstart");
  }, 180_000);
  afterAll(() => space[Symbol.asyncDispose]());

  it("every pod is Ready, runs as nobody, and holds no token", async () => {
    const pods = await space.list("pods", "app.kubernetes.io/managed-by=pallas");
    expect(pods.map(({ metadata }) => metadata.labels?.["pallas.helu.ca/component"] ?? "").toSorted()).toEqual([
      "agent",
      "agent",
      "agent",
      "gateway",
      "registry",
    ]);
    for (const pod of pods) {
      expect(isReady(pod)).toBe(true);
      expect(pod.spec).toMatchObject({ securityContext: { runAsNonRoot: true } });
    }
    const token = "/var/run/secrets/kubernetes.io/serviceaccount/token";
    const look = `console.log(process.getuid(), require("node:fs").existsSync("${token}"))`;
    expect(await space.kubectl("exec", "deployment/clerk", "--", "node", "-e", look)).toBe("65532 false\n");
  });

  it("the catalogue lists every agent, by the names that pods use", async () => {
    const text = await client.fetchText(`http://quickstart-registry.${space.name}.svc:24200${cataloguePath}`);
    const { servers }: { servers: { server: { name: string; remotes: { url: string }[] } }[] } = JSON.parse(text);
    expect(Object.fromEntries(servers.map(({ server }) => [server.name, server.remotes[0]?.url]))).toEqual(
      Object.fromEntries(names.map((name) => [`com.example.quickstart/${name}`, agentUrl(space, name)])),
    );
  });

  it.each(["legacy", "auto"] as const)("an agent asks another, and that one a tool (%s)", async (mode) => {
    const caller = await client.openCaller(agentUrl(space, "concierge"), mode);
    const question = callTool("toolbox__word_count", { text: "to be or not to be" });
    const answer = await caller.send({ message: callTool("clerk__clerk", { message: question }) });
    expect(answer).toMatchObject({ isError: false, text: expect.stringMatching(/\b6$/) });
    expect(answer.lines).toEqual(
      expect.arrayContaining([
        "clerk/clerk__clerk: started",
        "toolbox/word_count: completed",
        "clerk/clerk__clerk: completed",
      ]),
    );
    await caller.stop();
  });

  it("the registry has every agent's metrics and health", async () => {
    const registry = `http://quickstart-registry.${space.name}.svc:24200`;
    await expect
      .poll(() => client.fetchText(`${registry}/metrics`), { timeout: 40_000, interval: 1_000 })
      .toSatisfy((text: string) =>
        names.every((name) => new RegExp(`^pallas_agent_scrape_up\\{[^}]*agent="${name}"[^}]*\\} 1$`, "m").test(text)),
      );
    expect(JSON.parse(await client.fetchText(`${registry}/healthz`))).toMatchObject({ status: "ok" });
  });
});

describe("PRG-1 HLT-1 AGT-8 Daedalus in a pod", { timeout: 120_000 }, () => {
  let space: Space;
  let client: ClientPod;
  const conversations = [
    { match: "wait for it", replies: [{ text: "too late", delayMs: 60_000 }], repeat: true },
    { replies: [{ text: "Good morning." }], repeat: true },
  ];

  beforeAll(async () => {
    space = await createSpace("daedalus");
    await Promise.all([startModel(space, conversations), startClient(space).then((started) => (client = started))]);
    const providers = [{ name: "mock", kind: "openai-compatible", baseUrl: modelUrl(space) }];
    await space.apply(instance("team", { defaultModel: "mock.scripted", providers }), agent("tech-scout"));
    await space.agentsReady(["tech-scout"]);
    await space.instanceReady("team");
  }, 180_000);
  afterAll(() => space[Symbol.asyncDispose]());

  // A connection of the 2025 era is one conversation; later a call without a session begins its own.
  it.each([
    ["legacy", 3],
    ["auto", 2],
  ] as const)("finds, asks, reads back and cancels (%s)", async (mode, turns) => {
    const visit = [
      "--mode",
      mode,
      "--message=Hello",
      "--cancel-message=wait for it",
      "--cancel-at=tech_scout step 1 (llm)",
    ];
    const registry = `http://team-registry.${space.name}.svc:24200`;
    const seen: Observation = parseObservation(
      JSON.parse(await client.python(`${programsPath}/daedalus.py`, registry, "tech-scout", ...visit)),
    );
    expect(seen.entry.server.remotes).toEqual([{ type: "streamable-http", url: agentUrl(space, "tech-scout") }]);
    expect(seen.tools.map(({ name }) => name).toSorted()).toEqual([
      "clear_history",
      "get_health",
      "send_message",
      "tech_scout",
    ]);
    expect(seen.health).toMatchObject({ status: "ok" });
    expect(seen.sent.result.content).toEqual([{ type: "text", text: "Good morning." }]);
    expect(seen.sent.seen?.map(([, , line]) => line)).toContain("tech_scout step 1 (llm)");
    expect(seen.history.map(({ role }) => role)).toEqual(
      Array.from({ length: turns }, () => ["user", "assistant"]).flat(),
    );
    expect(seen.cancellation.healthAfter.status).toBe("ok");
  });
});
