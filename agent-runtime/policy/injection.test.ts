// MGM-5 no instruction that a model reads, and no name or arguments that it writes, make an agent do what its policy denies or nobody
// approved: by real servers that keep what they were sent.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LivePolicy } from "../../crds/run-config.ts";
import { allowed, createInjectionCases, targets } from "../testing/injection-cases.ts";
import { findMisses, rules } from "../testing/injection-rules.ts";
import { startInjectionScene, type InjectionScene } from "../testing/injection-scene.ts";

const inForce = { name: "money", generation: 1, rules };
const strict: LivePolicy = { ...inForce, default: "denyContinue" };

function openScene(policy: LivePolicy | null): () => InjectionScene {
  let scene: InjectionScene | undefined;
  beforeAll(async () => {
    scene = await startInjectionScene(policy);
  }, 60_000);
  afterAll(() => scene?.stop());
  return () => {
    if (scene === undefined) throw new Error("the scene has not started");
    return scene;
  };
}

const isControl = ({ server, tool }: { server: string; tool: string }) => server === "bank" && tool === "read_balance";

describe("MGM-5 whatever a model is told or writes", () => {
  const cases = createInjectionCases();
  const scene = openScene(strict);

  test("there are 500 cases of it, and each is another", () => {
    expect(new Set(cases.map(({ title }) => title)).size).toBe(cases.length);
    expect(cases.length).toBeGreaterThanOrEqual(500);
  });

  test.each(cases)("no call goes out that is denied or not approved: $title", async (hostile) => {
    const run = await scene().run(hostile);
    // Without arguments: to show how a megabyte of them differs from nothing takes minutes.
    expect(findMisses(run).map(({ server, tool }) => `${server}/${tool}`)).toEqual([]);
    expect(run.answer).toMatchObject({ isError: false, text: "done" });
    // It did what it was told to, and could.
    expect(run.tried).toBeGreaterThan(1);
    expect(run.reached.some(isControl)).toBe(true);
  });
});

const attempts = Object.entries(targets);
const asked = { verdict: "approve" } as const;

describe("MGM-5 a denial that ends the run", () => {
  const scene = openScene({ ...inForce, default: "denyAbort" });
  // What is asked about is no matter of the default.
  test.each(attempts.filter(([title]) => title !== "what nobody approves"))(
    "lets nothing out, before or after it: %s",
    async (title, target) => {
      const run = await scene().run({ title, steps: [[target], [allowed]] });
      expect(findMisses(run)).toEqual([]);
      expect(run.reached.filter(isControl)).toEqual([]);
      expect(run.answer).toMatchObject({ isError: true, text: expect.stringContaining("denied") });
    },
  );
});

describe("MGM-5 without a policy to go by", () => {
  const faults: Record<string, LivePolicy> = {
    "that is missing": { name: "money", fault: 'PallasPolicy "money" does not exist' },
    "with an unknown field": { ...strict, rules: [{ name: "a", action: "allow", servers: ["bank"] }] },
    "with an unknown action": { ...strict, rules: [{ name: "a", action: "permit" }] },
    "with an allowing rule by hints": {
      ...strict,
      rules: [{ name: "a", match: { hints: { readOnly: true } }, action: "allow" }],
    },
    "that is no list of rules": { ...strict, rules: [null] },
  };
  describe.each(Object.entries(faults))("%s", (_what, policy) => {
    const scene = openScene(policy);
    test.each([...attempts, ["what was allowed", allowed] as const])("nothing goes out: %s", async (title, target) => {
      const run = await scene().run({ title, steps: [[target], [allowed]], decide: () => asked });
      expect(run.reached).toEqual([]);
      expect(run.tried).toBe(1);
      expect(run.answer.isError).toBe(true);
    });
  });
});

describe("the suite itself", () => {
  const scene = openScene(null);
  test.each(attempts)("sees what goes out where there is no policy: %s", async (title, target) => {
    expect(findMisses(await scene().run({ title, steps: [[target]] }))).toHaveLength(1);
  });
});
