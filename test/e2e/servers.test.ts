// Tool servers of others as people run them: unmodified from npm, PyPI and an image without a shell, each in a restricted pod
// of its own; what becomes of their sessions, their secrets and of a server that dies.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ports } from "../../crds/names.ts";
import { agent, instance } from "../faults/space.ts";
import { startPackageMirror, type PackageMirror } from "../packages/mirror.ts";
import { eventually } from "./eventually.ts";
import { agentUrl, modelUrl, startClient, startModel, type ClientPod } from "./peers.ts";
import { openForward, type Forward } from "./port-forward.ts";
import { triedServers } from "./published-packages.ts";
import { createSpace, testbed, type Space } from "./testbed.ts";

const canary = `canary-${Math.random().toString(36).slice(2)}`;
const readyTimeoutMs = 180_000;

let space: Space;
let mirror: PackageMirror;
let client: ClientPod;

const server = (name: string, spec: object) => ({
  apiVersion: "pallas.helu.ca/v1alpha1",
  kind: "PallasServer",
  metadata: { name },
  spec: { instanceRef: { name: "team" }, ...spec },
});
/** With the way to the packages, which these pods have by the machine that runs the tests alone. */
function packaged(name: string, spec: object, env: object[] = []) {
  if (!("package" in spec)) return server(name, spec);
  const { nodeAddress } = testbed().cluster;
  const egress = [{ host: nodeAddress, port: mirror.port }];
  // Sixteen for the test's sessions; an agent and the gateway hold one each where the server was slow to say that it speaks 2026.
  const sessions = { max: 20 };
  return server(name, { ...spec, sessions, egress, env: [...mirror.renderEnv(nodeAddress), ...env] });
}
const serversReady = (names: readonly string[]) =>
  space.kubectl(
    ...["wait", "--for=condition=Ready", ...names.map((name) => `pallasserver/${name}`)],
    `--timeout=${readyTimeoutMs / 1_000}s`,
  );
const forward = (name: string): Promise<Forward> => openForward(space, `service/${name}-server`, 8080);

