// A token that the real API server signs for a gateway: lib/auth reads its keys with no right at all, knows whose it is, and
// the API server itself refuses it.
import { readFile } from "node:fs/promises";
import { KubeConfig } from "@kubernetes/client-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAuthenticate } from "../../lib/auth/authenticate.ts";
import { gatewayAudience } from "../../crds/names.ts";
import { createClusterTokens, type ClusterAccount } from "../../lib/auth/cluster-tokens.ts";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { createTransport } from "../../lib/kube/transport.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing, createNamespace } from "../cluster/cluster.ts";
import { renderTokenKubeconfig } from "../cluster/token-kubeconfig.ts";

interface Created {
  metadata: { name: string; uid: string };
  status?: { token?: string };
}

async function create(path: string, body: object): Promise<Created> {
  const answer = await callApi(cluster(), { method: "POST", path, body });
  if (answer.status !== 201) throw new Error(`expected 201 for ${path}, found ${answer.status}: ${answer.body}`);
  return JSON.parse(answer.body);
}

const createAccount = (namespace: string, name: string) =>
  create(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name } });

/** As `kubectl create token NAME --audience A` and the kubelet do it. */
async function requestToken(namespace: string, name: string, spec: object): Promise<string> {
  const { status } = await create(`/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, { spec });
  if (status?.token === undefined) throw new Error("expected a token from the API server, found none");
  return status.token;
}

/** Connected as a ServiceAccount to which nobody has given any right. */
async function connectAs(token: string) {
  const { url, caPath } = cluster();
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(renderTokenKubeconfig(url, await readFile(caPath, "utf8"), token));
  const transport = createTransport({ kubeConfig, userAgent: "gateway-test/1" });
  onTestFinished(() => transport.close());
  return transport;
}

const statusOf = async (token: string) => {
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  return (await callApi(cluster(), { method: "POST", path, body: {}, token })).status;
};

describe.skipIf(clusterMissing())("MGM-1 SEC-1 a ServiceAccount's token for a gateway", () => {
  it("is known by the cluster's published keys, and is worth nothing at the API server", async () => {
    await using home = await createNamespace("tokens");
    const namespace = home.name;
    await createAccount(namespace, "gateway");
    const server = await connectAs(await requestToken(namespace, "gateway", {}));
    const person = await createAccount(namespace, "on-call");
    const agent = await createAccount(namespace, "clerk-agent");
    const pod = await create(`/api/v1/namespaces/${namespace}/pods`, {
      metadata: { name: "clerk-1" },
      spec: { serviceAccountName: "clerk-agent", containers: [{ name: "c", image: "x" }] },
    });

    const audience = gatewayAudience("ouranos", namespace);
    const tokens = createClusterTokens({ server, audience, clock: systemClock, log: silentLog() });
    const seen: ClusterAccount[] = [];
    const authenticate = createAuthenticate({
      access: [{ role: "approver", serviceAccount: { name: "on-call" } }],
      namespace,
      cluster: tokens,
      tables: [],
      findAgent(account) {
        seen.push(account);
        return account.uid === agent.metadata.uid ? { agent: "clerk" } : undefined;
      },
    });
    const ask = (token: string) => authenticate({ url: "/mcp", authorization: [`Bearer ${token}`], protocols: [] });

    const ofPerson = await requestToken(namespace, "on-call", { audiences: [audience], expirationSeconds: 600 });
    expect(await ask(ofPerson)).toMatchObject({ kind: "person", role: "approver" });
    const { name, uid } = pod.metadata;
    const ofAgent = await requestToken(namespace, "clerk-agent", {
      audiences: [audience],
      expirationSeconds: 600,
      boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid },
    });
    expect(await ask(ofAgent)).toMatchObject({ kind: "agent", agent: "clerk" });
    expect(seen).toMatchObject([
      { namespace, name: "on-call", uid: person.metadata.uid },
      { namespace, name: "clerk-agent", uid: agent.metadata.uid, pod: { name, uid } },
    ]);
    expect([await statusOf(ofPerson), await statusOf(ofAgent)]).toEqual([401, 401]);

    // And the reverse: what the API server takes, the gateway does not, alone or beside its own audience.
    const ofServer = await requestToken(namespace, "on-call", {});
    expect(await statusOf(ofServer)).toBe(201);
    const elsewhere = gatewayAudience("gaia", namespace);
    const issuer = JSON.parse(Buffer.from(ofServer.split(".")[1] ?? "", "base64url").toString()).iss;
    for (const audiences of [[], [elsewhere], [audience, issuer]]) {
      const token = await requestToken(namespace, "on-call", { audiences });
      expect(await ask(token)).toMatchObject({ kind: "refused", status: 401, message: "Invalid token" });
    }
  });
});
