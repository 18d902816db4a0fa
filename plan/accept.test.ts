import { describe, expect, it } from "vitest";
import { acceptAgent, acceptInstance } from "./accept.ts";
import { sampleAgent, sampleInstance } from "./testing/resources.ts";

const secret = { valueFrom: { secretKeyRef: { name: "keys", key: "k" } } };

describe("CFG-6 placeholders are for local mode", () => {
  const instance = sampleInstance({
    providers: [{ name: "openai", baseUrl: "${BASE}/v1", headers: [{ name: "X-A", value: "a ${TOKEN} b" }] }],
    servers: [
      {
        name: "argos",
        url: "http://${HOST}/mcp",
        headers: [
          { name: "X-S", ...secret },
          { name: "X-B", value: "${_b1}" },
        ],
      },
    ],
  });

  it("in a cluster each is refused with its place and the cure", () => {
    const problems = acceptInstance(instance, "cluster");
    expect(problems.map(({ reason, path }) => [reason, path])).toEqual([
      ["PlaceholderInCluster", "spec.providers[0].baseUrl"],
      ["PlaceholderInCluster", "spec.providers[0].headers[0].value"],
      ["PlaceholderInCluster", "spec.servers[0].url"],
      ["PlaceholderInCluster", "spec.servers[0].headers[1].value"],
    ]);
    expect(problems[1]?.message).toBe(
      "found the placeholder ${TOKEN}, which only local mode expands; write the value, or for a secret use valueFrom.secretKeyRef",
    );
  });

  it("in local mode they are fine, and so is a dollar that starts none", () => {
    expect(acceptInstance(instance, "local")).toEqual([]);
    const dollars = [{ name: "X-A", value: "$5 ${} $HOME ${1}" }];
    expect(
      acceptInstance(sampleInstance({ servers: [{ name: "a", url: "http://a", headers: dollars }] }), "cluster"),
    ).toEqual([]);
  });
});

describe("CFG-5 contradictions of an instance", () => {
  it.each([
    ["spec.servers[0].url", { servers: [{ name: "a", url: "http://a:port/mcp" }] }],
    ["spec.providers[0].baseUrl", { providers: [{ name: "openai", baseUrl: "http://" }] }],
    ["spec.proxy.http", { proxy: { http: "http://[", https: "http://proxy:3128" } }],
    ["spec.telemetry.otlpEndpoint", { telemetry: { otlpEndpoint: "http://a:99999" } }],
  ])("%s must be a URL that can be called", (path, spec) => {
    const problems = acceptInstance(sampleInstance(spec), "cluster");
    expect(problems).toEqual([
      {
        reason: "InvalidField",
        path,
        message: expect.stringMatching(/^expected a URL such as .*, found "http.*"; correct it$/),
      },
    ]);
  });

  it("two servers with one prefix: the later one is at fault, the message names the earlier", () => {
    const servers = ["argos", "other", "third"].map((name) => ({ name, url: "http://a/mcp" }));
    const instance = sampleInstance({
      servers: servers.map((server, n) => (n === 0 ? server : { ...server, prefix: "argos" })),
    });
    expect(acceptInstance(instance, "cluster").map(({ reason, path, message }) => [reason, path, message])).toEqual(
      [1, 2].map((position) => [
        "DuplicateName",
        `spec.servers[${position}].prefix`,
        'the prefix "argos" is already used by server "argos"; give one of them another prefix',
      ]),
    );
  });

  it("SEC-2 a Host other than the URL's is at fault, in any case of letters", () => {
    const headers = [
      { name: "X-Team", value: "blue" },
      { name: "HOST", value: "elsewhere.example" },
    ];
    const problems = acceptInstance(
      sampleInstance({ providers: [{ name: "openai", headers }], servers: [{ name: "a", url: "http://a", headers }] }),
      "cluster",
    );
    expect(problems.map(({ path }) => path)).toEqual([
      "spec.providers[0].headers[1].name",
      "spec.servers[0].headers[1].name",
    ]);
  });

  it("SEC-5 an issuer or its keys at an address that nobody may ask is at fault", () => {
    const jwt = { issuer: "http://169.254.169.254/", audiences: ["pallas"], jwksUrl: "https://[fe80::1]/keys" };
    const problems = acceptInstance(sampleInstance({ auth: { jwt } }), "cluster");
    expect(problems.map(({ path }) => path)).toEqual(["spec.auth.jwt.issuer", "spec.auth.jwt.jwksUrl"]);
  });
});

describe("AGT-11 authentication between agents", () => {
  const jwt = { issuer: "https://id.example.com", audiences: ["pallas"] };
  const agent = sampleAgent("lead", { agents: [{ name: "good", forwardInboundAuth: true }, { name: "bad" }] });

  it("a sub-agent that would get no token is a problem that names the cure", () => {
    expect(acceptAgent(agent, sampleInstance({ auth: { jwt } }))).toEqual([
      {
        reason: "TokenNotForwarded",
        path: "spec.agents[1].forwardInboundAuth",
        message: expect.stringContaining('so that "bad" refuses calls'),
      },
    ]);
  });

  it.each([{}, { auth: {} }])("is no matter with %j", (spec) => {
    expect(acceptAgent(agent, sampleInstance(spec))).toEqual([]);
  });
});

