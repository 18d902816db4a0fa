// vitest's globalSetup of the end-to-end tests: one cluster for all of them.
import type { TestProject } from "vitest/node";
import { enforcesNetworkPolicy } from "../cluster/node/network-policy-probe.ts";
import { openTestbed } from "./open-testbed.ts";

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const testbed = await openTestbed();
  const { cluster, tag } = testbed;
  const enforces = await enforcesNetworkPolicy(cluster);
  if (!enforces) process.stderr.write("\n*** TESTS LEFT OUT: this cluster does not enforce NetworkPolicies ***\n\n");
  project.provide("testbed", { cluster: cluster.description, tag, enforcesNetworkPolicy: enforces });
  return async () => {
    await testbed[Symbol.asyncDispose]();
  };
}
