// The gateway as people use it: tokens of the cluster, the inspector's command line, agents' own tokens, and calls through it
// while it is killed, drained and restarted. From outside by NodePorts, which outlive pods as port-forwards do not.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mounts, tokenNames } from "../../crds/names.ts";
import { agent, instance } from "../faults/space.ts";
import { needsPlatform } from "../tools/needs.ts";
import { eventually } from "./eventually.ts";
import { openInspector, type Inspector } from "./inspector.ts";
import { modelUrl, startClient, startModel, type ClientPod } from "./peers.ts";
import { startCatalogueReader, startProxiedLoad, type Attempt, type ProxiedLoad } from "./proxied-load.ts";
import { createSpace, isReady, testbed, type LiveObject, type Space } from "./testbed.ts";

const gatewayPods = "pallas.helu.ca/instance=team,pallas.helu.ca/component=gateway";
const conversations = [
  { match: "think long", replies: [{ text: "Done.", delayMs: 120_000 }], repeat: true },
  { replies: [{ text: "Yes." }], repeat: true },
];
const access = [
  { role: "approver", serviceAccount: { name: "on-call" } },
  { role: "viewer", serviceAccount: { name: "audit" } },
];

let space: Space;
let nodeUrl: (service: string) => Promise<string>;

const createToken = async (account: string): Promise<string> => {
  const audience = `pallas:${space.name}/team`;
  return (await space.kubectl("create", "token", account, `--audience=${audience}`, "--duration=1h")).trim();
};
const gateway = async (): Promise<LiveObject> => {
  const found = await space.list("pods", gatewayPods);
  const [pod] = found.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (pod === undefined) throw new Error("expected a pod of the gateway, found none");
  return pod;
};
/** JavaScript in a pod, and what it prints. */
const runIn = (of: string, program: string, ...args: string[]) =>
  space.kubectl("exec", of, "--", "node", "-e", program, ...args);

beforeAll(async () => {
  space = await createSpace("gateway");
  const { nodeAddress } = testbed().cluster;
  nodeUrl = async (service) => {
    const port = await space.kubectl("get", "service", service, "--output=jsonpath={.spec.ports[0].nodePort}");
    return `http://${nodeAddress}:${port}`;
  };
  await startModel(space, conversations);
  for (const account of ["on-call", "audit", "nobody"]) await space.kubectl("create", "serviceaccount", account);
  const service = { type: "NodePort" };
  await space.apply(
    instance("team", {
      defaultModel: "mock.scripted",
      providers: [{ name: "mock", kind: "openai-compatible", baseUrl: modelUrl(space) }],
      registry: { service },
      gateway: { service, access },
      http: { allowedHosts: [nodeAddress] },
    }),
    agent("reader"),
    agent("snail", { model: "slow", scope: "request", limits: { concurrentCalls: 16 } }),
  );
  await Promise.all([space.agentsReady(["reader", "snail"]), space.instanceReady("team")]);
}, 240_000);
afterAll(() => space?.[Symbol.asyncDispose]());

describe("MGM-1 MGM-3 the gateway at somebody's terminal", { timeout: 240_000 }, () => {
  let inspector: Inspector;
  beforeAll(async () => {
    inspector = await openInspector(`${await nodeUrl("team-gateway")}/mcp`, await createToken("on-call"));
  }, 900_000);
  afterAll(() => inspector?.[Symbol.asyncDispose]());
  const at = (path: string) => `resource://agents/reader/${path}`;
  const read = async (uri: string): Promise<unknown> => {
    const { contents }: { contents: [{ text: string }] } = JSON.parse(
      JSON.stringify(await inspector("resources/read", "--uri", uri)),
    );
    return JSON.parse(contents[0].text);
  };

  it("kubectl create token is all the login there is: agents are listed, shown and asked", async () => {
    const tools = JSON.stringify(await inspector("tools/list"));
    for (const name of ["agents_list", "agents_prompt", "agents_abort_agent"]) expect(tools).toContain(`"${name}"`);
    expect(tools).not.toContain('"agents_delete"');
    const listed = JSON.stringify(await inspector.callTool("agents_list", {}));
    for (const name of ["reader", "snail"]) expect(listed).toContain(name);
    expect(JSON.stringify(await inspector("resources/list"))).toContain(at("state"));
    expect(await read("resource://agents/list")).toEqual(
      ["reader", "snail"].map((id) => expect.objectContaining({ id, ready: true })),
    );
    const answer = await inspector.callTool("agents_prompt", { agent_id: "reader", message: "Hello" });
    expect(answer).toMatchObject({ content: expect.arrayContaining([expect.objectContaining({ text: "Yes." })]) });
  });

  it("a call that takes long is seen, and is over soon after it is aborted", async () => {
    const answer = inspector.callTool("agents_prompt", { agent_id: "reader", message: "think long" });
    answer.catch(() => undefined); // It is looked at below.
    const state = { agent_id: "reader", state: "running", runs: [{ run_id: expect.any(String) }] };
    await eventually("the call to be seen", 30_000, async () => {
      expect(await read(at("state"))).toMatchObject(state);
      return true;
    });
    const abortedAt = performance.now();
    expect(await inspector.callTool("agents_abort_agent", { agent_id: "reader" })).toMatchObject({
      structuredContent: { aborted: 1 },
    });
    await expect(answer).rejects.toThrow("isError");
    expect(performance.now() - abortedAt).toBeLessThan(60_000);
    expect(await read(at("state"))).toMatchObject({ state: "idle", runs: [] });
  });

  it("who may only look is offered no tool that does more, and who has no role is refused at the door", async () => {
    const url = `${await nodeUrl("team-gateway")}/mcp`;
    await using viewer = await openInspector(url, await createToken("audit"));
    const offered = JSON.stringify(await viewer("tools/list"));
    expect([offered.includes('"agents_list"'), offered.includes('"agents_prompt"')]).toEqual([true, false]);
    const headers = { authorization: `Bearer ${await createToken("nobody")}`, "content-type": "application/json" };
    const refused = await fetch(url, { method: "POST", headers, body: "{}" });
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("viewer")]);
  });
});