describe("OPR-10 replicas and scope", () => {
  const problems = (spec: object, agentDefaults: object = {}) =>
    acceptAgent(sampleAgent("a", spec), sampleInstance({ agentDefaults }));

  it.each([
    [{ replicas: 1 }, {}],
    [{ replicas: 0, scope: "shared" }, {}],
    [{ replicas: 2, scope: "request" }, {}],
    [{ replicas: 2 }, { scope: "request" }],
  ])("%j with agentDefaults %j is accepted", (spec, defaults) => {
    expect(problems(spec, defaults)).toEqual([]);
  });

  it.each([
    [{ replicas: 2 }, {}, "connection"],
    [{ replicas: 2, scope: "shared" }, { scope: "request" }, "shared"],
    [{ replicas: 3 }, { scope: "shared" }, "shared"],
  ])("%j with agentDefaults %j cannot share histories", (spec, defaults, scope) => {
    expect(problems(spec, defaults)).toEqual([
      {
        reason: "ScopeNeedsSharedStore",
        path: "spec.replicas",
        message: `${spec.replicas} replicas cannot share histories of scope "${scope}"; set spec.scope to request or spec.replicas to 1`,
      },
    ]);
  });
});

describe("OPR-10 replicas and storage", () => {
  it.each(["shared", "connection", "request"])("scope %s: one claim serves one pod", (scope) => {
    const storage = { size: "1Gi" };
    const problems = (replicas: number) =>
      acceptAgent(sampleAgent("a", { scope, storage, replicas }), sampleInstance());
    expect([problems(0), problems(1)]).toEqual([[], []]);
    expect(problems(2)).toEqual([
      {
        reason: "ScopeNeedsSharedStore",
        path: "spec.replicas",
        message:
          "2 replicas cannot share one claim; remove spec.storage and set spec.scope to request, or set spec.replicas to 1",
      },
    ]);
  });
});

describe("SEC-1 annotations of pods", () => {
  it.each([
    "container.apparmor.security.beta.kubernetes.io/agent",
    "seccomp.security.alpha.kubernetes.io/pod",
    "container.seccomp.security.alpha.kubernetes.io/agent",
  ])("%s is refused, in agent and agentDefaults", (key) => {
    const pod = { annotations: { [key]: "unconfined", note: "x" } };
    const ofAgent = acceptAgent(sampleAgent("a", { pod }), sampleInstance());
    const ofInstance = acceptInstance(sampleInstance({ agentDefaults: { pod } }), "cluster");
    expect([ofAgent, ofInstance].map((problems) => problems.map(({ reason, path }) => [reason, path]))).toEqual([
      [["InvalidField", "spec.pod.annotations"]],
      [["InvalidField", "spec.agentDefaults.pod.annotations"]],
    ]);
  });
});

describe("SEC-2 keys that would leave their folder", () => {
  it.each([".", ".."])("%j is refused wherever a key is read as a file", (key) => {
    const headers = [{ name: "X-A", valueFrom: { secretKeyRef: { name: "keys", key } } }];
    const instance = sampleInstance({
      providers: [{ name: "openai", apiKey: { secretKeyRef: { name: "keys", key } }, headers }],
      servers: [{ name: "a", url: "http://a/mcp", headers }],
      caBundle: { configMapKeyRef: { name: "ca", key } },
    });
    expect(acceptInstance(instance, "cluster").map(({ path }) => path)).toEqual([
      "spec.providers[0].apiKey.secretKeyRef.key",
      "spec.providers[0].headers[0].valueFrom.secretKeyRef.key",
      "spec.servers[0].headers[0].valueFrom.secretKeyRef.key",
      "spec.caBundle.configMapKeyRef.key",
    ]);
    const agent = sampleAgent("a", { instructionFrom: { configMapKeyRef: { name: "texts", key } } });
    expect(acceptAgent(agent, sampleInstance()).map(({ path }) => path)).toEqual([
      "spec.instructionFrom.configMapKeyRef.key",
    ]);
  });

  it("other keys with dots are fine", () => {
    for (const key of ["...", ".env", "a..b", "ca.crt"]) {
      const agent = sampleAgent("a", { instructionFrom: { configMapKeyRef: { name: "texts", key } } });
      expect(acceptAgent(agent, sampleInstance())).toEqual([]);
    }
  });
});

describe("SEC-5 URLs to link-local and metadata addresses", () => {
  const url = "http://169.254.169.254/latest";
  const message = expect.stringContaining("a link-local or metadata address");

  it.each([
    ["spec.servers[0].url", { servers: [{ name: "a", url }] }],
    ["spec.providers[0].baseUrl", { providers: [{ name: "openai", baseUrl: url }] }],
    ["spec.proxy.http", { proxy: { http: url } }],
    ["spec.proxy.https", { proxy: { https: url } }],
    ["spec.telemetry.otlpEndpoint", { telemetry: { otlpEndpoint: url } }],
  ])("%s is refused, in a cluster and locally", (path, spec) => {
    for (const mode of ["cluster", "local"] as const) {
      expect(acceptInstance(sampleInstance(spec), mode)).toEqual([{ reason: "InvalidField", path, message }]);
    }
  });
});

describe("CAT-4 an outside URL made with the agent's port needs one", () => {
  const problems = (spec: object, externalUrl: object) =>
    acceptAgent(sampleAgent("a", spec), sampleInstance({ externalUrl })).map(({ reason, path }) => [reason, path]);

  it("with a host, or a template that has {port}", () => {
    for (const externalUrl of [{ host: "puck.incus" }, { template: "https://a:{port}/mcp" }]) {
      expect(problems({}, externalUrl)).toEqual([["PortMissing", "spec.port"]]);
      expect(problems({ port: 24_101 }, externalUrl)).toEqual([]);
    }
    expect(problems({}, { template: "https://a/{agent}/mcp" })).toEqual([]);
  });

  it("several problems of one agent are told at once", () => {
    const spec = { replicas: 2, networkPolicy: { to: [{}] } };
    expect(problems(spec, { host: "puck.incus" }).map(([reason]) => reason)).toEqual([
      "ScopeNeedsSharedStore",
      "InvalidField",
      "PortMissing",
    ]);
  });
});
