import { describe, expect, it } from "vitest";
import { resolveAgent, resolveInstance } from "./resolve.ts";
import { sampleAgent, sampleInstance, sampleNeighbourhood } from "./testing/resources.ts";

const instance = sampleInstance({
  providers: [{ name: "openai" }],
  servers: [
    { name: "argos", url: "http://argos/mcp" },
    { name: "neo4j_cypher", url: "http://neo4j/mcp", prefix: "graph" },
  ],
});
const research = sampleAgent("research");
const problemsOf = (spec: object, of = instance, others = [research]) => {
  const agent = sampleAgent("a", spec);
  return resolveAgent(agent, sampleNeighbourhood(of, agent, ...others));
};

describe("CFG-5 each problem of a reference is told once: reason, place, what was found, what there is", () => {
  it.each([
    [
      { model: "opnai.gpt-5" },
      "ProviderNotFound",
      "spec.model",
      'model "opnai.gpt-5": provider "opnai" does not exist (did you mean "openai"?); instance "ouranos" has the providers "openai"',
    ],
    [
      { fallbackModels: ["openai.x", "google.y"] },
      "ProviderNotFound",
      "spec.fallbackModels[1]",
      'model "google.y": provider "google" does not exist; instance "ouranos" has the providers "openai"',
    ],
    [
      { servers: [{ name: "argos" }, { name: "neo4j-cypher" }] },
      "ServerNotFound",
      "spec.servers[1].name",
      'server "neo4j-cypher" does not exist (did you mean "neo4j_cypher"?); instance "ouranos" has the servers "argos", "neo4j_cypher"',
    ],
    [
      { agents: [{ name: "reserch" }] },
      "AgentNotFound",
      "spec.agents[0].name",
      'agent "reserch" does not exist (did you mean "research"?); instance "ouranos" has the other agents "research"',
    ],
    [
      { dependsOn: ["research", "archive"] },
      "AgentNotFound",
      "spec.dependsOn[1]",
      'agent "archive" does not exist; instance "ouranos" has the other agents "research"',
    ],
    [
      { dependsOn: ["a"] },
      "DependencyCycle",
      "spec",
      "the agents form a dependency cycle: a → a; remove one of these references",
    ],
  ])("%j", (spec, reason, path, message) => {
    expect(problemsOf(spec)).toEqual([{ reason, path, message }]);
  });

  it("nothing is wrong with what is there, built-in providers included", () => {
    const spec = {
      model: "openai.gpt-5",
      fallbackModels: ["slow", "playback.x"],
      servers: [{ name: "argos" }, { name: "neo4j_cypher" }],
      agents: [{ name: "research" }],
      dependsOn: ["research"],
    };
    expect(problemsOf(spec)).toEqual([]);
  });

  it("several problems are told at once", () => {
    const spec = { model: "google.x", servers: [{ name: "x" }], agents: [{ name: "y" }], dependsOn: ["z"] };
    expect(problemsOf(spec).map(({ path }) => path)).toEqual([
      "spec.model",
      "spec.servers[0].name",
      "spec.agents[0].name",
      "spec.dependsOn[0]",
    ]);
  });
});

describe("CFG-1 the model of an agent", () => {
  it("must be named by it or its instance", () => {
    expect(problemsOf({}, sampleInstance({ defaultModel: null }))).toEqual([
      {
        reason: "ModelMissing",
        path: "spec.model",
        message: 'names no model, and neither does defaultModel of instance "ouranos"; set one of them',
      },
    ]);
  });

  it("that its instance names wrongly is told at the reference to the instance", () => {
    const broken = sampleInstance({ defaultModel: "google.x" });
    expect(problemsOf({}, broken).map(({ path }) => path)).toEqual(["spec.instanceRef"]);
    expect(resolveInstance(broken)).toEqual([
      {
        reason: "ProviderNotFound",
        path: "spec.defaultModel",
        message: 'model "google.x": provider "google" does not exist; spec.providers has none',
      },
    ]);
  });

  it("of an instance may be built-in, declared, or none", () => {
    const providers = [{ name: "openai" }];
    for (const defaultModel of ["passthrough", "slow.x", "openai.x", null]) {
      expect(resolveInstance(sampleInstance({ providers, defaultModel }))).toEqual([]);
    }
  });
});

