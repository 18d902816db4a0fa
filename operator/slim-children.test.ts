import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { describe, expect, it } from "vitest";
import { annotations, labels } from "../crds/names.ts";
import { JudgedObjects } from "../lib/kube/judged-objects.ts";
import type { LiveObject } from "../lib/kube/object.ts";
import { Store } from "../lib/kube/store.ts";
import { handEdits } from "../lib/kube/testing/hand-edits.ts";
import { childTypes, type ChildKind } from "./resources.ts";
import { observeRollout } from "./rollout.ts";
import { observeAgentDeployment } from "./rollouts/rolling.ts";
import { releaseImages } from "./render/testing/resources.ts";
import { slimChild } from "./slim-children.ts";

const goldenDir = join(import.meta.dirname, "../test/golden");

const status = {
  observedGeneration: 1,
  replicas: 3,
  updatedReplicas: 2,
  readyReplicas: 2,
  availableReplicas: 1,
  conditions: [
    { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "quota", lastUpdateTime: "x" },
  ],
};
const childKinds = [
  "deployment",
  "service",
  "configMap",
  "serviceAccount",
  "role",
  "roleBinding",
  "networkPolicy",
  "podDisruptionBudget",
  "historyClaim",
] as const;
const given = { uid: "u", resourceVersion: "7", generation: 1, creationTimestamp: "2026-11-22T10:00:00Z" };

function parseChild(value: unknown): LiveObject {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- golden files hold objects that were rendered as such
  const child = value as LiveObject;
  return { ...child, metadata: { ...child.metadata, ...given } };
}

/** Every golden object as a cache has it. */
const children: [string, ChildKind, LiveObject][] = readdirSync(goldenDir).flatMap((file) =>
  loadAll(readFileSync(join(goldenDir, file), "utf8")).map((object): [string, ChildKind, LiveObject] => {
    const child = parseChild(object);
    const kind = childKinds.find((each) => childTypes[each].kind === child.kind);
    if (kind === undefined) throw new Error(`expected a kind of children, found ${child.kind}`);
    return [`${child.kind} of ${file}`, kind, kind === "deployment" ? { ...child, ...{ status } } : child];
  }),
);

/** What is no content. */
const served = new Set(["apiVersion", "kind", "status", "metadata"]);

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** The fields of `more` over those of `base`, at every depth. */
function merged(base: unknown, more: unknown): unknown {
  if (!isRecord(base) || !isRecord(more) || Array.isArray(more)) return more ?? base;
  const fields = Object.entries(more).map(([name, value]) => [name, merged(base[name], value)]);
  return { ...base, ...Object.fromEntries(fields) };
}

const slim = (kind: ChildKind, live: LiveObject, image = releaseImages.agent) => slimChild(kind, image)(live);

describe("I13 children that are as rendered", () => {
  it.each(children)("%s: what is kept of it is less than half", (_name, kind, live) => {
    expect(JSON.stringify(slim(kind, live)).length).toBeLessThan(JSON.stringify(live).length / 2 + 300);
  });

  it.each(children)("%s: who and whose it is can be told", (_name, kind, live) => {
    const { name, namespace, uid, resourceVersion, generation, ownerReferences } = live.metadata;
    expect(slim(kind, live)).toMatchObject({
      apiVersion: live.apiVersion,
      kind: live.kind,
      metadata: { name, namespace, uid, resourceVersion, generation, ownerReferences },
    });
    for (const label of [labels.agent, labels.component, labels.instance]) {
      expect(slim(kind, live).metadata.labels?.[label]).toBe(live.metadata.labels?.[label]);
    }
  });

  const gaveUp = [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message: "late" }];
  const states: Record<string, object> = {
    moving: {},
    "carried out": {
      status: { ...status, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3, conditions: [] },
    },
    "one that gave up": { status: { ...status, conditions: gaveUp } },
    paused: { spec: { paused: true } },
    "one that was given another image": { metadata: { annotations: { [annotations.previousImage]: "before:1" } } },
  };
  const deployments = children.filter(([, kind]) => kind === "deployment");
  it.each(Object.keys(states).flatMap((state) => deployments.map((row) => [state, ...row] as const)))(
    "OPR-11 %s: %s is seen as before",
    (state, _name, kind, live) => {
      const changed = parseChild(merged(live, states[state]));
      expect(observeRollout(slim(kind, changed))).toEqual(observeRollout(changed));
      expect(observeAgentDeployment(slim(kind, changed))).toEqual(observeAgentDeployment(changed));
      expect(slim(kind, changed)).not.toBe(changed);
    },
  );

  it("a history claim still tells its size", () => {
    const [, , claim] = children.find(([, kind]) => kind === "historyClaim") ?? [];
    if (claim === undefined) throw new Error("expected a history claim");
    expect(slim("historyClaim", claim)).toMatchObject({ spec: { resources: { requests: { storage: "5Gi" } } } });
  });

  it.each([
    [releaseImages.agent, false],
    ["registry.example/pallas/agent:0.2.0", true],
  ])("OPR-11 with %s as the release's image an agent's Deployment stays whole: %s", (image, isWhole) => {
    const [, , deployment] = children.find(([name]) => name === "Deployment of agent-full.yaml") ?? [];
    if (deployment === undefined) throw new Error("expected a Deployment");
    expect(slim("deployment", deployment, image) === deployment).toBe(isWhole);
  });

  it.each(children)("%s: OPR-5 any edit by hand makes it whole again", (_name, kind, live) => {
    const store = new Store<LiveObject, string>({ indexes: {}, onListenerError: () => undefined });
    const judged = new JudgedObjects(store, (object) => slim(kind, object));
    judged.judge(live, "hash");
    const later = { ...live, metadata: { ...live.metadata, resourceVersion: "8" } };
    expect(judged.heldBy(judged.admit(later))).toBe("hash");
    const { labels: ours, ownerReferences } = live.metadata;
    const content = Object.entries(live).filter(([name]) => !served.has(name));
    const outline = { ...Object.fromEntries(content), metadata: { labels: ours, ownerReferences } };
    const edits = [...handEdits(outline, live)].filter(
      ({ path, kind: how }) => how !== "remove" || path.join() !== "metadata",
    );
    expect(edits.length).toBeGreaterThan(30);
    for (const { edited } of edits) {
      const object = parseChild(edited);
      expect(judged.admit(object)).toBe(object);
    }
  });
});