describe("SEC-1 MGM-4 an agent's own token", { timeout: 120_000 }, () => {
  it("is taken by its gateway, from within its pod, and by the API server with 401", async () => {
    const tokenFile = `${mounts.tokens}/${tokenNames.gateway}`;
    const call = { jsonrpc: "2.0", id: 1, method: "initialize", params: initializeParams };
    const program = `
      const authorization = "Bearer " + require("node:fs").readFileSync("${tokenFile}", "utf8").trim();
      const headers = { authorization, "content-type": "application/json", accept: "application/json, text/event-stream" };
      fetch(process.argv[1], { method: "POST", headers, body: process.argv[2] })
        .then(async (answer) => console.log(JSON.stringify({ status: answer.status, text: await answer.text() })))`;
    const ask = async (url: string, body: string): Promise<{ status: number; text: string }> =>
      JSON.parse(await runIn("deployment/reader", program, url, body));
    const answer = await ask(`http://team-gateway.${space.name}.svc:24300/mcp`, JSON.stringify(call));
    expect(answer).toMatchObject({ status: 200, text: expect.stringContaining("serverInfo") });
    // From outside, since agents' policies keep them from the API server. Without the administrator's certificate.
    const server = await space.cluster.kubectl(["config", "view", "--output=jsonpath={.clusters[0].cluster.server}"]);
    const nobody = ["--kubeconfig=/dev/null", `--server=${server}`, "--insecure-skip-tls-verify"];
    const whoIs = (token: string) => space.cluster.kubectl([...nobody, `--token=${token.trim()}`, "auth", "whoami"]);
    expect(await whoIs(await space.kubectl("create", "token", "on-call"))).toContain("on-call");
    const print = `console.log(require("node:fs").readFileSync("${tokenFile}", "utf8"))`;
    await expect(whoIs(await runIn("deployment/reader", print))).rejects.toThrow(/Unauthorized|must be logged in/);
  });
});

const initializeParams = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
};

const enforced = needsPlatform(
  testbed().enforcesNetworkPolicy ? undefined : "this cluster enforces no NetworkPolicies",
);

describe("SEC-3 a gateway on a real network", { ...enforced, timeout: 180_000 }, () => {
  const connectTimeoutMs = 3_000;
  let stranger: ClientPod;
  beforeAll(async () => {
    stranger = await startClient(space, "stranger", {});
  }, 90_000);
  const addressOf = async (selector: string) =>
    space.kubectl("get", "pods", `--selector=${selector}`, "--output=jsonpath={.items[0].status.podIP}");
  const reach = async (host: string, port: number): Promise<string> => {
    const program =
      "import socket, sys; s = socket.socket();" +
      `s.settimeout(${connectTimeoutMs / 1_000}); print('open' if s.connect_ex((sys.argv[1], int(sys.argv[2]))) == 0 else 'shut', end='')`;
    return stranger.python("-c", program, host, String(port));
  };
  const reachFrom = async (of: string, host: string, port: number): Promise<string> => {
    const program = `
      const [host, port] = process.argv.slice(1);
      const socket = require("node:net").connect({ host, port: Number(port), timeout: ${connectTimeoutMs} });
      const end = (said) => () => { process.stdout.write(said); process.exit(0); };
      socket.on("connect", end("open")).on("error", end("shut")).on("timeout", end("shut"));`;
    return runIn(of, program, host, String(port));
  };

  it("everybody reaches what it serves and nobody its probes; it reaches its agents, registry and API server only", async () => {
    const own = await addressOf(gatewayPods);
    expect([await reach(own, 24_300), await reach(own, 9090)]).toEqual(["open", "shut"]);
    const reader = await addressOf("pallas.helu.ca/agent=reader");
    const from = "deployment/team-gateway";
    expect([await reachFrom(from, reader, 8080), await reachFrom(from, reader, 9090)]).toEqual(["open", "open"]);
    expect(await reachFrom(from, await addressOf("pallas.helu.ca/component=registry"), 24_200)).toBe("open");
    expect(await reachFrom(from, "kubernetes.default.svc", 443)).toBe("open");
    expect(await reachFrom(from, `model.${space.name}.svc`, 8080)).toBe("shut");
    expect(await reachFrom(from, "169.254.169.254", 80)).toBe("shut");
  });

  it("agents reach it, and nothing else of it", async () => {
    const own = await addressOf(gatewayPods);
    expect(await reachFrom("deployment/reader", own, 24_300)).toBe("open");
    expect(await reachFrom("deployment/reader", own, 9090)).toBe("shut");
  });
});