interface Session extends AsyncDisposable {
  readonly client: Client;
}
async function open(url: string, mode: "legacy" | { pin: "2026-07-28" } = "legacy"): Promise<Session> {
  const opened = new Client({ name: "e2e", version: "1.0.0" }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`));
  await opened.connect(transport);
  return {
    client: opened,
    async [Symbol.asyncDispose]() {
      await transport.terminateSession();
      await opened.close();
    },
  };
}
const callTool = async (session: Session, name: string, args: Record<string, unknown>): Promise<string> => {
  const result = await session.client.callTool({ name, arguments: args }, { timeout: 30_000 });
  return JSON.stringify(result);
};

beforeAll(async () => {
  [space, mirror] = await Promise.all([createSpace("servers"), startPackageMirror()]);
  await space.kubectl("create", "serviceaccount", "on-call");
  const replies = [
    { toolCalls: [{ name: "everything__get-sum", arguments: { a: 40, b: 2 } }] },
    { text: "It is done." },
  ];
  const found = "mcp__everything__get-sum";
  const finding = [
    {
      toolCalls: [
        { name: "registry", arguments: { action: "find_tool", query: "everything get the sum of two numbers" } },
      ],
    },
    { toolCalls: [{ name: found, arguments: { a: 40, b: 2 } }] },
    { text: "It was found." },
  ];
  [client] = await Promise.all([
    startClient(space),
    startModel(space, [
      { match: "find", replies: finding, repeat: true },
      { replies, repeat: true },
    ]),
  ]);
  await space.apply(
    instance("team", {
      defaultModel: "mock.scripted",
      providers: [{ name: "mock", kind: "openai-compatible", baseUrl: modelUrl(space) }],
      gateway: { access: [{ role: "operator", serviceAccount: { name: "on-call" } }] },
    }),
    { apiVersion: "v1", kind: "Secret", metadata: { name: "keys" }, stringData: { token: canary } },
  );
  const secret = { name: "EXAMPLE_TOKEN", valueFrom: { secretKeyRef: { name: "keys", key: "token" } } };
  await space.apply(
    ...triedServers.map(({ name, spec }) => packaged(name, spec, name === "everything" ? [secret] : [])),
    agent("worker", { servers: [{ name: "everything" }] }),
    agent("finder", { servers: [{ name: "registry" }] }),
  );
  await serversReady(triedServers.map(({ name }) => name));
}, 420_000);
afterAll(async () => {
  await space?.[Symbol.asyncDispose]();
  await mirror?.[Symbol.asyncDispose]();
});

describe("DSC-6 published servers in restricted pods", { timeout: 120_000 }, () => {
  it.each(triedServers)("$name lists its tools and answers, in both eras", async ({ name, call }) => {
    await using port = await forward(name);
    for (const mode of ["legacy", { pin: "2026-07-28" }] as const) {
      await using session = await open(port.url, mode);
      const { tools } = await session.client.listTools();
      expect(tools.map((tool) => tool.name)).toContain(call.tool);
      expect(await callTool(session, call.tool, call.arguments)).toMatch(call.says);
    }
  });

  it.each(triedServers)(
    "the bridge of $name answers the operator, through both sides' NetworkPolicies",
    async ({ name }) => {
      const path = `{.status.conditions[?(@.type=="Available")].message}`;
      const available = () => space.kubectl("get", "pallasserver", name, `--output=jsonpath=${path}`);
      await expect.poll(available, { timeout: 60_000, interval: 1_000 }).toBe("1 of 1 pods are available");
    },
  );

  it("an agent calls one that it names as it names those of its instance", async () => {
    await space.agentsReady(["worker"], 120_000);
    const caller = await client.openCaller(agentUrl(space, "worker"), "auto");
    try {
      const answer = await caller.send({ message: "add" });
      expect(answer.text).toBe("It is done.");
      expect(answer.lines.some((line) => line.startsWith("everything/get-sum"))).toBe(true);
    } finally {
      await caller.stop();
    }
  });

  it("DSC-1 an agent that has only the registry of its gateway finds one that it does not name, and calls it", async () => {
    await Promise.all([space.agentsReady(["finder"], 120_000), space.instanceReady("team")]);
    // Its tools are found once the gateway has listed them.
    let attempt = 0;
    await eventually("the tool to be found and called", 90_000, async () => {
      const caller = await client.openCaller(agentUrl(space, "finder"), "auto");
      try {
        const answer = await caller.send({ message: `find and add, ${(attempt += 1)}` });
        expect(answer.text).toBe("It was found.");
        expect(answer.lines).toContain("registry/find_tool: completed");
        expect(answer.lines).toContain("everything/get-sum: completed");
        return true;
      } finally {
        await caller.stop();
      }
    });
  });

  it("of 16 sessions with 100 calls each none hears another's answer", async () => {
    await using port = await forward("everything");
    const sessions: Session[] = [];
    try {
      await Promise.all(Array.from({ length: 16 }, async () => sessions.push(await open(port.url))));
      const talk = async (session: Session, at: number) => {
        for (let call = 0; call < 100; call += 1) {
          const message = `session ${at} call ${call}.`;
          expect(await callTool(session, "echo", { message })).toContain(message);
        }
      };
      await Promise.all(sessions.map(talk));
    } finally {
      await Promise.all(sessions.map((session) => session[Symbol.asyncDispose]()));
    }
  });
});

describe("DSC-6 a server that dies", { timeout: 120_000 }, () => {
  /** Kills the processes whose command line has `word`, in the bridge's container. */
  const killAll = (deployment: string, word: string) =>
    space.kubectl(
      ...["exec", `deployment/${deployment}`, "--", "node", "-e"],
      `const fs = require("node:fs");
      let killed = 0;
      for (const pid of fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name))) {
        let line = "";
        try { line = fs.readFileSync("/proc/" + pid + "/cmdline", "utf8"); } catch {}
        if (line.includes(process.argv[1]) && Number(pid) !== process.pid && pid !== "1") { process.kill(Number(pid), "SIGKILL"); killed += 1; }
      }
      console.log(killed);`,
      word,
    );

  it("fails the call in flight once, with a reason, and answers the next", async () => {
    await using port = await forward("everything");
    await using session = await open(port.url);
    const long = { name: "trigger-long-running-operation", arguments: { duration: 60, steps: 60 } };
    const running = session.client.callTool(long, { timeout: 60_000 }).then(
      (result) => JSON.stringify(result),
      (error: unknown) => String(error),
    );
    expect(await callTool(session, "echo", { message: "before" })).toContain("before");
    expect(Number(await killAll("everything-server", "mcp-server-everything"))).toBeGreaterThan(0);
    expect(await running).toMatch(/ended|exited|died|killed|closed/i);
    expect(await callTool(session, "echo", { message: "after" })).toContain("after");
  });
});

describe("DSC-6 DSC-8 what a server wrote to standard error", { timeout: 120_000 }, () => {
  it("is read through the gateway, which alone reaches its bridge, and has no secret", async () => {
    const token = await space.kubectl("create", "token", "on-call", `--audience=pallas:${space.name}/team`);
    await using port = await openForward(space, "service/team-gateway", ports.gateway);
    const read = async () => {
      const headers = { authorization: `Bearer ${token.trim()}` };
      const response = await fetch(`${port.url}/api/servers/everything/stderr`, { headers });
      return { status: response.status, body: await response.text() };
    };
    // This server greets there each time that a process of it starts.
    await expect.poll(read, { timeout: 30_000, interval: 1_000 }).toMatchObject({
      status: 200,
      body: expect.stringMatching(/"lines":\["/),
    });
    expect((await read()).body).not.toContain(canary);
  });
});

describe("DSC-6 what a server leaves behind", { timeout: 120_000 }, () => {
  const runInPod = async (script: string) =>
    (await space.kubectl("exec", "deployment/memory-server", "--", "node", "-e", script)).trim();
  const readStates = `const { readdirSync, readFileSync } = require("node:fs");
    const states = readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).map((pid) => {
      try { return readFileSync("/proc/" + pid + "/stat", "utf8").replace(/.*\\) (.).*/s, "$1"); } catch { return ""; }
    });
    console.log(states.join(""));`;

  it("is reaped once it ends", async () => {
    await runInPod(
      `require("node:child_process").spawn(process.execPath, ["-e", "setTimeout(() => {}, 300)"], { detached: true, stdio: "ignore" }).unref()`,
    );
    await expect.poll(() => runInPod(readStates), { timeout: 20_000, interval: 1_000 }).toMatch(/^[RSDI]+$/);
  });
});

describe("SEC-1 a server's secrets", { timeout: 120_000 }, () => {
  it("reach its own process and no other one, no log, no object and no status", async () => {
    await using port = await forward("everything");
    await using session = await open(port.url);
    expect(await callTool(session, "get-env", {})).toContain(canary);
    const readBridges = `const { readdirSync, readFileSync } = require("node:fs");
      for (const pid of readdirSync("/proc").filter((name) => /^\\d+$/.test(name))) {
        try {
          if (!readFileSync("/proc/" + pid + "/cmdline", "utf8").includes("/app/bridge.js")) continue;
          console.log(readFileSync("/proc/" + pid + "/environ", "utf8"));
        } catch {}
      }`;
    const variables = await space.kubectl("exec", "deployment/everything-server", "--", "node", "-e", readBridges);
    expect(variables).toContain("PALLAS_BRIDGE_CONFIG");
    expect(variables).not.toContain(canary);
    const kinds = "configmaps,pods,deployments,pallasservers,pallasagents,pallasinstances,events";
    expect(await space.kubectl("get", kinds, "--output=yaml")).not.toContain(canary);
    for (const { metadata } of await space.list("pods")) {
      const log = await space.kubectl("logs", metadata.name, "--all-containers");
      expect({ pod: metadata.name, leaks: log.includes(canary) }).toEqual({ pod: metadata.name, leaks: false });
    }
  });
});

describe("DSC-6 servers that cannot run say why", { timeout: 180_000 }, () => {
  const conditions = (name: string) => async () => {
    const { status } = await space.read("pallasserver", name);
    return JSON.stringify(status?.conditions ?? []);
  };
  const patience = { timeout: 90_000, interval: 1_000 };
  const wrong = (name: string, spec: object) => space.apply(packaged(name, spec));

  it("a package that does not exist", async () => {
    await wrong("absent", { package: { kind: "npm", name: "pallas-no-such-package", version: "1.0.0" } });
    await expect.poll(conditions("absent"), patience).toMatch(/404|not found|E404/i);
  });

  it("a program that ends at once", async () => {
    await wrong("brief", {
      package: {
        kind: "npm",
        name: "@modelcontextprotocol/server-filesystem",
        version: "2026.8.31",
        args: ["/no/such/folder"],
      },
    });
    await expect.poll(conditions("brief"), patience).toMatch(/no\/such\/folder|accessible/i);
  });

  it("an image that wants to be root", async () => {
    await wrong("rooted", { container: { image: "pallas-e2e/peers:e2e", command: ["/no-such-program"] } });
    await expect.poll(conditions("rooted"), patience).toMatch(/no-such-program|not found/i);
  });
});
