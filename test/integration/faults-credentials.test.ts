// Tokens and certificate authorities that change while the operator runs, numbered as in test/faults/rows.ts. It reads
// both from files, as in a pod, and must follow them by itself; what is refused meanwhile is tried again.
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import { startFaultProxy } from "../faults/proxy.ts";
import { measureFollowing, measureRecovery, maxRecoveryMs } from "../faults/recovery.ts";
import { agent, createSpace, instance, type Space } from "../faults/space.ts";
import { startTlsFront } from "../faults/tls-front.ts";
import { startOperator } from "./operator-process.ts";
import { createOperatorAccount, operatorAccount } from "./program-account.ts";

/** A kubeconfig whose token and authority are files, as the kubelet hands them to a pod. */
async function createIdentity() {
  const dir = await mkdtemp(join(tmpdir(), "pallas-identity-"));
  const [kubeconfigPath, caPath, tokenPath] = ["kubeconfig", "ca.crt", "token"].map((name) => join(dir, name));
  if (kubeconfigPath === undefined || caPath === undefined || tokenPath === undefined) throw new Error("unreachable");
  return {
    kubeconfigPath,
    caPath,
    setToken: (token: string) => writeFile(tokenPath, `${token}\n`, { mode: 0o600 }),
    /** JSON, which is YAML too. */
    connectTo: (server: string) =>
      writeFile(
        kubeconfigPath,
        JSON.stringify({
          ...{ apiVersion: "v1", kind: "Config", "current-context": "here" },
          clusters: [{ name: "here", cluster: { server, "certificate-authority": caPath } }],
          users: [{ name: "me", user: { "auth-provider": { name: "tokenFile", config: { tokenFile: tokenPath } } } }],
          contexts: [{ name: "here", context: { cluster: "here", user: "me" } }],
        }),
      ),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

const hasDeployment = (space: Space) => async () => (await space.read("deployments", "alpha")) !== undefined;

/** A token of the operator's ServiceAccount that is good for as long as it is not revoked. */
async function issueToken(space: Space, secret: string) {
  await space.kubectl("create", "secret", "generic", secret);
  const bound = ["--bound-object-kind=Secret", `--bound-object-name=${secret}`];
  const token = (await space.kubectl("create", "token", operatorAccount, ...bound)).trim();
  const path = `/api/v1/namespaces/${space.name}/configmaps`;
  return {
    token,
    /** Resolves when the API server refuses it, which remembers for ten seconds whom it has known. */
    async revoke() {
      await space.kubectl("delete", "secret", secret);
      const isRefused = async () => (await callApi(cluster(), { path, token })).status === 401;
      await measureRecovery("401", Date.now(), isRefused);
    },
  };
}

describe.skipIf(clusterMissing())("OPR-7 the operator follows its credentials", { timeout: 120_000 }, () => {
  it.concurrent("fault 21: a token that is replaced before or after it is revoked", async () => {
    await using space = await createSpace("fault-21", cluster());
    await createOperatorAccount(cluster(), space.name);
    await space.apply(instance(), agent("alpha"));
    const [first, second, third] = [
      await issueToken(space, "first"),
      await issueToken(space, "second"),
      await issueToken(space, "third"),
    ];
    await using proxy = await startFaultProxy({ upstream: cluster() });
    await using identity = await createIdentity();
    await copyFile(proxy.caPath, identity.caPath);
    await identity.connectTo(proxy.url);
    await identity.setToken(first.token);
    const { kubeconfigPath } = identity;
    await using _operator = await startOperator(cluster(), { namespaces: [space.name], kubeconfigPath });
    await measureRecovery("a Deployment", Date.now(), hasDeployment(space));

    await identity.setToken(second.token);
    await first.revoke();
    expect(await measureFollowing(space, "alpha", 21, Date.now())).toBeLessThanOrEqual(maxRecoveryMs);

    await second.revoke();
    const refused = () => proxy.journal.filter(({ status, verb }) => status === 401 && verb === "watch").length;
    const before = refused();
    // The server ends no watch because of its token; a lost connection shows what it would say.
    proxy.faults.resetAll();
    await measureRecovery("refused watches", Date.now(), () => Promise.resolve(refused() >= before + 16));
    await space.setSteps("alpha", 22);
    const isFollowed = async () => (await space.steps("alpha")) === 22;
    expect(await isFollowed()).toBe(false);
    await identity.setToken(third.token);
    expect(await measureRecovery("the edit", Date.now(), isFollowed)).toBeLessThanOrEqual(maxRecoveryMs);
  });

  it.concurrent("fault 22: a server that comes back with another certificate authority", async () => {
    await using space = await createSpace("fault-22", cluster());
    await space.apply(instance(), agent("alpha"));
    await using identity = await createIdentity();
    await using front = await startTlsFront(cluster(), identity.caPath);
    await identity.connectTo(front.url);
    await createOperatorAccount(cluster(), space.name);
    await identity.setToken((await issueToken(space, "token")).token);
    const { kubeconfigPath } = identity;
    await using _operator = await startOperator(cluster(), { namespaces: [space.name], kubeconfigPath });
    await measureRecovery("a Deployment", Date.now(), hasDeployment(space));

    await front.renew();
    await space.setSteps("alpha", 22);
    await measureRecovery("several refusals", Date.now(), () => Promise.resolve(front.refusals >= 16));
    expect(await space.steps("alpha")).not.toBe(22);
    await front.publish();
    const isFollowed = async () => (await space.steps("alpha")) === 22;
    expect(await measureRecovery("the edit", Date.now(), isFollowed)).toBeLessThanOrEqual(maxRecoveryMs);
  });
});
