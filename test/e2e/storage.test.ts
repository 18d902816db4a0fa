// Histories on a volume: they outlive the pod and, with the backup of docs/operations.md, also the namespace.
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "../../lib/process/defined.ts";
import { agent, instance } from "../faults/space.ts";
import { needsPlatform } from "../tools/needs.ts";
import { agentUrl, modelUrl, readLastModelCall, startClient, startModel, type ClientPod } from "./peers.ts";
import { openPageShell, readBlock } from "./page-shell.ts";
import { eventually } from "./eventually.ts";
import { createNamedSpace, createSpace, isReady, openedCluster, type LiveObject, type Space } from "./testbed.ts";

const cluster = openedCluster();
/** The volume is a folder of this machine, which has to be the node. */
const isNodeHere = cluster.logsDir !== undefined;
const needed = needsPlatform(isNodeHere ? undefined : "the node, whose folder is the volume, is another machine");

describe("AGT-5 histories on a claim", { ...needed, timeout: 240_000 }, () => {
  let space: Space;
  let client: ClientPod;
  let folder: string;
  let sessionId: string | undefined;
  const volume = `histories-${process.pid}`;

  const renderVolume = (node: string): object => ({
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: volume },
    spec: {
      capacity: { storage: "64Mi" },
      accessModes: ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: "Retain",
      storageClassName: volume,
      local: { path: folder },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [node] }] },
          ],
        },
      },
    },
  });
  const startPeers = async () => {
    const replies = [{ text: "Noted." }];
    await startModel(space, [{ replies, repeat: true }]);
    client = await startClient(space);
  };
  /** What the model was sent of the conversation, this message included. */
  const ask = async (message: string): Promise<string> => {
    const caller = await client.openCaller(agentUrl(space, "clerk"), "auto");
    try {
      const answer = await caller.send({ message, ...defined({ session_id: sessionId }) });
      expect(answer).toMatchObject({ isError: false, text: "Noted." });
      sessionId ??= answer.sessionId;
      return JSON.stringify((await readLastModelCall(space, client)).body.messages);
    } finally {
      await caller.stop();
    }
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pallas-histories-"));
    // As root's: the kubelet gives it to the pod's group.
    await chmod(folder, 0o755);
    space = await createSpace("storage");
    const node: { items: LiveObject[] } = JSON.parse(await cluster.kubectl(["get", "nodes", "--output=json"]));
    await space.apply(renderVolume(node.items[0]?.metadata.name ?? ""));
    await startPeers();
    const providers = [{ name: "mock", kind: "openai-compatible", baseUrl: modelUrl(space) }];
    await space.apply(
      instance("team", { defaultModel: "mock.scripted", providers }),
      agent("clerk", { scope: "connection", drainTimeout: "5s", storage: { size: "64Mi", storageClassName: volume } }),
    );
    await space.agentsReady(["clerk"]);
  }, 180_000);
  afterAll(async () => {
    await space[Symbol.asyncDispose]();
    await cluster.kubectl(["delete", "persistentvolume", volume, "--ignore-not-found", "--wait=false"]);
    // The pod that goes still writes.
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
  });

  it("a conversation goes on in the pod that follows", async () => {
    expect(await ask("The door is blue.")).toContain("The door is blue.");
    expect(sessionId).toBeDefined();
    const [before] = await space.pods("clerk");
    await space.kubectl("delete", `pod/${before?.metadata.name}`);
    await eventually("another pod that is Ready", 60_000, async () => {
      const [pod] = await space.pods("clerk");
      return (pod !== undefined && pod.metadata.uid !== before?.metadata.uid && isReady(pod)) || undefined;
    });
    expect(await ask("What colour is it?")).toMatch(/The door is blue\..*Noted\..*What colour is it\?/);
  });

  it("and in a namespace restored from a backup of the resources and the volume", async () => {
    await using shell = await openPageShell(cluster);
    await shell.run(await readBlock("operations.md", "jq"), { timeoutMs: 60_000, cwd: shell.folder });
    const backup = join(shell.folder, "pallas-resources.json");
    const all: { items: LiveObject[] } = JSON.parse(await readFile(backup, "utf8"));
    // Other tests' resources are none of this one's.
    const items = all.items.filter(({ metadata }) => metadata.namespace === space.name);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["team", "clerk"]);
    await writeFile(backup, JSON.stringify({ ...all, items }));
    const claim = await space.read("persistentvolumeclaim", "clerk-history");

    await cluster.kubectl(["delete", "namespace", space.name, "--timeout=120s"], { timeoutMs: 150_000 });
    await cluster.kubectl(["patch", "persistentvolume", volume, "--type=merge", '--patch={"spec":{"claimRef":null}}']);
    space = await createNamedSpace(space.name);
    await startPeers();
    const { name, labels } = claim.metadata;
    await space.apply({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name, labels },
      spec: claim.spec,
    });
    await shell.run(await readBlock("operations.md", "apply --server-side -f pallas-resources.json"), {
      timeoutMs: 60_000,
      cwd: shell.folder,
    });
    await space.agentsReady(["clerk"]);
    expect(await ask("And now?")).toMatch(/The door is blue\..*What colour is it\?.*And now\?/);
  });
});
