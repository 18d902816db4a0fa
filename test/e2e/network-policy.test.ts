// The rendered policies on a network that holds to them: who reaches an agent, and whom an agent reaches.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agent, instance } from "../faults/space.ts";
import { needsPlatform } from "../tools/needs.ts";
import { agentUrl, modelUrl, startClient, startModel, startToolbox, toolboxPort, type ClientPod } from "./peers.ts";
import { createSpace, testbed, type Space } from "./testbed.ts";

const connectTimeoutMs = 3_000;

const needed = needsPlatform(testbed().enforcesNetworkPolicy ? undefined : "this cluster enforces no NetworkPolicies");

describe("SEC-3 who reaches whom on a real network", { ...needed, timeout: 180_000 }, () => {
  let space: Space;
  let other: Space;
  let friend: ClientPod;
  let stranger: ClientPod;
  let foreigner: ClientPod;
  const registryAddress = async (port: number) => {
    const chosen = ["--selector=pallas.helu.ca/component=registry", "--output=jsonpath={.items[0].status.podIP}"];
    return `${await space.kubectl("get", "pods", ...chosen)}:${port}`;
  };
  const podAddress = async (name: string, port: number) => {
    const [pod] = await space.pods(name);
    return `${JSON.parse(JSON.stringify(pod)).status.podIP}:${port}`;
  };
  /** "open" when a connection is made, whatever is said on it. */
  const reach = async (client: ClientPod, address: string): Promise<string> => {
    const program =
      "import socket, sys; host, port = sys.argv[1].rsplit(':', 1);" +
      `s = socket.socket(); s.settimeout(${connectTimeoutMs / 1_000}); print('open' if s.connect_ex((host, int(port))) == 0 else 'shut', end='')`;
    return client.python("-c", program, address);
  };
  const reachFrom = async (name: string, address: string): Promise<string> => {
    const [host, port] = address.split(":");
    const program =
      `const s = require("node:net").connect({ host: "${host}", port: ${port}, timeout: ${connectTimeoutMs} });` +
      `const end = (said) => () => { process.stdout.write(said); process.exit(0); };` +
      `s.on("connect", end("open")).on("error", end("shut")).on("timeout", end("shut"));`;
    return space.kubectl("exec", `deployment/${name}`, "--", "node", "-e", program);
  };

  beforeAll(async () => {
    [space, other] = await Promise.all([createSpace("policy"), createSpace("policy-other")]);
    [friend, stranger, foreigner] = await Promise.all([
      startClient(space),
      startClient(space, "stranger", {}),
      startClient(other),
      startModel(space, [{ replies: [{ text: "Yes." }], repeat: true }]),
      startToolbox(other),
    ]);
    const providers = [{ name: "mock", kind: "openai-compatible", baseUrl: modelUrl(space) }];
    await space.apply(
      instance("team", { defaultModel: "mock.scripted", providers }),
      agent("reader"),
      agent("lead", { agents: [{ name: "reader" }] }),
      agent("open", { networkPolicy: { enabled: false } }),
    );
    await space.agentsReady(["reader", "lead", "open"]);
  }, 180_000);
  afterAll(async () => {
    await space[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });

  it("a labelled client of the namespace reaches an agent's MCP port, and nothing else of it", async () => {
    expect(await reach(friend, await podAddress("reader", 8080))).toBe("open");
    expect(await reach(friend, await podAddress("reader", 9090))).toBe("shut");
  });

  it("a pod without the label does not, nor one of another namespace with it", async () => {
    expect(await reach(stranger, await podAddress("reader", 8080))).toBe("shut");
    expect(await reach(foreigner, await podAddress("reader", 8080))).toBe("shut");
  });

  it("an agent reaches those it calls, its model and the name servers, and nobody else", async () => {
    expect(await reachFrom("lead", await podAddress("reader", 8080))).toBe("open");
    expect(await reachFrom("reader", await podAddress("lead", 8080))).toBe("shut");
    expect(await reachFrom("reader", `model.${space.name}.svc:8080`)).toBe("open");
    expect(await reachFrom("reader", `toolbox.${other.name}.svc:${toolboxPort}`)).toBe("shut");
    expect(await reachFrom("reader", "169.254.169.254:80")).toBe("shut");
    expect(await reachFrom("reader", "kubernetes.default.svc:443")).toBe("shut");
  });

  it("everybody reaches a registry, nobody its probes, and it reaches its agents and the API server only", async () => {
    await space.instanceReady("team");
    expect(await reach(stranger, await registryAddress(24_200))).toBe("open");
    expect(await reach(stranger, await registryAddress(9090))).toBe("shut");
    expect(await reachFrom("team-registry", await podAddress("reader", 9090))).toBe("open");
    expect(await reachFrom("team-registry", await podAddress("reader", 8080))).toBe("shut");
    expect(await reachFrom("team-registry", "kubernetes.default.svc:443")).toBe("open");
    expect(await reachFrom("team-registry", `model.${space.name}.svc:8080`)).toBe("shut");
    expect(await reachFrom("team-registry", "169.254.169.254:80")).toBe("shut");
  });

  it("with the policy switched off everybody is let in", async () => {
    expect(await reach(stranger, await podAddress("open", 8080))).toBe("open");
  });

  it("what the policies allow is all that a conversation needs", async () => {
    const caller = await friend.openCaller(agentUrl(space, "lead"), "auto");
    expect(await caller.send({ message: "Hello" })).toMatchObject({ isError: false, text: "Yes." });
    await caller.stop();
    const health = JSON.parse(await friend.fetchText(`http://team-registry.${space.name}.svc:24200/healthz`));
    expect(health).toMatchObject({ status: "ok" });
  });
});
