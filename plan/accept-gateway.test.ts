import { describe, expect, it } from "vitest";
import { adviseInstance } from "./advice.ts";
import { formatProblem } from "./validation-error.ts";
import { judgeAgent, judgeInstance } from "./judge.ts";
import { sampleAgent, sampleInstance } from "./testing/resources.ts";

const tokenFrom = (key: string) => ({ secretKeyRef: { name: "gateway-tokens", key } });
const claim = { name: "groups", value: "engineering" };
const jwt = { issuer: "https://id.example.com", audiences: ["pallas"] };
const judged = (spec: object) => judgeInstance(sampleInstance(spec), { mode: "cluster", allowedImages: [] });
const asMatch = ({ path, message }: { path: string; message: RegExp }) => ({
  path,
  message: expect.stringMatching(message),
});
const withAccess = (...access: object[]) => ({ gateway: { access } });

describe("MGM-1 access to a gateway", () => {
  it("by ServiceAccount, by token, and by claim where there is an issuer, is sound", () => {
    const access = withAccess(
      { role: "admin", serviceAccount: { name: "on-call" } },
      { agent: "clerk", tokenFrom: tokenFrom("clerk") },
      { role: "viewer", claim },
    );
    expect(judged({ ...access, auth: { jwt } })).toEqual([]);
    expect(judged({ gateway: {} })).toEqual([]);
  });

  it("by claim needs an issuer", () => {
    const access = withAccess({ role: "admin", serviceAccount: { name: "on-call" } }, { role: "viewer", claim });
    expect(judged(access).map(formatProblem)).toEqual([
      'spec.gateway.access[1].claim: "groups" would be a claim of tokens whose issuer is spec.auth.jwt, which is not set; set it, or name a serviceAccount or tokenFrom here',
    ]);
  });

  it("names no key that would be a folder in the pod (SEC-2)", () => {
    const problems = judged(withAccess({ role: "viewer", tokenFrom: tokenFrom("..") }));
    expect(problems).toMatchObject([{ path: "spec.gateway.access[0].tokenFrom.secretKeyRef.key" }]);
  });
});

describe("UI-1 signing in at the dashboard", () => {
  const ui = { oidc: { clientId: "pallas" } };
  const byClaim = { role: "viewer", claim };

  it("with an issuer needs that issuer, and says so", () => {
    expect(judged({ gateway: { ui, access: [byClaim] }, auth: { jwt } })).toEqual([]);
    expect(judged({ gateway: { ui: {} } })).toEqual([]);
    expect(judged({ gateway: { ui } }).map(formatProblem)).toEqual([
      "spec.gateway.ui.oidc: would have people sign in with the issuer of spec.auth.jwt, which is not set; set it, or remove oidc, and people sign in with a token",
    ]);
  });

  it("with an issuer is advised against where nobody has a role by it", () => {
    const onCall = { role: "admin", serviceAccount: { name: "on-call" } };
    const advised = (...access: object[]) =>
      adviseInstance(sampleInstance({ auth: { jwt }, gateway: { ui, access } }), "cluster");
    expect(advised(onCall, byClaim)).toEqual([]);
    expect(advised(onCall)).toMatchObject([
      { path: "spec.gateway.ui.oidc", message: expect.stringMatching(/names a claim/) },
    ]);
  });
});

describe("SEC-2 a gateway's own settings", () => {
  it("name an image only from the repositories that are allowed", () => {
    expect(judged({ gateway: {}, images: { gateway: "evil.example/g:1" } })).toMatchObject([
      { path: "spec.images.gateway" },
    ]);
  });

  it("reserve no more than they limit", () => {
    const resources = { requests: { memory: "2Gi" }, limits: { memory: "1Gi" } };
    expect(judged({ gateway: { resources } })).toMatchObject([{ path: "spec.gateway.resources.requests.memory" }]);
    expect(judged({ gateway: { resources: { ...resources, requests: { memory: "1Gi" } } } })).toEqual([]);
  });
});

describe("SEC-5 what a gateway asks", () => {
  const browsing = (url: string) => judged({ gateway: { browse: { sources: [{ name: "a", kind: "npm", url }] } } });
  const embedding = (baseUrl: string, key = "k") =>
    judged({ gateway: { embeddings: { kind: "openai", baseUrl, model: "m", apiKey: tokenFrom(key) } } });

  it("is no link-local or metadata address, and a URL that can be called", () => {
    expect([...browsing("https://npm.example.com/"), ...embedding("http://models.ai.svc/v1")]).toEqual([]);
    const path = "spec.gateway.browse.sources[0].url";
    expect(browsing("http://169.254.169.254/")).toMatchObject([{ path, message: /metadata address/ }].map(asMatch));
    expect(browsing("http://a:99999/")).toMatchObject([{ path, message: /expected a URL/ }].map(asMatch));
    expect(embedding("http://[fe80::1]/v1")).toMatchObject([{ path: "spec.gateway.embeddings.baseUrl" }]);
  });

  it("shows no credentials to readers of the instance, and the refusal neither", () => {
    const [problem, ...others] = browsing("https://me:hunter2@npm.example.com/");
    expect(others).toEqual([]);
    expect(problem?.message).toBe(
      "has a user or password, which anyone who may read the PallasInstance can read; remove it",
    );
    expect(embedding("https://me@models.example.com/v1")).toHaveLength(1);
  });

  it("names no key that would be a folder in the pod (SEC-2)", () => {
    expect(embedding("http://m.ai.svc/v1", "..")).toMatchObject([
      { path: "spec.gateway.embeddings.apiKey.secretKeyRef.key" },
    ]);
  });
});

describe("OPR-5 an agent with the name of its instance's gateway", () => {
  const agent = sampleAgent("ouranos-gateway");
  const rules = { mode: "cluster" } as const;

  it("is refused where there is a gateway, and only there", () => {
    expect(judgeAgent(agent, sampleInstance({ gateway: {} }), rules).map(formatProblem)).toEqual([
      'metadata.name: "ouranos-gateway" is the name of the gateway that instance "ouranos" has; give the agent another name',
    ]);
    expect(judgeAgent(agent, sampleInstance(), rules)).toEqual([]);
    expect(judgeAgent(sampleAgent("other-gateway"), sampleInstance({ gateway: {} }), rules)).toEqual([]);
  });
});

describe("advice on a gateway", () => {
  const advised = (spec: object) => adviseInstance(sampleInstance(spec), "cluster");
  const onCall = { role: "approver", serviceAccount: { name: "on-call" } };

  it("is given where it lets nobody in", () => {
    expect(advised({ gateway: {} })).toMatchObject([
      { path: "spec.gateway.access", message: expect.stringContaining("lets nobody in but agents") },
    ]);
    expect(advised({})).toEqual([]);
    expect(adviseInstance(sampleInstance({ gateway: {} }), "local")).toEqual([]);
  });

  it("is given where an entry can never hold, and only there", () => {
    const other = { role: "approver", serviceAccount: { name: "on-call-2" } };
    expect(advised(withAccess(onCall, other, { role: "viewer", tokenFrom: tokenFrom("a") }))).toEqual([]);
    expect(advised(withAccess(onCall, other, { ...onCall, role: "admin" }))).toMatchObject([
      { path: "spec.gateway.access[2]", message: expect.stringMatching(/^never holds, since entry 0 /) },
    ]);
  });
});
