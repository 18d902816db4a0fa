// The operator asks agents for their health and says it on their resources. The agents are real to the API server; their
// admin port is one HTTP server of this test, since pods without a node have no address.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HealthReport } from "../../crds/health.ts";
import { createSliceInformer, podsInSlices } from "../../operator/health/watched-pods.ts";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import { agent, instance } from "../faults/space.ts";
import { connectToCluster } from "./kube-clients.ts";
import { startOperator, type OperatorProcess } from "./operator-process.ts";
import { watchNamespace, type WatchedNamespace } from "./watched-namespace.ts";

const up = { ok: true, checkedAt: "2026-11-21T10:00:00Z" };
const timeout = 20_000;

describe.skipIf(clusterMissing())("HLT-6 health on the resources", () => {
  let space: WatchedNamespace;
  let operator: OperatorProcess;
  let server: Server;
  /** What each agent answers; undefined: it breaks the connection. */
  const answers = new Map<string, Partial<HealthReport>>();
  let asked = 0;

  const start = () => {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("expected a TCP port");
    const env = {
      PALLAS_AGENT_HEALTH_URL: `http://127.0.0.1:${address.port}/{namespace}/{name}`,
      PALLAS_HEALTH_INTERVAL_MS: "1000",
    };
    return startOperator(cluster(), { namespaces: [space.name], env });
  };
  const conditions = async (name: string) =>
    (
      await Promise.all(
        ["ModelHealthy", "DownstreamsReachable", "Ready"].map((type) => space.condition("pallasagent", name, type)),
      )
    ).join("; ");
  const healthOf = async (name: string) => (await space.get("pallasagent", name)).status?.["health"];
  const answered = async (times: number) => {
    const before = asked;
    await expect.poll(() => asked, { timeout }).toBeGreaterThanOrEqual(before + times);
  };

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked += 1;
      const name = request.url?.split("/").at(-1) ?? "";
      const fields = answers.get(name);
      if (!fields) {
        request.socket.destroy();
      } else {
        const timestamp = new Date().toISOString();
        const report = { status: "ok", timestamp, agent: name, providers: { openai: up }, downstreams: {}, ...fields };
        response.end(JSON.stringify(report));
      }
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    space = await watchNamespace("health");
    await space.operator.stop();
    operator = await start();
    answers.set("research", { downstreams: { argos: up } });
    await space.apply(instance(), agent("research"));
    await space.waitFor("pallasagent", "research", "condition=Ready");
  });
  afterAll(async () => {
    await operator[Symbol.asyncDispose]();
    server.closeAllConnections();
    server.close();
    await space[Symbol.asyncDispose]();
  });

  it("a healthy agent: both conditions True beside Ready", async () => {
    await expect.poll(() => conditions("research"), { timeout }).toBe("True Healthy; True Reachable; True Ready");
    expect(await healthOf("research")).toBe("ok");
    const columns = await space.kubectl("get", "pallasagents");
    expect(columns).toMatch(/HEALTH/);
    expect(columns).toMatch(/research .* ok /);
  });

  it("a model and a server that fail are named, and the agent stays Ready", async () => {
    const down = { ok: false, checkedAt: up.checkedAt };
    answers.set("research", {
      status: "degraded",
      message: "Unreachable: argos; LLM: openai: model 'x' not found",
      providers: { openai: { ...down, detail: "model 'x' not found" } },
      downstreams: { argos: { ...down, detail: "connection refused" } },
    });
    await expect
      .poll(() => conditions("research"), { timeout })
      .toBe("False ProviderUnhealthy; False DownstreamsUnreachable; True Ready");
    expect(await space.message("pallasagent", "research", "ModelHealthy")).toBe("openai: model 'x' not found");
    expect(await space.message("pallasagent", "research", "DownstreamsReachable")).toBe("argos: connection refused");
    expect(await healthOf("research")).toBe("degraded");
  });

  it("OPR-2 the same answer again, with another time and another duration, writes nothing", async () => {
    answers.set("research", { status: "degraded", message: "Slow: argos (2.3 s)" });
    await expect.poll(() => conditions("research"), { timeout }).toContain("True Healthy");
    const before = await space.get("pallasagent", "research");
    answers.set("research", { status: "degraded", message: "Slow: argos (4.9 s)" });
    await answered(3);
    expect((await space.get("pallasagent", "research")).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it("OPR-2 a new operator writes nothing either, before and after it has asked", async () => {
    answers.set("research", { downstreams: { argos: up } });
    await expect.poll(() => healthOf("research"), { timeout }).toBe("ok");
    await operator.stop();
    operator = await start();
    await answered(2);
    const { GET = 0, ...writes } = await operator.requests();
    expect(GET).toBeGreaterThan(0);
    expect(writes).toEqual({});
    expect(await conditions("research")).toBe("True Healthy; True Reachable; True Ready");
  });

  it("an agent that does not answer: error and Unknown, still Ready, until it answers again", async () => {
    answers.delete("research");
    await expect
      .poll(() => conditions("research"), { timeout })
      .toBe("Unknown AgentUnreachable; Unknown AgentUnreachable; True Ready");
    expect(await healthOf("research")).toBe("error");
    answers.set("research", {});
    await expect.poll(() => healthOf("research"), { timeout }).toBe("ok");
  });

  it("an agent without pods has no health", async () => {
    await space.kubectl("scale", "pallasagent/research", "--replicas=0");
    await expect
      .poll(() => conditions("research"), { timeout })
      .toBe("Unknown NotChecked; Unknown NotChecked; True Ready");
    expect(await healthOf("research")).toBeUndefined();
  });

  it("MET-4 the operator's metrics have controller-runtime's names", async () => {
    const names = [
      "controller_runtime_reconcile_total",
      "controller_runtime_reconcile_errors_total",
      "controller_runtime_terminal_reconcile_errors_total",
      "controller_runtime_reconcile_panics_total",
      "controller_runtime_reconcile_time_seconds_count",
      "controller_runtime_max_concurrent_reconciles",
      "controller_runtime_active_workers",
      "workqueue_depth",
      "workqueue_adds_total",
      "workqueue_retries_total",
      "workqueue_queue_duration_seconds_count",
      "workqueue_work_duration_seconds_count",
      "workqueue_unfinished_work_seconds",
      "workqueue_longest_running_processor_seconds",
    ];
    for (const name of names) {
      const labels = [...(await operator.metric(name)).keys()].join(" ");
      for (const controller of ["pallasagent", "pallasinstance"]) {
        expect(`${name} ${labels}`).toContain(`controller="${controller}"`);
      }
    }
    expect([...(await operator.metric("rest_client_requests_total")).keys()].join(" ")).toContain('method="GET"');
  });
});

describe.skipIf(clusterMissing())("HLT-6 where a cluster's agents are asked", () => {
  it("at their pods, ready or not, as the EndpointSlices of the cluster tell", async () => {
    await using space = await watchNamespace("slices");
    space.kubelet.hold("research");
    await space.apply(instance(), agent("research"));
    const find = () => space.kubectl("get", "pods", "--selector=pallas.helu.ca/agent=research", "--output=name");
    await expect.poll(find, { timeout }).toContain("pod/");
    const pod = (await find()).trim().slice("pod/".length);
    // Only pods on a node that exists come into slices.
    const node = space.name;
    await space.apply({ apiVersion: "v1", kind: "Node", metadata: { name: node } });
    const target = { apiVersion: "v1", kind: "Node", name: node };
    const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: pod }, target };
    const path = `/api/v1/namespaces/${space.name}/pods/${pod}/binding`;
    expect(await callApi(cluster(), { method: "POST", path, body: binding })).toMatchObject({ status: 201 });
    const setReady = async (status: "True" | "False") => {
      const conditions = [{ type: "Ready", status, lastTransitionTime: up.checkedAt }];
      const patch = { status: { phase: "Running", podIP: "10.9.8.7", podIPs: [{ ip: "10.9.8.7" }], conditions } };
      await space.kubectl("patch", "pod", pod, "--subresource=status", `--patch=${JSON.stringify(patch)}`);
    };
    const slices = createSliceInformer({ transport: connectToCluster(), namespaces: [space.name], log: silentLog() });
    slices.start();
    const pods = () => podsInSlices(slices.store, "agent").of(`${space.name}/research`);
    try {
      await setReady("False");
      await expect.poll(pods, { timeout }).toEqual([{ url: "http://10.9.8.7:9090/health", ready: false }]);
      await setReady("True");
      await expect.poll(pods, { timeout }).toEqual([{ url: "http://10.9.8.7:9090/health", ready: true }]);
    } finally {
      await slices.stop();
      await space.kubectl("delete", "node", node);
    }
  });
});