describe("AGT-12 OPR-6 calls through a gateway that is disrupted", { timeout: 240_000 }, () => {
  const callTimeoutMs = 30_000;
  /** Until a new pod serves; a lost connection is noticed at once. */
  const backTimeoutMs = 20_000;

  interface Course {
    readonly load: ProxiedLoad;
    readonly disruptedAt: number;
  }

  /** 50 calls of three seconds, eight at a time, amid which `disrupt` happens; the catalogue never notices. */
  async function play(disrupt: () => Promise<unknown>): Promise<Course> {
    const registry = `${await nodeUrl("team-registry")}/.well-known/mcp/server.json`;
    const url = `${await nodeUrl("team-gateway")}/proxy/snail/mcp`;
    const catalogue = startCatalogueReader(registry, "snail");
    const load = startProxiedLoad({
      url,
      token: await createToken("on-call"),
      calls: 50,
      callers: 8,
      timeoutMs: callTimeoutMs,
    });
    await eventually("eight calls under way, after others", 60_000, async () => {
      const answered = load.attempts.filter(({ failure }) => failure === undefined).length;
      return (answered >= 8 && load.inFlight() === 8) || undefined;
    });
    const disruptedAt = performance.now();
    await disrupt();
    await load.done;
    const { reads, failures } = await catalogue.stop();
    expect(failures).toEqual([]);
    expect(reads).toBeGreaterThan(20);
    const answered = load.attempts.filter(({ failure }) => failure === undefined).map(({ call }) => call);
    expect(answered.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
    for (const { startedAt, endedAt } of load.attempts) expect(endedAt - startedAt).toBeLessThan(callTimeoutMs - 5_000);
    return { load, disruptedAt };
  }

  const failed = ({ load }: Course): Attempt[] => load.attempts.filter(({ failure }) => failure !== undefined);
  /** How long after the disruption the last try failed. */
  const lastFailureMs = (course: Course) =>
    Math.max(0, ...failed(course).map(({ endedAt }) => endedAt - course.disruptedAt));

  it("restarted by kubectl: nobody notices", async () => {
    const before = await gateway();
    const course = await play(async () => {
      await space.kubectl("rollout", "restart", "deployment/team-gateway");
      await space.kubectl("rollout", "status", "deployment/team-gateway", "--timeout=90s");
    });
    expect(failed(course)).toEqual([]);
    expect((await gateway()).metadata.uid).not.toBe(before.metadata.uid);
  });

  it("its only pod deleted: calls in flight are answered, and new ones wait for the next pod", async () => {
    const before = await gateway();
    const course = await play(() => space.kubectl("delete", "pod", before.metadata.name, "--wait=false"));
    expect(failed(course).filter(({ startedAt }) => startedAt < course.disruptedAt)).toEqual([]);
    expect(lastFailureMs(course)).toBeLessThan(backTimeoutMs);
    expect((await gateway()).metadata.uid).not.toBe(before.metadata.uid);
  });

  it("its process killed: what was in flight there fails at once or is resumed, and everything else is answered", async () => {
    const before = await gateway();
    const course = await play(() => kill(before.metadata.name));
    const lost = failed(course).filter(({ startedAt }) => startedAt < course.disruptedAt);
    for (const { endedAt } of lost) expect(endedAt - course.disruptedAt).toBeLessThan(5_000);
    for (const { failure } of failed(course)) {
      expect(failure).toMatch(/fetch failed|terminated|closed|ECONN|socket|503/i);
    }
    expect(lastFailureMs(course)).toBeLessThan(backTimeoutMs);
    const after = await eventually("the same pod, Ready again", 30_000, async () => {
      const pod = await gateway();
      return isReady(pod) ? pod : undefined;
    });
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.status?.containerStatuses?.[0]?.restartCount).toBe(1);
  });

  /** The kernel lets nobody in its container kill a first process: it ends by its own hand, at a debugger's word, without a step of its shutdown. */
  const kill = (pod: string) =>
    runIn(
      `pod/${pod}`,
      `process.kill(1, "SIGUSR1");
      const word = JSON.stringify({ id: 1, method: "Runtime.evaluate", params: { expression: "process.abort()" } });
      const find = () => fetch("http://127.0.0.1:9229/json").then((answer) => answer.json()).catch(() => new Promise((resolve) => setTimeout(resolve, 20)).then(find));
      find().then(([{ webSocketDebuggerUrl }]) => {
        const socket = new WebSocket(webSocketDebuggerUrl);
        socket.onopen = () => socket.send(word);
        socket.onclose = () => process.exit();
      });`,
    ).catch(() => undefined); // It goes with its container.
});
