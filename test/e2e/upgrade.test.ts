// From an earlier commit's chart and images to this checkout's, under load: by default the previous commit's, from which
// agents whose image is pinned keep their pods, or that of PALLAS_E2E_PREVIOUS. Then a removal that leaves what it must, and an installation that takes it up again.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kinds } from "../../crds/kinds.ts";
import { agent, instance } from "../faults/space.ts";
import { needsPlatform } from "../tools/needs.ts";
import { installPallas, operatorDeployment, systemNamespace, uninstallPallas } from "./installation.ts";
import { agentUrl, startClient } from "./peers.ts";
import { openPageShell, readBlock } from "./page-shell.ts";
import { eventually } from "./eventually.ts";
import { lostAmong, question, startLoad } from "./steady-load.ts";
import { createSpace, isReady, openedCluster, testbed, type LiveObject, type Space } from "./testbed.ts";

const root = join(import.meta.dirname, "../..");
const previousTag = "e2e-previous";
const maxRollouts = 2;
const cluster = openedCluster();
const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { encoding: "utf8" });

/** Such as the last release: what runs on it may be made otherwise by this one, and then rolls once. */
const named = process.env["PALLAS_E2E_PREVIOUS"];
const wanted = named ?? "HEAD^";

/** The commit to come from, where it is known and has a chart. */
function findPrevious(): string | undefined {
  try {
    git("cat-file", "-e", `${wanted}:charts/pallas/Chart.yaml`);
    return git("rev-parse", wanted).trim();
  } catch {
    return undefined;
  }
}

/** Those of the checkout where they are the same. */
function installPackages(folder: string): void {
  const isSame = git("diff", "--name-only", wanted, "HEAD", "--", "package-lock.json") === "";
  if (isSame) execFileSync("cp", ["-al", join(root, "node_modules"), folder]);
  else execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder, stdio: "ignore" });
}

const previous = findPrevious();
const needed = needsPlatform(
  previous === undefined
    ? "this checkout has no commit before with a chart; fetch one with `git fetch --deepen=1`"
    : undefined,
);
const uids = (pods: readonly LiveObject[]) => pods.map(({ metadata }) => metadata.uid).toSorted();

