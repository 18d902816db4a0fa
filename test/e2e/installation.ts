// Pallas as users install it: the Helm chart with the images that were loaded, into a namespace that enforces `restricted`.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClusterAccess } from "../cluster/node/cluster-access.ts";
import { eventually } from "./eventually.ts";
import { testRepository } from "./images/build.ts";

export const release = "pallas";
export const systemNamespace = "pallas-system";
export const operatorDeployment = `deployment/${release}-operator`;
const chart = join(import.meta.dirname, "../../charts/pallas");
const installTimeoutMs = 180_000;

/** Enforced, so that a pod which breaks the level is refused, and not only noted. */
export const restrictedLabels = { "pod-security.kubernetes.io/enforce": "restricted" };

export interface Installation {
  /** Of all images. */
  readonly tag: string;
  /** Another chart than this checkout's. */
  readonly chart?: string;
  readonly values?: readonly string[];
}

/** Installs or upgrades, and resolves when every operator is Ready and none of another release is left. */
export async function installPallas(cluster: ClusterAccess, options: Installation): Promise<void> {
  const metadata = { name: systemNamespace, labels: restrictedLabels };
  const namespace = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata });
  await cluster.kubectl(["apply", "--server-side", "--filename=-"], { input: namespace });
  const folder = options.chart ?? chart;
  // Some tests switch policies off, to see what these kept from happening; an earlier release's chart may not know of it.
  const known = await readFile(join(folder, "values.yaml"), "utf8");
  const knowsAuthors = /^authors:/m.test(known);
  const programs = ["operator", "agent", "registry", "gateway", "bridge"].filter((name) =>
    known.includes(`\n  ${name}:`),
  );
  const tags = programs.map((name) => `images.${name}.tag=${options.tag}`);
  const authors = knowsAuthors ? ["authors.networkPolicy=off"] : [];
  const images = known.includes("\nallowedImages:") ? [`allowedImages={${testRepository}}`] : [];
  const values = [...tags, ...authors, ...images, ...(options.values ?? [])].map((value) => `--set=${value}`);
  const args = ["upgrade", "--install", release, folder, `--namespace=${systemNamespace}`];
  await cluster.helm([...args, ...values, "--wait", "--timeout=150s"], { timeoutMs: installTimeoutMs });
  const running = [
    `--namespace=${systemNamespace}`,
    ...["get", "pods", "--selector=app.kubernetes.io/name=pallas-operator"],
    "--output=jsonpath={.items[*].spec.containers[*].image}",
  ];
  await eventually("no operator of another release", 60_000, async () => {
    const found = (await cluster.kubectl(running)).split(" ");
    return found.every((image) => image.endsWith(`:${options.tag}`)) || undefined;
  });
}

export async function uninstallPallas(cluster: ClusterAccess): Promise<void> {
  const args = ["uninstall", release, `--namespace=${systemNamespace}`, "--wait", "--ignore-not-found"];
  await cluster.helm(args, { timeoutMs: installTimeoutMs });
}
