// Every object that the operator writes, as an API server keeps it, against every edit by hand: whatever is ours is found.
// The same is done with the objects and the schemas of a real server in test/integration/kube-comparison.test.ts.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { describe, expect, it } from "vitest";
import { differences } from "../lib/kube/compare.ts";
import type { Path } from "../lib/kube/merge-rules.ts";
import { handEdits, type HandEdit } from "../lib/kube/testing/hand-edits.ts";

type Json = Record<string, unknown>;

const goldenDir = join(import.meta.dirname, "../test/golden");

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null;

function readGolden(): [string, Json][] {
  return readdirSync(goldenDir).flatMap((file) =>
    loadAll(readFileSync(join(goldenDir, file), "utf8")).map((object): [string, Json] => {
      if (!isRecord(object)) throw new Error(`expected objects in ${file}`);
      return [`${String(object["kind"])} of ${file}`, object];
    }),
  );
}

/** What a server adds, by field: to the object itself, and to each object that has the field in it. */
const served: Readonly<Record<string, Json>> = {
  "": { status: { observedGeneration: 1 } },
  metadata: { uid: "u", resourceVersion: "7", creationTimestamp: "2026-11-22T10:00:00Z", generation: 1 },
  strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
  httpGet: { scheme: "HTTP" },
  livenessProbe: { successThreshold: 1 },
  configMap: { defaultMode: 420 },
  containers: { terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" },
  initContainers: { terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" },
  template: { extra: "x" },
  ports: { nodePort: 30_000 },
};

/** As the server keeps it, but for what is one value there: it adds nothing in those. */
function serve(value: unknown, path: Path = []): unknown {
  if (Array.isArray(value)) return value.map((element, i) => serve(element, [...path, `[${i}]`]));
  if (!isRecord(value)) return value;
  const field = path.findLast((part) => !part.startsWith("[")) ?? "";
  const members = Object.entries(value).map(([name, member]) => [name, serve(member, [...path, name])]);
  return { ...(mayOthersAdd(path) ? served[field] : {}), ...Object.fromEntries(members) };
}

/** Places of which the API conventions say that others may add to them: the rest belongs to whoever applied it. */
const shared = [
  /^$/,
  /^metadata(\.(labels|annotations|ownerReferences))?$/,
  /^(spec|data)$/,
  /^spec\.(strategy(\.rollingUpdate)?|resources(\.requests)?|ports(\[\d+\])?)$/,
  /^spec\.sessionAffinityConfig(\.clientIP)?$/,
  /^spec\.template(\.metadata(\.(labels|annotations))?)?$/,
  /^spec\.template\.spec(\.(securityContext(\.seccompProfile)?|imagePullSecrets))?$/,
  /^spec\.template\.spec\.(volumes|containers|initContainers|topologySpreadConstraints)(\[\d+\])?$/,
  /^spec\.template\.spec\.volumes\[\d+\]\.(configMap|emptyDir|projected|persistentVolumeClaim)$/,
  /^spec\.template\.spec\.(initContainers|containers)\[\d+\]\.(env|ports|volumeMounts)(\[\d+\](\.valueFrom)?)?$/,
  /^spec\.template\.spec\.(initContainers|containers)\[\d+\]\.(resources(\.(limits|requests))?|securityContext(\.capabilities)?)$/,
  /^spec\.template\.spec\.(initContainers|containers)\[\d+\]\.(startup|readiness|liveness)Probe(\.httpGet)?$/,
];

const renderPath = (path: Path): string => path.join(".").replaceAll(".[", "[");

function mayOthersAdd(path: Path): boolean {
  return shared.some((pattern) => pattern.test(renderPath(path)));
}

const describeEdit = ({ kind, path }: HandEdit): string => `${kind} ${renderPath(path)}`;

describe("OPR-5 edits by hand", () => {
  it.each(readGolden())("%s: as the server keeps it there is nothing to write", (_name, desired) => {
    expect(differences(desired, serve(desired))).toEqual([]);
  });

  it.each(readGolden())("%s: every edit is found that is not an addition where others may add", (_name, desired) => {
    const all = [...handEdits(desired, serve(desired))];
    const isFound = ({ edited }: HandEdit) => differences(desired, edited).length > 0;
    const isAllowed = ({ kind, path }: HandEdit) => kind === "add" && mayOthersAdd(path);
    expect(all.length).toBeGreaterThan(40);
    expect(all.filter((edit) => isFound(edit) === isAllowed(edit)).map(describeEdit)).toEqual([]);
  });
});