describe("OPR-11 upgrade and removal", { timeout: 400_000 }, () => {
  let space: Space;
  let checkout: string | undefined;
  const pinned = ["pinned-a", "pinned-b"];
  const free = ["free-a", "free-b", "free-c", "free-d", "free-e"];
  const podsOf = async (names: readonly string[]) => (await Promise.all(names.map((name) => space.pods(name)))).flat();

  beforeAll(async () => {
    space = await createSpace("upgrade");
    if (previous === undefined) return;
    // On the file system of the packages, so that they can be linked.
    checkout = join(root, "test/.artefacts/previous");
    rmSync(checkout, { recursive: true, force: true });
    mkdirSync(checkout, { recursive: true });
    execFileSync("sh", ["-c", `git -C '${root}' archive ${previous} | tar -x -C '${checkout}'`]);
    installPackages(checkout);
    // An archive of a commit has no history to take the date and the revision from.
    const env = { ...process.env, IMAGE_TAG: previousTag, SOURCE_DATE_EPOCH: "0", GIT_DIR: join(root, ".git") };
    execFileSync(process.execPath, ["images/build.ts"], { cwd: checkout, env, stdio: ["ignore", "ignore", "inherit"] });
    for (const name of ["operator", "agent", "registry"]) {
      await cluster.importImage(join(checkout, `images/out/${name}.tar`));
    }
  }, 300_000);
  afterAll(async () => {
    await installPallas(cluster, { tag: testbed().tag });
    if (checkout !== undefined) rmSync(checkout, { recursive: true });
    await space[Symbol.asyncDispose]();
  });

  it("each pod is replaced at most once, a few at a time, pinned ones not, and no call is lost", needed, async () => {
    await uninstallPallas(cluster);
    const values = [`maxRollouts=${maxRollouts}`, "allowedImages={pallas/agent,pallas/registry}"];
    await installPallas(cluster, { tag: previousTag, chart: join(checkout ?? "", "charts/pallas"), values });
    const images = { agent: `pallas/agent:${previousTag}`, registry: `pallas/registry:${previousTag}` };
    await space.apply(
      instance("team"),
      instance("fixed", { images }),
      ...free.map((name) => agent(name)),
      ...pinned.map((name) => agent(name, { instanceRef: { name: "fixed" } })),
    );
    await space.agentsReady([...free, ...pinned], 120_000);
    const before = { free: uids(await podsOf(free)), pinned: uids(await podsOf(pinned)) };

    const client = await startClient(space);
    const load = startLoad(space, client, "free-a", 4);
    const seen = new Map<string, Set<string>>();
    let answers: Awaited<ReturnType<typeof load.stop>> = [];
    let mostAtOnce = 0;
    let isDone = false;
    const upgraded = installPallas(cluster, { tag: testbed().tag, values });
    const watched = eventually("every free agent on the new image", 180_000, async () => {
      const deployments = await space.list("deployments", "pallas.helu.ca/component=agent");
      const isRolling = ({ metadata, spec, status }: LiveObject) =>
        JSON.stringify(spec).includes(`pallas/agent:${testbed().tag}`) &&
        (status?.observedGeneration !== metadata.generation ||
          status?.conditions?.some(
            ({ type, reason }) => type === "Progressing" && reason !== "NewReplicaSetAvailable",
          ) === true);
      mostAtOnce = Math.max(mostAtOnce, deployments.filter(isRolling).length);
      for (const name of [...free, ...pinned]) {
        const found = seen.get(name) ?? new Set<string>();
        for (const { metadata } of await space.pods(name)) found.add(metadata.uid);
        seen.set(name, found);
      }
      const moved = deployments.filter(({ spec }) => JSON.stringify(spec).includes(`pallas/agent:${testbed().tag}`));
      isDone = moved.length === free.length && (await podsOf(free)).every(isReady) && !moved.some(isRolling);
      return isDone || undefined;
    });
    try {
      await Promise.all([upgraded, watched]);
    } finally {
      answers = await load.stop();
    }
    expect(answers.length).toBeGreaterThan(0);
    expect(lostAmong(answers, question)).toEqual([]);
    for (const [name, pods] of seen) expect([name, pods.size]).toEqual([name, expect.toSatisfy((size) => size <= 2)]);
    expect(mostAtOnce).toBeGreaterThan(0);
    expect(mostAtOnce).toBeLessThanOrEqual(maxRollouts);
    await space.agentsReady([...free, ...pinned], 120_000);
    const after = { free: uids(await podsOf(free)), pinned: uids(await podsOf(pinned)) };
    const replaced = after.pinned.filter((uid) => !before.pinned.includes(uid));
    expect(replaced.length).toBeLessThanOrEqual(named === undefined ? 0 : pinned.length);
    expect(after.free.filter((uid) => before.free.includes(uid))).toEqual([]);
  });

  it("helm rollback as docs/operations.md has it takes them back", needed, async () => {
    const before = uids(await podsOf(pinned));
    await using shell = await openPageShell(cluster);
    await shell.run(await readBlock("operations.md", "helm rollback"), { timeoutMs: 240_000 });
    await eventually("every free agent on the image of before", 180_000, async () => {
      const pods = await podsOf(free);
      const isBack = (pod: LiveObject) =>
        JSON.stringify(pod.spec).includes(`pallas/agent:${previousTag}`) && isReady(pod);
      return (pods.length === free.length && pods.every(isBack)) || undefined;
    });
    const kept = uids(await podsOf(pinned)).filter((uid) => before.includes(uid));
    expect(kept.length).toBeGreaterThanOrEqual(named === undefined ? pinned.length : 0);
    await space.switchPolicyOff("free-a");
    await eventually("an edit to be followed", 30_000, () => space.isPolicyGone("free-a"));
    await installPallas(cluster, { tag: testbed().tag });
  });

  it("helm uninstall leaves the resources and what runs, and nothing else; installed again, all goes on", async () => {
    const names = ["stays"];
    await space.apply(instance("left"), agent("stays", { instanceRef: { name: "left" } }));
    await space.agentsReady(names);
    const client = await startClient(space);
    const before = uids(await podsOf(names));
    await uninstallPallas(cluster);
    const everywhere = ["--all-namespaces", "--selector=app.kubernetes.io/name=pallas-operator", "--output=name"];
    const ofPallas =
      "deployments,pods,services,serviceaccounts,roles,rolebindings,clusterroles,clusterrolebindings," +
      "networkpolicies,poddisruptionbudgets,configmaps,secrets,validatingadmissionpolicies,validatingadmissionpolicybindings";
    await eventually(
      "nothing of the operator",
      60_000,
      async () => (await cluster.kubectl(["get", ofPallas, ...everywhere])) === "" || undefined,
    );
    const crds = await cluster.kubectl(["get", "crds", "--output=name"]);
    expect(crds.match(/pallas\w+\.pallas\.helu\.ca/g)).toHaveLength(Object.keys(kinds).length);
    const leases = await cluster.kubectl(["get", "leases", `--namespace=${systemNamespace}`, "--output=name"]);
    expect(leases.split("\n").filter((name) => name !== "").length).toBeLessThanOrEqual(1);
    const caller = await client.openCaller(agentUrl(space, "stays"), "auto");
    expect(await caller.send({ message: "Nobody looks after you now." })).toMatchObject({ isError: false });
    await caller.stop();

    await installPallas(cluster, { tag: testbed().tag });
    await cluster.kubectl(["rollout", "status", operatorDeployment, `--namespace=${systemNamespace}`, "--timeout=60s"]);
    await space.switchPolicyOff("stays");
    await eventually("an edit to be followed again", 30_000, () => space.isPolicyGone("stays"));
    expect(uids(await podsOf(names))).toEqual(before);
  });
});
