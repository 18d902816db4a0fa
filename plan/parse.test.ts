import { describe, expect, it } from "vitest";
import { formatProblem, type ValidationError } from "./validation-error.ts";
import { parseAgent, parseInstance } from "./parse.ts";
import { agentManifestOf, instanceManifestOf } from "./testing/resources.ts";

const agentProblems = (spec: object, metadata: object = {}): ValidationError[] => {
  const outcome = parseAgent(agentManifestOf("research", spec, metadata));
  return outcome.ok ? [] : outcome.problems;
};
const told = (spec: object) => agentProblems(spec).map(formatProblem);

describe("CFG-5 a misspelt key is refused", () => {
  it.each([
    [{ titel: "x" }, "spec.titel", ' (did you mean "title"?)'],
    [{ request: { topk: 4 } }, "spec.request.topk", ' (did you mean "topK"?)'],
    [{ servers: [{ name: "argos", tool: {} }] }, "spec.servers[0].tool", ' (did you mean "tools"?)'],
    [{ pod: { tolerations: [{ keyy: "a" }] } }, "spec.pod.tolerations[0].keyy", ' (did you mean "key"?)'],
    [{ somethingElse: 1 }, "spec.somethingElse", ""],
  ])("%j names the nearest field there, if one is near", (spec, path, suggestion) => {
    const key = path.split(".").at(-1);
    expect(agentProblems(spec)).toEqual([
      { reason: "UnknownField", path, message: `unknown field "${key}"${suggestion}; correct or remove it` },
    ]);
  });

  it("also where it is null, beside the envelope, or named like a part of JavaScript", () => {
    expect(told({ titel: null })).toEqual([
      'spec.titel: unknown field "titel" (did you mean "title"?); correct or remove it',
    ]);
    const besides = parseAgent({ ...agentManifestOf("a"), specs: {} });
    expect(besides).toMatchObject({ ok: false, problems: [{ reason: "UnknownField", path: "specs" }] });
    for (const key of ["__proto__", "constructor", "toString"]) {
      for (const value of ["null", "{}", "5"]) {
        const spec: object = JSON.parse(`{"instanceRef": {"name": "a"}, "${key}": ${value}}`);
        const raw = { ...agentManifestOf("a"), spec };
        expect([key, parseAgent(raw)]).toMatchObject([key, { ok: false, problems: [{ path: `spec.${key}` }] }]);
      }
    }
  });

  it("several problems are told at once, each with its place", () => {
    const problems = agentProblems({ titel: "x", replicas: -1, icons: [{ src: "ftp://a" }], scope: "all" });
    expect(problems.map(({ path }) => path).toSorted()).toEqual([
      "spec.icons[0].src",
      "spec.replicas",
      "spec.scope",
      "spec.titel",
    ]);
  });
});

describe("CFG-5 messages say what was expected and what was found", () => {
  it.each([
    [{ title: 5 }, 'spec.title: expected a text, found 5; write "5"'],
    [{ scope: "all" }, 'spec.scope: expected one of "shared", "connection", "request", found "all"'],
    [{ servers: [{}] }, "spec.servers[0].name: is required, found nothing; add it"],
    [
      { limits: { wallClock: "soon" } },
      'spec.limits.wallClock: must be a duration such as 30s, 10m or 1h30m, found "soon"',
    ],
    [{ instruction: [] }, "spec.instruction: expected a text, found a list"],
    [{ storage: { size: "big" } }, 'spec.storage.size: must be a quantity such as 500m, 512Mi or 1Gi, found "big"'],
  ])("%j", (spec, message) => {
    expect(told(spec)).toEqual([message]);
  });

  it("a long value is cut, an object not printed", () => {
    const [message = ""] = told({ model: "x y ".repeat(300) });
    expect(message.length).toBeLessThan(250);
    const both = { instruction: "x", instructionFrom: { configMapKeyRef: { name: "a", key: "b" } } };
    expect(told(both)).toEqual(["spec: at most one of instruction and instructionFrom is allowed"]);
  });
});

describe("CFG-5 null is absent, as for the API server", () => {
  it("where the schema has a field: `servers:` with nothing after it", () => {
    const outcome = parseAgent(agentManifestOf("a", { servers: null, replicas: null, request: { stop: null } }));
    expect(outcome).toMatchObject({ ok: true, value: { spec: { replicas: 1, request: {} } } });
    expect(outcome.ok && "servers" in outcome.value.spec).toBe(false);
  });

  it("so a required field that is null is missing, and a list has no null entries", () => {
    expect(told({ instanceRef: null })).toEqual(["spec.instanceRef: is required, found nothing; add it"]);
    expect(agentProblems({ dependsOn: [null] }).map(({ path }) => path)).toEqual(["spec.dependsOn[0]"]);
  });
});

describe("CFG-1 defaults of the schema", () => {
  it("are few: what agentDefaults can set has none", () => {
    expect(parseAgent(agentManifestOf("a"))).toMatchObject({
      ok: true,
      value: { spec: { instanceRef: { name: "ouranos" }, emitLoopProgress: true, replicas: 1 } },
    });
    expect(parseInstance(instanceManifestOf())).toMatchObject({ ok: true, value: { spec: { version: "1.0.0" } } });
  });

  it("anything that is no manifest is one problem, never an exception", () => {
    for (const raw of [undefined, null, 5, "x", [], {}, { kind: "PallasAgent" }, agentManifestOf("", {})]) {
      expect(parseAgent(raw).ok).toBe(false);
      expect(parseInstance(raw).ok).toBe(false);
    }
  });
});
