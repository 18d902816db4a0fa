// What the other end-to-end tests take for granted of their cluster, whoever has made it.

import { randomBytes } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { importProbeImage, renderProbePod } from "../cluster/node/network-policy-probe.ts";
import { needsPlatform } from "../tools/needs.ts";
import { openedCluster, testbed } from "./testbed.ts";

describe("the cluster under test", { timeout: 120_000 }, () => {
  const cluster = openedCluster();
  const namespace = `cluster-${randomBytes(4).toString("hex")}`;
  const kubectl = (args: readonly string[], object?: object): Promise<string> =>
    cluster.kubectl(["--namespace", namespace, ...args], object === undefined ? {} : { input: JSON.stringify(object) });

  beforeAll(async () => {
    await importProbeImage(cluster);
    await cluster.kubectl(["create", "namespace", namespace]);
    await cluster.kubectl(["label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted"]);
    for (const name of ["client", "server"]) await kubectl(["apply", "--filename=-"], renderProbePod(name));
    await kubectl(["expose", "pod", "server", "--port=80", "--target-port=8080"]);
    await kubectl(["wait", "--for=condition=Ready", "--timeout=60s", "pod/client", "pod/server"]);
  }, 120_000);

  afterAll(() => cluster.kubectl(["delete", "namespace", namespace, "--wait=false"]));

  it("has nodes, all of them Ready", async () => {
    const ready = '{.items[*].status.conditions[?(@.type=="Ready")].status}';
    expect(await cluster.kubectl(["get", "nodes", `--output=jsonpath=${ready}`])).toMatch(/^True( True)*$/);
  });

  it("DNS answers in a pod: a Service has its address, another name does not exist", async () => {
    const address = await kubectl(["get", "service", "server", "--output=jsonpath={.spec.clusterIP}"]);
    const lookup = (name: string): Promise<string> => kubectl(["exec", "client", "--", "/probe", "lookup", name]);
    expect((await lookup("server")).trim()).toBe(address);
    expect((await lookup(`server.${namespace}.svc.cluster.local`)).trim()).toBe(address);
    await expect(lookup("nobody")).rejects.toThrow("no such host");
  });

  it("a Service leads to its pod", async () => {
    const url = `http://server.${namespace}`;
    const fetched = (): Promise<string> => kubectl(["exec", "client", "--", "/probe", "fetch", url]);
    await expect.poll(fetched, { timeout: 15_000 }).toBe("server\n");
  });

  it("logs of a pod can be read, and helm reaches the server", async () => {
    expect(await kubectl(["logs", "server"])).toBe("");
    expect(await cluster.helm(["list", "--namespace", namespace, "--output=json"])).toBe("[]\n");
  });

  // An existing cluster may leave policies unenforced: the tests that need them ask.
  const isOurs = process.env["PALLAS_E2E_KUBECONFIG"] === undefined;
  it("enforces NetworkPolicies", needsPlatform(isOurs ? undefined : "the cluster is not ours"), () => {
    expect(testbed().enforcesNetworkPolicy).toBe(true);
  });
});
