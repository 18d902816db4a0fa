// What a node's NetworkPolicies let through. Their enforcement is our own (go/node/netpol.go), so the ways in which they
// select are tried here, once each.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { importProbeImage, renderProbePod } from "../cluster/node/network-policy-probe.ts";
import { startNodeCluster } from "../cluster/node/node-cluster.ts";
import type { NodeCluster } from "../cluster/node/node-cluster.ts";

const label = (app: string): object => ({ matchLabels: { app } });
const within = { timeout: 10_000 };

describe("NetworkPolicies on a node", { timeout: 120_000 }, () => {
  let cluster: NodeCluster;
  const addresses = new Map<string, string>();

  const apply = async (namespace: string, object: object): Promise<void> => {
    await cluster.kubectl(["apply", "--namespace", namespace, "--filename=-"], { input: JSON.stringify(object) });
  };
  const applyPolicy = (namespace: string, name: string, spec: object): Promise<void> =>
    apply(namespace, { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name }, spec });
  const probe = (namespace: string, pod: string, ...args: string[]): Promise<string> =>
    cluster.kubectl(["exec", "--namespace", namespace, pod, "--", "/probe", ...args]).then(
      () => "answered",
      (error: Error) => (/timeout|deadline exceeded/i.test(error.message) ? "dropped" : error.message),
    );
  const reaches = (namespace: string, pod: string, target: string): (() => Promise<string>) => {
    return () => probe(namespace, pod, "fetch", `http://${addresses.get(target)}:8080`);
  };
  beforeAll(async () => {
    cluster = await startNodeCluster();
    await importProbeImage(cluster);
    for (const namespace of ["near", "far"]) {
      await cluster.kubectl(["create", "namespace", namespace]);
      await cluster.kubectl(["label", "namespace", namespace, `team=${namespace}`]);
    }
    const pods = { near: ["server", "friend", "stranger"], far: ["visitor"] };
    for (const [namespace, names] of Object.entries(pods)) {
      for (const name of names) await apply(namespace, renderProbePod(name));
      const all = names.map((name) => `pod/${name}`);
      await cluster.kubectl(["wait", "--namespace", namespace, "--for=condition=Ready", "--timeout=60s", ...all]);
      for (const name of names) {
        const shown = ["get", "pod", name, "--namespace", namespace, "--output=jsonpath={.status.podIP}"];
        addresses.set(name, await cluster.kubectl(shown));
      }
    }
    await cluster.kubectl(["expose", "pod", "server", "--namespace", "near", "--port=80", "--target-port=http"]);
  }, 120_000);
  afterAll(() => cluster.stop());

  it("without a policy everybody reaches everybody", async () => {
    await expect.poll(reaches("near", "stranger", "server"), within).toBe("answered");
    await expect.poll(reaches("far", "visitor", "server"), within).toBe("answered");
  });

  it("a pod with ingress rules is reached by whom they select, on the ports they name, and by its probes", async () => {
    const from = [{ podSelector: label("friend") }, { namespaceSelector: { matchLabels: { team: "far" } } }];
    await applyPolicy("near", "to-server", {
      podSelector: label("server"),
      policyTypes: ["Ingress"],
      ingress: [{ from, ports: [{ port: "http" }] }],
    });
    await expect.poll(reaches("near", "stranger", "server"), within).toBe("dropped");
    await expect.poll(reaches("near", "friend", "server"), within).toBe("answered");
    await expect.poll(reaches("far", "visitor", "server"), within).toBe("answered");
    const ready = '{.status.conditions[?(@.type=="Ready")].status}';
    expect(await cluster.kubectl(["get", "pod", "server", "--namespace=near", `--output=jsonpath=${ready}`])).toBe(
      "True",
    );
  });

  it("a pod with egress rules reaches whom they select, through Services and by name, and nobody else", async () => {
    const dns = { namespaceSelector: {}, podSelector: { matchLabels: { "k8s-app": "kube-dns" } } };
    await applyPolicy("near", "from-friend", {
      podSelector: label("friend"),
      policyTypes: ["Egress"],
      egress: [
        { to: [dns], ports: [{ port: 53, protocol: "UDP" }] },
        { to: [{ podSelector: label("server") }], ports: [{ port: "http" }] },
      ],
    });
    await expect.poll(reaches("near", "friend", "stranger"), within).toBe("dropped");
    await expect.poll(() => probe("near", "friend", "fetch", "http://server"), within).toBe("answered");
    await expect.poll(reaches("near", "stranger", "friend"), within).toBe("answered");
  });

  it("blocks of addresses have exceptions, and ports have ranges", async () => {
    const block = { cidr: "10.244.0.0/16", except: [`${addresses.get("friend")}/32`] };
    await applyPolicy("far", "from-visitor", {
      podSelector: {},
      policyTypes: ["Egress"],
      egress: [{ to: [{ ipBlock: block }], ports: [{ port: 8000, endPort: 8100 }] }],
    });
    await expect.poll(reaches("far", "visitor", "friend"), within).toBe("dropped");
    await expect.poll(reaches("far", "visitor", "stranger"), within).toBe("answered");
    await expect.poll(() => probe("far", "visitor", "fetch", "http://10.244.0.1:7999"), within).toBe("dropped");
  });

  it("what a policy denied is reached again when it is gone", async () => {
    await cluster.kubectl(["delete", "networkpolicy", "--all", "--namespace=near"]);
    await expect.poll(reaches("near", "stranger", "server"), within).toBe("answered");
    await expect.poll(reaches("near", "friend", "stranger"), within).toBe("answered");
  });
});
