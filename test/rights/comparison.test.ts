// The comparison of rights on logs of a few lines: that it can fail, in both directions and for every of its rules.
import { expect, it } from "vitest";
import { parseAuditEvent } from "./audited-call.ts";
import { callsOutside, compareRights, expandRules, judgeRefusals, rightsUsed, unwantedRights } from "./comparison.ts";

interface Entry {
  verb?: string;
  uri?: string;
  user?: string | undefined;
  group?: string;
  resource?: string;
  subresource?: string;
  namespace?: string | undefined;
  code?: number;
  message?: string;
}

/** A line as kube-apiserver writes it; what is undefined is left out. */
const line = (entry: Entry): string => {
  const { verb = "list", uri = "/some/path", group: apiGroup, resource, subresource, code = 200, message } = entry;
  const namespace = "namespace" in entry ? entry.namespace : "blue";
  const username = "user" in entry ? entry.user : "system:serviceaccount:home:pallas-operator";
  return JSON.stringify({
    ...{ kind: "Event", apiVersion: "audit.k8s.io/v1", level: "Metadata", stage: "ResponseComplete" },
    ...{ requestURI: uri, verb, user: { username, groups: [] }, userAgent: "pallas-operator" },
    ...(resource === undefined ? {} : { objectRef: { apiGroup, resource, subresource, namespace, name: "x" } }),
    responseStatus: { metadata: {}, code, message },
  });
};
const log = (...entries: Entry[]) => entries.map(line).map(parseAuditEvent);
const follow = (...verbs: string[]) => log(...verbs.map((verb) => ({ verb, group: "apps", resource: "deployments" })));
const granted = expandRules([{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["list", "watch"] }]);

it("finds nothing where what is granted is what is used", () => {
  expect(compareRights(granted, rightsUsed(follow("list", "watch", "list")))).toEqual({ idle: [], missing: [] });
});

it("finds a right that nobody uses", () => {
  expect(compareRights(granted, rightsUsed(follow("list")))).toEqual({ idle: ["apps/deployments watch"], missing: [] });
});

it("finds a call that no right allows", () => {
  const used = rightsUsed(follow("list", "watch", "delete"));
  expect(compareRights(granted, used)).toEqual({ idle: [], missing: ["apps/deployments delete"] });
});

it("takes a right that is handed on for used, and finds one that is handed on without being held", () => {
  const used = rightsUsed(follow("list"));
  expect(compareRights(granted, used, ["apps/deployments watch"])).toEqual({ idle: [], missing: [] });
  expect(compareRights(granted, used, ["apps/deployments watch", "/pods list"]).missing).toEqual(["/pods list"]);
});

it("names subresources, and the core group by nothing", () => {
  const used = rightsUsed(
    log(
      { verb: "patch", group: "pallas.helu.ca", resource: "pallasagents", subresource: "status" },
      { verb: "get", resource: "configmaps" },
    ),
  );
  expect([...used]).toEqual(["pallas.helu.ca/pallasagents/status patch", "/configmaps get"]);
});

it("sees in an apply that made something the right to create it", () => {
  const apply = { verb: "patch", resource: "services" };
  expect([...rightsUsed(log({ ...apply, code: 200 }))]).toEqual(["/services patch"]);
  expect([...rightsUsed(log({ ...apply, code: 201 }))]).toEqual(["/services patch", "/services create"]);
});

it("does not take a refused call for a use, but one that found nothing", () => {
  const call = { verb: "get", resource: "services" };
  expect([...rightsUsed(log({ ...call, code: 403 }, { ...call, code: 401 }))]).toEqual([]);
  expect([...rightsUsed(log({ ...call, code: 404 }))]).toEqual(["/services get"]);
});

it("finds a refusal that no test provoked, and a test that provoked none", () => {
  const refused = log(
    { resource: "services", namespace: "blue", code: 403 },
    { resource: "services", namespace: "fault-1-ab", code: 403 },
    { user: "", uri: "/apis/apps/v1", code: 401 },
  );
  const provoked = ["fault-1-", "fault-2-", "fault-3-"].map((namespacePrefix) => ({
    ...{ namespacePrefix, reason: "on purpose", isCertain: namespacePrefix !== "fault-3-" },
  }));
  const { unexpected, notProvoked } = judgeRefusals(refused, provoked);
  expect(unexpected).toEqual(["403 home/pallas-operator /services list", "401  /apis/apps/v1"]);
  expect(notProvoked.map(({ namespacePrefix }) => namespacePrefix)).toEqual(["fault-2-"]);
});

it.each([
  'services "x" is forbidden: unable to create new content in namespace blue because it is being terminated',
  'services "x" is forbidden: exceeded quota: none, requested: count/services=1, used: 0, limited: 0',
])("takes neither the end of a namespace nor a quota for a refusal: %s", (message) => {
  expect(judgeRefusals(log({ resource: "services", code: 403, message }), []).unexpected).toEqual([]);
});

it("finds calls outside the listed namespaces, in another one, in all of them and of no resource", () => {
  const calls = log(
    { resource: "services", namespace: "blue" },
    { resource: "services", namespace: "green", uri: "/green" },
    { resource: "services", namespace: undefined, uri: "/all" },
    { uri: "/version" },
    { uri: "/openid/v1/jwks" },
  );
  const found = ["/green", "/all", "/version"].map((uri) => `home/pallas-operator: ${uri}`);
  expect(callsOutside(calls, new Set(["blue"]))).toEqual(found);
});

it.each([
  ["every verb", { apiGroups: ["apps"], resources: ["deployments"], verbs: ["*"] }],
  ["every resource", { apiGroups: ["apps"], resources: ["*"], verbs: ["get"] }],
  ["every group", { apiGroups: ["*"], resources: ["deployments"], verbs: ["get"] }],
  ["a Secret", { apiGroups: [""], resources: ["secrets"], verbs: ["list"] }],
  ["what is below a pod", { apiGroups: [""], resources: ["pods/exec"], verbs: ["create"] }],
  ["escalation", { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles"], verbs: ["escalate"] }],
  ["binding", { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles"], verbs: ["bind"] }],
  ["acting as others", { apiGroups: [""], resources: ["users"], verbs: ["impersonate"] }],
])("finds what may not be granted: %s", (_what, rule) => {
  expect(unwantedRights(expandRules([rule]))).toHaveLength(1);
  expect(unwantedRights(granted)).toEqual([]);
});

it("finds paths without a resource granted", () => {
  const rule = { nonResourceURLs: ["/metrics"], verbs: ["get"] };
  expect(unwantedRights(expandRules([rule]))).toEqual(["path /metrics get"]);
});
