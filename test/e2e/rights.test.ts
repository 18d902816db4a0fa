// Who may do what in an installation, as the API server itself tells: `kubectl auth can-i --list` of each ServiceAccount.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ownRules, watchedRules } from "../../operator/rights.ts";
import { agent, instance } from "../faults/space.ts";
import { expandRules, unwantedRights, type GrantedRule } from "../rights/comparison.ts";
import { release, systemNamespace } from "./installation.ts";
import { createSpace, type Space } from "./testbed.ts";

/** What every account may do in any cluster: ask who it is, and read what the server is. */
const everybodys = /^(?:authentication|authorization)\.k8s\.io\/|^path /;

describe("OPR-9 SEC-1 SEC-2 the rights of an installation", { timeout: 120_000 }, () => {
  let space: Space;

  /** The API server's answer to `can-i --list`, each right on its own. */
  const rightsOf = async (account: string, namespace: string): Promise<string[]> => {
    const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectRulesReview", spec: { namespace } };
    const answer: { status: { resourceRules: GrantedRule[]; nonResourceRules: GrantedRule[] } } = JSON.parse(
      await space.cluster.kubectl(
        ["create", "--raw=/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", "--filename=-", `--as=${account}`],
        { input: JSON.stringify(review) },
      ),
    );
    const rules = [...answer.status.resourceRules, ...answer.status.nonResourceRules];
    return [...new Set(expandRules(rules))].filter((right) => !everybodys.test(right)).toSorted();
  };
  const follow = (what: string) => [`${what} list`, `${what} watch`];
  const accountOf = (name: string, namespace = space.name) => `system:serviceaccount:${namespace}:${name}`;

  beforeAll(async () => {
    space = await createSpace("rights");
    await space.apply(instance("team", { gateway: {} }), agent("alpha"));
    await Promise.all([space.agentsReady(["alpha"]), space.instanceReady("team")]);
  }, 120_000);
  afterAll(() => space[Symbol.asyncDispose]());

  it("of the operator are those of operator/rights.ts, everywhere and in its own namespace", async () => {
    const operator = accountOf(`${release}-operator`, systemNamespace);
    expect(await rightsOf(operator, space.name)).toEqual(expandRules(watchedRules()).toSorted());
    const own = [...expandRules(watchedRules()), ...expandRules(ownRules())];
    expect(await rightsOf(operator, systemNamespace)).toEqual(own.toSorted());
    expect(unwantedRights(await rightsOf(operator, space.name))).toEqual([]);
  });

  it("of a registry are to follow its own resources and where the agents' pods are", async () => {
    const resources = [
      "pallas.helu.ca/pallasagents",
      "pallas.helu.ca/pallasinstances",
      "pallas.helu.ca/pallasservers",
      "discovery.k8s.io/endpointslices",
    ];
    expect(await rightsOf(accountOf("team-registry"), space.name)).toEqual(resources.flatMap(follow).toSorted());
    expect(await rightsOf(accountOf("team-registry"), "default")).toEqual([]);
  });

  it("of a gateway that may not manage are to follow what it reads, and to keep its directory, approvals and what it saw of tools", async () => {
    const resources = [
      "pallas.helu.ca/pallasagents",
      "pallas.helu.ca/pallasapprovals",
      "pallas.helu.ca/pallasinstances",
      "pallas.helu.ca/pallaspolicies",
      "pallas.helu.ca/pallasservers",
      "pallas.helu.ca/pallasregistrations",
      "discovery.k8s.io/endpointslices",
      "/configmaps",
      "/serviceaccounts",
    ];
    const writes = [
      ...["create", "delete", "patch"].map((verb) => `pallas.helu.ca/pallasregistrations ${verb}`),
      ...["create", "delete", "get", "patch"].map((verb) => `pallas.helu.ca/pallasapprovals ${verb}`),
      ...["pallasapprovals", "pallaspolicies", "pallasservers"].map((each) => `pallas.helu.ca/${each}/status patch`),
    ];
    const rights = [...resources.flatMap(follow), ...writes].toSorted();
    expect(await rightsOf(accountOf("team-gateway"), space.name)).toEqual(rights);
    expect(await rightsOf(accountOf("team-gateway"), "default")).toEqual([]);
  });

  it("of an agent are none", async () => {
    expect(await rightsOf(accountOf("alpha-agent"), space.name)).toEqual([]);
  });
});
