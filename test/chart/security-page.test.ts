// docs/security.md against the code it describes.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { V1PolicyRule } from "@kubernetes/client-node";
import { describe, expect, it } from "vitest";
import { renderAgentChildren } from "../../operator/render/agent-children.ts";
import { renderGatewayChildren } from "../../operator/render/gateway-children.ts";
import { renderInstanceChildren } from "../../operator/render/instance-children.ts";
import {
  around,
  makeAgent,
  makeInstance,
  releaseImages,
  releaseRules,
} from "../../operator/render/testing/resources.ts";
import { ownRules, watchedRules, type PolicyRule } from "../../operator/rights.ts";
import { readRightsTables } from "./rights-tables.ts";
import { root } from "./rendered-chart.ts";

/** As `kubectl auth can-i --list` writes them. */
const listed = (rules: readonly PolicyRule[]): string[] =>
  rules
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.map((resource) => `${group === "" ? resource : `${resource}.${group}`} ${verbs.join(" ")}`),
      ),
    )
    // A subresource stands before the group.
    .map((right) => right.replace(/^(\w+)\/(\w+)\.(\S+)/, "$1.$3/$2"))
    .toSorted();

const listedRole = ({ rules = [] }: { rules?: V1PolicyRule[] } = {}): string[] =>
  listed(rules.map(({ apiGroups = [], resources = [], verbs }) => ({ apiGroups, resources, verbs })));

describe("docs/security.md", () => {
  it("OPR-9 shows the rights of operator, registry and gateway as they are", async () => {
    const { role } = renderInstanceChildren(makeInstance(), releaseImages, releaseRules);
    const ofGateway = (management: string) =>
      listedRole(renderGatewayChildren(makeInstance({ gateway: { management } }), releaseImages, releaseRules)?.role);
    const gateway = ofGateway("approve");
    expect(await readRightsTables()).toEqual({
      cluster: listed(watchedRules()),
      election: listed(ownRules()),
      registry: listedRole(role),
      gateway,
      managing: ofGateway("readWrite").filter((right) => !gateway.includes(right)),
    });
  });

  it("SEC-1 says rightly that an agent has no rights and no token that the API server accepts", async () => {
    const instance = makeInstance();
    const agent = makeAgent("research");
    const children = renderAgentChildren(agent, around(instance, agent), releaseImages);
    expect(Object.keys(children)).not.toContain("role");
    expect(children.deployment.spec?.template.spec?.automountServiceAccountToken).toBe(false);
  });

  it("quotes the security context that pods have", async () => {
    const page = await readFile(join(root, "docs/security.md"), "utf8");
    const agent = makeAgent("research");
    const { deployment } = renderAgentChildren(agent, around(makeInstance(), agent), releaseImages);
    const pod = deployment.spec?.template.spec;
    for (const context of [pod?.securityContext, pod?.containers[0]?.securityContext]) {
      for (const [name, value] of Object.entries(context ?? {})) {
        expect(page).toContain(`${name}: ${JSON.stringify(value).replaceAll('"', "").replaceAll(":", ": ")}`);
      }
    }
  });
});
