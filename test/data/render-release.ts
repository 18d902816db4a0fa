// Renders what this release makes of previous-release/resources.yaml, for the next one to be tested against: at a
// release, `node test/data/render-release.ts > test/data/previous-release/children.yaml`.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { dump, loadAll } from "js-yaml";
import type { KubeObject } from "../../lib/kube/object.ts";
import { renderAgentChildren } from "../../operator/render/agent-children.ts";
import { neighbourhood } from "../../plan/check.ts";
import { parseAgent, parseInstance } from "../../plan/parse.ts";

/** Part of each run configuration, so it is the same wherever this is used. */
export const releaseNamespace = "previous-release";
export const releaseImages = {
  agent: "registry.example/pallas/agent:0.1.0",
  registry: "registry.example/pallas/registry:0.1.0",
  gateway: "registry.example/pallas/gateway:0.1.0",
  bridge: "registry.example/pallas/bridge:0.1.0",
};


export async function readManifests(file: "resources" | "children"): Promise<KubeObject[]> {
  const path = join(import.meta.dirname, "previous-release", `${file}.yaml`);
  return loadAll(await readFile(path, "utf8")).flatMap((value) => (isObject(value) ? [value] : []));
}

const isObject = (value: unknown): value is KubeObject =>
  typeof value === "object" && value !== null && "kind" in value && "metadata" in value;

async function renderRelease(): Promise<string> {
  const resources = (await readManifests("resources")).map((manifest) => ({
    ...manifest,
    metadata: { ...manifest.metadata, namespace: releaseNamespace, uid: "set-by-the-test" },
  }));
  const agents = resources.map((each) => parseAgent(each)).flatMap((parsed) => (parsed.ok ? [parsed.value] : []));
  const [instance] = resources.map((each) => parseInstance(each)).flatMap((parsed) => (parsed.ok ? [parsed.value] : []));
  if (!instance || agents.length === 0) throw new Error("expected an instance and agents without faults in resources.yaml");
  const children = agents.flatMap((agent) =>
    Object.values(renderAgentChildren(agent, neighbourhood(instance, agents), releaseImages)),
  );
  return children
    .filter((child) => child !== undefined)
    .map((child) => dump(child, { lineWidth: 120, noRefs: true }))
    .join("---\n");
}

if (import.meta.main) process.stdout.write(await renderRelease());
