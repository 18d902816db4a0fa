import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PallasAgent } from "../crds/agent.ts";
import { callDepth, dependenciesOf, findCycle, isBehindCycle, maxCallDepth, startWaves } from "./order.ts";
import { byName, sampleAgent } from "./testing/resources.ts";

const calls = (...names: string[]) => ({ agents: names.map((name) => ({ name })) });
const waits = (...names: string[]) => ({ dependsOn: names });
const names = (waves: PallasAgent[][]) => waves.map((wave) => wave.map(({ metadata }) => metadata.name));

/** a0 calls a1 calls … calls a{links}. */
const chain = (links: number) =>
  byName(...Array.from({ length: links + 1 }, (_, n) => sampleAgent(`a${n}`, n === links ? {} : calls(`a${n + 1}`))));

describe("OPR-4 dependencies", () => {
  it("are sub-agents and dependsOn together, each once", () => {
    expect(dependenciesOf(sampleAgent("a", { ...calls("b", "c"), ...waits("c", "d") }))).toEqual(["b", "c", "d"]);
  });
});

describe("OPR-4 cycles", () => {
  it("an agent that depends on itself is one", () => {
    expect(findCycle("a", byName(sampleAgent("a", waits("a"))))).toEqual(["a", "a"]);
  });

  it("the shortest way back is told, through calls and dependsOn alike", () => {
    const agents = byName(
      sampleAgent("a", calls("b", "x")),
      sampleAgent("b", waits("c")),
      sampleAgent("c", calls("a")),
      sampleAgent("x", calls("y")),
      sampleAgent("y", calls("z")),
      sampleAgent("z", calls("a")),
    );
    expect(findCycle("a", agents)).toEqual(["a", "b", "c", "a"]);
    expect(findCycle("c", agents)).toEqual(["c", "a", "b", "c"]);
  });

  it("an agent that merely depends on a cycle is not part of it", () => {
    const agents = byName(sampleAgent("a", calls("b")), sampleAgent("b", calls("c")), sampleAgent("c", calls("b")));
    expect(findCycle("a", agents)).toBeUndefined();
    expect([isBehindCycle("a", agents), isBehindCycle("missing", agents)]).toEqual([true, false]);
  });

  it("what is not there ends the way", () => {
    expect(findCycle("a", byName(sampleAgent("a", calls("missing"))))).toBeUndefined();
  });
});

describe("depth of calls", () => {
  it.each([0, 1, maxCallDepth, maxCallDepth + 1])("a chain of %d calls is so deep", (links) => {
    expect(callDepth("a0", chain(links))).toBe(links);
  });

  it("is counted to one more than allowed, also where calls come back to themselves", () => {
    expect(callDepth("a0", chain(30))).toBe(maxCallDepth + 1);
    expect(callDepth("a", byName(sampleAgent("a", calls("a"))))).toBe(maxCallDepth + 1);
  });

  it("is that of calls, not of waiting", () => {
    expect(callDepth("a", byName(sampleAgent("a", waits("b")), sampleAgent("b", waits("c")), sampleAgent("c")))).toBe(
      0,
    );
  });

  it("is counted in time where every agent of a level calls every one of the next", () => {
    const level = (n: number) => Array.from({ length: 20 }, (_, i) => `l${n}-${i}`);
    const agents = [0, 1, 2, 3, 4, 5, 6].flatMap((n) =>
      level(n).map((name) => sampleAgent(name, n === 6 ? {} : calls(...level(n + 1)))),
    );
    expect(callDepth("l0-0", byName(...agents))).toBe(6);
  });
});

describe("CLI-1 OPR-4 waves", () => {
  it("start what depends on nothing first, then what depends on that", () => {
    const agents = byName(
      sampleAgent("a", { ...calls("b"), ...waits("c") }),
      sampleAgent("b", waits("c")),
      sampleAgent("c"),
      sampleAgent("d"),
    );
    expect(names(startWaves(agents))).toEqual([["c", "d"], ["b"], ["a"]]);
  });

  it("leave out what is in or behind a cycle, or behind something missing", () => {
    const agents = byName(
      sampleAgent("a", calls("b")),
      sampleAgent("b", calls("c")),
      sampleAgent("c", calls("b")),
      sampleAgent("d", calls("missing")),
      sampleAgent("e", calls("d")),
      sampleAgent("f"),
    );
    expect(names(startWaves(agents))).toEqual([["f"]]);
  });
});

/** Any graph of up to 12 agents, with some edges that lead nowhere. */
const graphs = fc
  .array(fc.array(fc.nat({ max: 13 }), { maxLength: 3 }), { minLength: 1, maxLength: 12 })
  .map((edges) => {
    const agents = edges.map((targets, n) => {
      const unique = [...new Set(targets)].map((target) => `a${target}`);
      return sampleAgent(`a${n}`, { ...calls(...unique.slice(0, 1)), dependsOn: unique.slice(1) });
    });
    return byName(...agents);
  });

/** By exhaustive closure, written to share nothing with what it judges but the edges. */
function reachable(agents: ReadonlyMap<string, PallasAgent>, from: string): Set<string> {
  const next = (name: string) => {
    const agent = agents.get(name);
    return agent ? dependenciesOf(agent) : [];
  };
  let reached = new Set(next(from));
  for (;;) {
    const more = new Set([...reached, ...[...reached].flatMap(next)]);
    if (more.size === reached.size) return reached;
    reached = more;
  }
}

describe("OPR-4 on any graph", () => {
  it("isBehindCycle is true exactly where a cycle is reached", () => {
    fc.assert(
      fc.property(graphs, (agents) => {
        for (const name of agents.keys()) {
          const inOrBehind = [name, ...reachable(agents, name)].some((each) => reachable(agents, each).has(each));
          expect([name, isBehindCycle(name, agents)]).toEqual([name, inOrBehind]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("findCycle finds exactly the agents that reach themselves, and its chain is real", () => {
    fc.assert(
      fc.property(graphs, (agents) => {
        for (const name of agents.keys()) {
          const cycle = findCycle(name, agents);
          expect([name, cycle !== undefined]).toEqual([name, reachable(agents, name).has(name)]);
          for (const [position, each] of (cycle ?? []).slice(0, -1).entries()) {
            const agent = agents.get(each);
            expect(agent && dependenciesOf(agent)).toContain(cycle?.[position + 1]);
          }
          expect([cycle?.[0] ?? name, cycle?.at(-1) ?? name]).toEqual([name, name]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("each wave depends on earlier waves only, and what can start is in one", () => {
    fc.assert(
      fc.property(graphs, (agents) => {
        const before = new Set<string>();
        for (const wave of startWaves(agents)) {
          for (const agent of wave) expect(dependenciesOf(agent).filter((name) => !before.has(name))).toEqual([]);
          for (const agent of wave) before.add(agent.metadata.name);
        }
        const startable = [...agents.keys()].filter((name) => {
          const behind = [...reachable(agents, name)];
          return (
            behind.every((each) => agents.has(each) && !reachable(agents, each).has(each)) && !behind.includes(name)
          );
        });
        expect([...before].toSorted()).toEqual(startable.toSorted());
      }),
      { numRuns: 300 },
    );
  });
});
