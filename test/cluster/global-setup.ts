// vitest's globalSetup: one API server with controllers and the project's CRDs for a whole test run. On a machine that
// cannot have one the run goes on without it, after one loud line; in CI that is an error, so nothing is left out unseen.

import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

import type { TestProject } from "vitest/node";

import { startApiServer } from "./api-server.ts";
import { auditDir } from "./audit.ts";
import { findBinaries } from "./binaries.ts";
import type { ClusterBinaries } from "./binaries.ts";
import type { Missing } from "./go-build.ts";

const crdDir = join(import.meta.dirname, "../../crds");

/** Called by vitest before the first test file; what it returns is called after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await rm(auditDir, { recursive: true, force: true });
  await mkdir(auditDir, { recursive: true });
  const binaries = requireControllers(await findBinaries());
  if ("missing" in binaries) {
    if (process.env["CI"]) throw new Error(binaries.missing);
    process.stderr.write(`\n*** TESTS LEFT OUT: ${binaries.missing} ***\n\n`);
    project.provide("cluster", binaries);
    return async () => undefined;
  }
  const crdPaths = await findCrds();
  const server = await startApiServer({ binaries, controllers: true, crdPaths, auditDir });
  const { url, kubeconfigPath, caPath, token, kubectlSetup } = server;
  project.provide("cluster", { url, kubeconfigPath, caPath, token, kubectlSetup });
  return () => server.stop();
}

function requireControllers(found: ClusterBinaries | Missing): ClusterBinaries | Missing {
  if ("missing" in found || found.kubeControllerManager !== undefined) return found;
  return {
    missing: `the shared test API server needs kube-controller-manager beside ${found.kubeApiserver}; add it or unset KUBEBUILDER_ASSETS`,
  };
}

async function findCrds(): Promise<string[]> {
  const names = await readdir(crdDir);
  return names.filter((name) => name.endsWith(".yaml")).map((name) => join(crdDir, name));
}
