// The chart and the plain manifests on a real API server, as users put them there: applied, installed, upgraded and
// taken away. Without nodes: pods are made and judged by Pod Security, and not run.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { dump } from "js-yaml";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startApiServer, type ApiServer } from "../cluster/api-server.ts";
import { clusterMissing } from "../cluster/cluster.ts";
import { chartPrograms, chartProgramsMissing } from "./programs.ts";
import { chartPath, isForeign, parseManifests, renderChart, root } from "./rendered-chart.ts";
import { readRightsTables } from "./rights-tables.ts";
import { valueSets } from "./value-sets.ts";

const plain = join(root, "charts/plain");
const account = "system:serviceaccount:pallas-system:pallas-operator";
/** The namespace controller looks again only after a pause that doubles when it met a CRD that was just going. */
const within = { timeout: 120_000, interval: 100 };
/** Not the one of the plain manifests, which may still be going. */
const releases = "releases";

describe.skipIf(clusterMissing() !== undefined || (await chartProgramsMissing()))("on a real API server", () => {
  let server: ApiServer;
  beforeAll(async () => {
    server = await startApiServer({ controllers: true });
    for (const name of ["agents", "blue", "green", releases]) await server.kubectl(["create", "namespace", name]);
  });
  afterAll(() => server?.stop());

  const apply = (args: readonly string[], input?: string) =>
    server.kubectl(["apply", "--server-side", "--validate=strict", ...args], input === undefined ? {} : { input });
  const helm = async (...args: string[]) =>
    (await chartPrograms()).helm([...args, `--namespace=${releases}`, `--kubeconfig=${server.kubeconfigPath}`]);

  describe("the plain manifests", () => {
    it("are applied as one file, and once more by kustomize without a change", async () => {
      await apply([`--filename=${join(plain, "pallas.yaml")}`]);
      const version = () =>
        server.kubectl([
          "--namespace=pallas-system",
          "get",
          "deployment",
          "pallas-operator",
          "--output=jsonpath={.metadata.generation}",
        ]);
      const before = await version();
      const again = await apply([`--kustomize=${plain}`]);
      expect(again.split("\n").filter((line) => line !== "")).toHaveLength(
        parseManifests(await readFile(join(plain, "pallas.yaml"), "utf8")).length,
      );
      expect(await version()).toBe(before);
    });

    it("SEC-1 make pods that a namespace with Pod Security restricted takes", async () => {
      const pods = () => server.kubectl(["--namespace=pallas-system", "get", "pods", "--output=name"]);
      await vi.waitFor(async () => expect((await pods()).trim().split("\n")).toHaveLength(2), within);
    });

    it("OPR-9 give the operator what docs/security.md shows, as kubectl lists it", async () => {
      const { cluster, election } = await readRightsTables();
      expect(await listRights("agents")).toEqual(cluster);
      expect(await listRights("pallas-system")).toEqual([...cluster, ...election].toSorted());
    });

    it("are taken away whole", { timeout: 2 * within.timeout }, async () => {
      const manifests = `--filename=${join(plain, "pallas.yaml")}`;
      await server.kubectl(["delete", manifests, "--wait=false", "--ignore-not-found"]);
      const crds = () => server.kubectl(["get", "crds", "--output=name"]);
      await vi.waitFor(async () => expect(await crds()).toBe(""), within);
      const namespaces = () => server.kubectl(["get", "namespaces", "--output=name"]);
      await vi.waitFor(async () => expect(await namespaces()).not.toContain("pallas-system"), within);
    });
  });

  /** `resource verbs`, without what every account may do. */
  async function listRights(namespace: string): Promise<string[]> {
    const listed = await server.kubectl([
      "auth",
      "can-i",
      "--list",
      "--no-headers",
      `--as=${account}`,
      `--namespace=${namespace}`,
    ]);
    const rows = listed.split("\n").map((line) => /^(\S+)\s+\[\]\s+\[\]\s+\[([^\]]*)\]/.exec(line));
    return rows
      .flatMap((row) => (row === null ? [] : [`${row[1]} ${row[2]}`]))
      .filter((right) => !right.startsWith("selfsubject"))
      .toSorted();
  }

  describe("a release", () => {
    it("is installed and upgraded, and its CRDs outlive it", async () => {
      await helm("install", "pallas", chartPath);
      await helm("upgrade", "pallas", chartPath, "--set=logLevel=DEBUG,watchNamespaces={blue,green}");
      const roles = await server.kubectl([
        "get",
        "roles",
        "--all-namespaces",
        "--output=name",
        "--selector=app.kubernetes.io/instance=pallas",
      ]);
      expect(roles.trim().split("\n")).toHaveLength(3);
      await expect(server.kubectl(["get", "clusterrole", "pallas-operator"])).rejects.toThrow("not found");
      await helm("uninstall", "pallas");
      expect(await server.kubectl(["get", "crds", "--output=name"])).toContain("pallasagents.pallas.helu.ca");
      const left = () =>
        server.kubectl([
          "get",
          "all,serviceaccounts,roles,rolebindings",
          "--all-namespaces",
          "--output=name",
          "--selector=app.kubernetes.io/instance=pallas",
        ]);
      await vi.waitFor(async () => expect(await left()).toBe(""), within);
    });

    it("takes over the CRDs that another left", async () => {
      expect(await helm("install", "pallas", chartPath)).toContain("STATUS: deployed");
      await helm("uninstall", "pallas");
    });

    it("ends with notes whose manifests the API server takes", async () => {
      const notes = await helm("install", "pallas", chartPath, "--dry-run=server", "--set=watchNamespaces={blue}");
      const [, manifests = ""] = /<<'END'\n([^]*?)\n *END\n/.exec(notes) ?? [];
      const text = manifests.replaceAll(/^ {2}/gm, "");
      expect(text).toContain("kind: PallasAgent");
      await apply(["--namespace=blue", "--dry-run=server", "--filename=-"], text);
    });

    it.each(Object.keys(valueSets))("%s is taken with strict validation", async (name) => {
      const manifests = (await renderChart(valueSets[name], "agents")).filter((manifest) => !isForeign(manifest));
      const applied = await apply(
        ["--dry-run=server", "--filename=-"],
        manifests.map((manifest) => dump(manifest)).join("---\n"),
      );
      expect(applied.trim().split("\n")).toHaveLength(manifests.length);
    });

    it("OPR-9 lets people with the roles view and edit see and change agents, where these are aggregated", async () => {
      const manifests = await renderChart({ rbac: { aggregate: true } }, releases);
      await apply(
        ["--filename=-"],
        manifests
          .filter(({ kind }) => kind !== "Deployment")
          .map((manifest) => dump(manifest))
          .join("---\n"),
      );
      for (const role of ["view", "edit"]) {
        await server.kubectl([
          "--namespace=blue",
          "create",
          "rolebinding",
          role,
          `--clusterrole=${role}`,
          `--user=${role}er`,
        ]);
      }
      const can = (user: string, verb: string, what: string, subresource = "") => {
        const args = ["auth", "can-i", verb, what, `--subresource=${subresource}`, `--as=${user}`];
        return server.kubectl(["--namespace=blue", ...args]).catch(() => "no");
      };
      await vi.waitFor(async () => expect(await can("viewer", "list", "pallasagents")).toMatch(/^yes/), within);
      await vi.waitFor(async () => expect(await can("editer", "delete", "pallasinstances")).toMatch(/^yes/), within);
      expect(await can("editer", "patch", "pallasagents", "scale")).toMatch(/^yes/);
      expect(await can("viewer", "create", "pallasagents")).toMatch(/^no/);
      expect(await can("editer", "patch", "pallasagents", "status")).toMatch(/^no/);
    });
  });
});