describe("CFG-1 calls between agents", () => {
  const chain = (links: number) =>
    Array.from({ length: links + 1 }, (_, n) =>
      sampleAgent(`a${n}`, n === links ? {} : { agents: [{ name: `a${n + 1}` }] }),
    );
  const first = (links: number) => {
    const agents = chain(links);
    return resolveAgent(agents[0] ?? research, sampleNeighbourhood(instance, ...agents));
  };

  it("may nest eight deep, not nine", () => {
    expect(first(8)).toEqual([]);
    expect(first(9)).toEqual([
      {
        reason: "CallDepthExceeded",
        path: "spec.agents",
        message: "calls would nest 9 agents deep, at most 8 are allowed; make the chain of agents shorter",
      },
    ]);
  });

  it("an agent before a cycle is not at fault for it", () => {
    const [b, c] = [sampleAgent("b", { agents: [{ name: "c" }] }), sampleAgent("c", { agents: [{ name: "b" }] })];
    expect(problemsOf({ agents: [{ name: "b" }] }, instance, [b, c])).toEqual([]);
  });

  it("an agent that is there but faulty is no problem of who names it", () => {
    const agent = sampleAgent("a", { agents: [{ name: "broken" }], dependsOn: ["gone"] });
    const around = { ...sampleNeighbourhood(instance, agent), invalid: new Set(["broken"]) };
    expect(resolveAgent(agent, around).map(({ path }) => path)).toEqual(["spec.dependsOn[0]"]);
  });
});

describe("AGT-1 names that the model sees", () => {
  it("an agent and a server cannot have the same prefix", () => {
    const of = sampleInstance({ servers: [{ name: "argos", url: "http://a/mcp", prefix: "deep_research" }] });
    const spec = { servers: [{ name: "argos" }], agents: [{ name: "deep-research" }] };
    expect(problemsOf(spec, of, [sampleAgent("deep-research")])).toEqual([
      {
        reason: "DuplicateName",
        path: "spec.agents[0].name",
        message:
          'agent "deep-research" and server "argos" would have the same prefix "deep_research" to the model; set another prefix on the server',
      },
    ]);
  });

  it("a prefix moves a server's tools out of the way", () => {
    const of = sampleInstance({ servers: [{ name: "research", url: "http://a/mcp", prefix: "web" }] });
    expect(problemsOf({ servers: [{ name: "research" }], agents: [{ name: "research" }] }, of)).toEqual([]);
  });
});

describe("CAT-4 a port of a host is one agent's", () => {
  const at = (creationTimestamp: string) => ({ creationTimestamp });
  const withHost = sampleInstance({ externalUrl: { host: "puck.incus" } });
  const older = sampleAgent("z", { port: 24_101 }, at("2026-01-01T00:00:00Z"));
  const younger = sampleAgent("b", { port: 24_101 }, at("2026-01-02T00:00:00Z"));
  const reasons = (agent: typeof older, of = withHost) =>
    resolveAgent(agent, sampleNeighbourhood(of, older, younger)).map(({ reason, message }) => [reason, message]);

  it("the earlier-created keeps it, whatever their names", () => {
    expect(reasons(older)).toEqual([]);
    expect(reasons(younger)).toEqual([["DuplicatePort", 'port 24101 is already used by agent "z"; choose another']]);
  });

  it("of two of the same age the first by name keeps it", () => {
    const [a, b] = [sampleAgent("a", { port: 1 }), sampleAgent("b", { port: 1 })];
    const around = sampleNeighbourhood(withHost, a, b);
    expect([a, b].map((agent) => resolveAgent(agent, around).length)).toEqual([0, 1]);
  });

  it("without a host a port is nobody's business", () => {
    expect(reasons(younger, instance)).toEqual([]);
  });
});
