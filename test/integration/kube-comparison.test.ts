// The comparison of children with the objects and the schemas of a real API server: what the server makes of all that the
// operator writes is no difference, and of the edits by hand exactly those pass which server-side apply would leave alone.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { beforeAll, describe, expect, it } from "vitest";
import { differences } from "../../lib/kube/compare.ts";
import type { Path } from "../../lib/kube/merge-rules.ts";
import { collectionPath } from "../../lib/kube/resource.ts";
import { handEdits } from "../../lib/kube/testing/hand-edits.ts";
import { childTypes } from "../../operator/resources.ts";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing, createNamespace } from "../cluster/cluster.ts";
import { connectToCluster } from "./kube-clients.ts";

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-group-version-kind"?: readonly { readonly kind: string }[];
}

interface Child {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const goldenDir = join(import.meta.dirname, "../golden");
const groups = [
  "api/v1",
  ...["apps/v1", "networking.k8s.io/v1", "policy/v1", "rbac.authorization.k8s.io/v1"].map((v) => `apis/${v}`),
];

/** The server's own description of what is merged, asked by place. */
class Schemas {
  readonly #byName = new Map<string, Schema>();

  async read(): Promise<void> {
    for (const group of groups) {
      const { body } = await callApi(cluster(), { path: `/openapi/v3/${group}`, timeoutMs: 30_000 });
      for (const [name, schema] of Object.entries<Schema>(JSON.parse(body).components.schemas)) {
        this.#byName.set(name, schema);
      }
    }
  }

  /** Whether others may add to the list or object at this place, and keep what they added. */
  isShared(kind: string, path: Path): boolean {
    let schema = [...this.#byName.values()].find((each) =>
      each["x-kubernetes-group-version-kind"]?.some((named) => named.kind === kind && !named.kind.endsWith("List")),
    );
    if (schema === undefined) throw new Error(`expected a schema of ${kind}, found none`);
    for (const name of path) {
      if (isAtomic(schema)) return false;
      const below: Schema | undefined = name.startsWith("[")
        ? schema.items
        : (schema.properties?.[name] ?? schema.additionalProperties);
      if (below === undefined) throw new Error(`expected a schema of ${kind} ${path.join(".")}, found none`);
      schema = this.#resolve(below);
    }
    return !isAtomic(schema);
  }

  #resolve(schema: Schema): Schema {
    const parts = [...(schema.allOf ?? []), ...(schema.$ref === undefined ? [] : [this.#named(schema.$ref)])];
    return Object.assign({}, ...parts.map((part) => this.#resolve(part)), schema);
  }

  #named(ref: string): Schema {
    return this.#byName.get(ref.replace("#/components/schemas/", "")) ?? {};
  }
}

/** Lists are one value unless they say otherwise, maps and objects are not. */
function isAtomic(schema: Schema): boolean {
  if (schema.items !== undefined) return !["map", "set"].includes(schema["x-kubernetes-list-type"] ?? "atomic");
  return schema["x-kubernetes-map-type"] === "atomic";
}

async function readChildren(): Promise<Child[]> {
  const texts = (await readdir(goldenDir)).map((file) => readFile(join(goldenDir, file), "utf8"));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- golden files hold objects that were rendered as such
  return (await Promise.all(texts)).flatMap((text) => loadAll(text) as Child[]);
}

describe.skipIf(clusterMissing())("OPR-2 OPR-5 the comparison of children", () => {
  const served: { desired: Child; live: unknown }[] = [];
  const schemas = new Schemas();

  beforeAll(async () => {
    await schemas.read();
  });

  it("finds nothing to write in what the server makes of them", async () => {
    await using namespace = await createNamespace("compare");
    const transport = connectToCluster();
    for (const golden of await readChildren()) {
      const desired = { ...golden, metadata: { ...golden.metadata, namespace: namespace.name } };
      const type = Object.values(childTypes).find(({ kind }) => kind === golden.kind);
      if (type === undefined) throw new Error(`expected a kind of children, found ${golden.kind}`);
      const live = await transport.request({
        method: "PATCH",
        path: `${collectionPath(type, namespace.name)}/${golden.metadata.name}`,
        query: { fieldManager: "pallas", force: true, dryRun: "All" },
        contentType: "application/apply-patch+yaml",
        body: desired,
      });
      served.push({ desired, live });
      expect(differences(desired, live)).toEqual([]);
    }
    expect(new Set(served.map(({ desired }) => desired.kind)).size).toBe(Object.keys(childTypes).length);
  });

  it("finds every edit by hand but additions to what the server merges", () => {
    const wrong = served.flatMap(({ desired, live }) =>
      [...handEdits(desired, live)]
        .filter(({ kind, path, edited }) => {
          const isLeftAlone = kind === "add" && schemas.isShared(desired.kind, path);
          return differences(desired, edited).length > 0 === isLeftAlone;
        })
        .map(({ kind, path }) => `${desired.kind} ${desired.metadata.name}: ${kind} ${path.join(".")}`),
    );
    expect(wrong).toEqual([]);
  });
});
