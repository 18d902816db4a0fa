import { describe, expect, it } from "vitest";
import { renderGatewayChildren } from "./render/gateway-children.ts";
import { renderInstanceChildren } from "./render/instance-children.ts";
import { makeInstance, releaseImages, releaseRules } from "./render/testing/resources.ts";
import { ownRules, watchedRules, type PolicyRule } from "./rights.ts";

/** Each right on its own: `apps deployments patch`. */
const expand = (rules: readonly PolicyRule[]): string[] =>
  rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => `${group} ${resource} ${verb}`))),
  );
const all = [...watchedRules(), ...ownRules()];

describe("OPR-9 the operator's rights", () => {
  it("have no wildcard and nothing that leads to more rights", () => {
    const words = all.flatMap(({ apiGroups, resources, verbs }) => [...apiGroups, ...resources, ...verbs]);
    for (const word of ["*", "secrets", "escalate", "bind", "impersonate", "pods", "pods/exec", "tokenreviews"]) {
      expect(words).not.toContain(word);
    }
  });

  it("name each right once", () => {
    const rights = expand(all);
    expect(new Set(rights).size).toBe(rights.length);
  });

  it("hold all that the Roles of registry and gateway grant, or the API server would refuse them", () => {
    const instance = makeInstance({ gateway: { management: "readWrite" } });
    const roles = [
      renderInstanceChildren(instance, releaseImages, releaseRules).role,
      renderGatewayChildren(instance, releaseImages, releaseRules)?.role,
    ];
    const granted = roles.flatMap((role) =>
      (role?.rules ?? []).flatMap(({ apiGroups = [], resources = [], verbs }) =>
        expand([{ apiGroups, resources, verbs }]),
      ),
    );
    expect(granted.length).toBeGreaterThan(15);
    expect(expand(watchedRules())).toEqual(expect.arrayContaining(granted));
  });
});
