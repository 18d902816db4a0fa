import { describe, expect, it } from "vitest";
import { acceptAgent, acceptInstance } from "./accept.ts";
import { effectiveSettings } from "./settings.ts";
import { sampleAgent, sampleInstance } from "./testing/resources.ts";

const problems = (own: object, shared: object = {}) =>
  acceptAgent(sampleAgent("a", own), sampleInstance({ agentDefaults: shared }));
const settings = (own: object, shared: object = {}) =>
  effectiveSettings(sampleAgent("a", own), sampleInstance({ agentDefaults: shared }));
const limits = (amounts: object) => ({ resources: { limits: amounts } });
const requests = (amounts: object) => ({ resources: { requests: amounts } });

describe("CFG-1 built-in amounts give way to what is written", () => {
  it.each([
    ["a request follows a lower limit down", limits({ memory: "64Mi" }), ["64Mi", "64Mi"]],
    ["and stays below a higher one", limits({ memory: "128Mi" }), ["128Mi", "128Mi"]],
    ["just above it, too", limits({ memory: 134_217_729 }), ["128Mi", 134_217_729]],
    ["a limit follows a higher request up", requests({ memory: "1Gi" }), ["1Gi", "1Gi"]],
    ["and stays above a lower one", requests({ memory: "512Mi" }), ["512Mi", "512Mi"]],
  ])("%s", (_what, spec, [request, limit]) => {
    for (const { resources } of [settings(spec), settings({}, spec)]) {
      expect([resources.requests["memory"], resources.limits["memory"]]).toEqual([request, limit]);
    }
    expect(problems(spec)).toEqual([]);
    expect(acceptInstance(sampleInstance({ agentDefaults: spec }), "cluster")).toEqual([]);
  });

  it("in thousandths of a CPU as well", () => {
    expect(settings(limits({ cpu: "49m" })).resources.requests["cpu"]).toBe("49m");
    expect(settings(limits({ cpu: "0.051" })).resources.requests["cpu"]).toBe("50m");
  });

  it("maxBytes is four fifths of a claim that cannot hold it", () => {
    const maxBytes = (size: string, shared = {}) => settings({ storage: { size } }, shared).history.maxBytes;
    expect(maxBytes("1000Ki")).toBe(800 * 1024);
    expect(maxBytes("1280Mi")).toBe(2 ** 30);
    expect(maxBytes("5Gi")).toBe(2 ** 30);
    expect(maxBytes("1000Ki", { history: { maxBytes: "1000Ki" } })).toBe(1000 * 1024);
  });

  it("one history may have no more than all together, however much is written for it", () => {
    const ofOne = (history: object) => settings({ history }).history.maxBytesPerConversation;
    expect(ofOne({ maxBytes: "16777215" })).toBe(2 ** 24 - 1);
    expect(ofOne({ maxBytes: "16777217" })).toBe(2 ** 24);
    expect(ofOne({ maxBytes: "1Mi", maxBytesPerConversation: "2Mi" })).toBe(2 ** 20);
  });
});

describe("CFG-5 amounts that contradict each other", () => {
  it("a request above the limit is refused where it is written", () => {
    const resources = { requests: { cpu: "500m", memory: "2Gi" }, limits: { cpu: "0.5", memory: "1Gi" } };
    const [problem, ...others] = problems({ resources });
    expect(others).toEqual([]);
    expect(problem).toEqual({
      reason: "InvalidField",
      path: "spec.resources.requests.memory",
      message: "found 2Gi, above the limit 1Gi of spec.resources.limits.memory; lower the request, or raise the limit",
    });
    const ofInstance = acceptInstance(sampleInstance({ agentDefaults: { resources } }), "cluster");
    expect(ofInstance.map(({ path }) => path)).toEqual(["spec.agentDefaults.resources.requests.memory"]);
  });

  it("an agent's limit below the request of agentDefaults is refused with both places", () => {
    expect(problems(limits({ memory: "1Gi" }), requests({ memory: "2Gi" }))).toEqual([
      {
        reason: "InvalidField",
        path: "spec.resources.limits.memory",
        message:
          'found 1Gi, below the request 2Gi of instance "ouranos" spec.agentDefaults.resources.requests.memory; raise the limit, or set spec.resources.requests.memory to no more than it',
      },
    ]);
    expect(problems(requests({ cpu: 3 }), limits({ cpu: 2 })).map(({ path }) => path)).toEqual([
      "spec.resources.requests.cpu",
    ]);
  });

  it("the agent's own amount hides that of agentDefaults", () => {
    const resources = { requests: { memory: "1Gi" }, limits: { memory: "1Gi" } };
    expect(problems({ resources }, requests({ memory: "2Gi" }))).toEqual([]);
  });

  it("a claim smaller than the maxBytes that is written is refused, wherever that is", () => {
    const history = { maxBytes: "2Gi" };
    const storage = { size: "2147483647" };
    expect(problems({ storage, history })).toEqual([
      {
        reason: "InvalidField",
        path: "spec.storage.size",
        message:
          "found 2147483647, less than the 2Gi of spec.history.maxBytes; make the claim larger, or set spec.history.maxBytes to no more than it",
      },
    ]);
    const [problem] = problems({ storage }, { history });
    expect(problem?.message).toContain('spec.agentDefaults.history.maxBytes of instance "ouranos"');
    expect(problems({ storage: { size: "2Gi" } }, { history })).toEqual([]);
    expect(problems({ storage, history: { maxBytes: "1Gi" } }, { history })).toEqual([]);
  });
});

describe("SEC-6 histories and the memory that they need", () => {
  const ofOne = (amounts: object) => settings(amounts).history.maxBytesPerConversation;
  const withHistory = (maxBytesPerConversation: string | number, amounts: object = {}) => ({
    history: { maxBytesPerConversation, maxBytes: "4Gi" },
    ...amounts,
  });

  it.each([
    ["is 16Mi in a pod of 256Mi", limits({ memory: "256Mi" }), 16 * 2 ** 20],
    ["and in a larger one", {}, 16 * 2 ** 20],
    ["is a sixteenth of a smaller limit", limits({ memory: "128Mi" }), 8 * 2 ** 20],
    ["just below 256Mi, too", limits({ memory: 2 ** 28 - 1 }), 16 * 2 ** 20 - 1],
  ])("the built-in bound of one history %s", (_what, amounts, bytes) => {
    expect(ofOne(amounts)).toBe(bytes);
    expect(settings({}, amounts).history.maxBytesPerConversation).toBe(bytes);
    expect(problems(amounts)).toEqual([]);
  });

  it("a written bound of a sixteenth of the limit is accepted, wherever it is written", () => {
    expect(problems(withHistory("32Mi"))).toEqual([]);
    expect(problems({}, withHistory("32Mi"))).toEqual([]);
    expect(problems(withHistory("64Mi", limits({ memory: "1Gi" })))).toEqual([]);
  });

  it("one byte more is refused with both places and the cure", () => {
    expect(problems(withHistory(2 ** 25 + 1))).toEqual([
      {
        reason: "InvalidField",
        path: "spec.resources.limits.memory",
        message:
          "is 512Mi, less than 16 times the 33554433 of spec.history.maxBytesPerConversation, which one call of a long conversation may take; raise the limit to 513Mi, or lower spec.history.maxBytesPerConversation",
      },
    ]);
    const [problem, ...others] = problems(limits({ memory: "511Mi" }), withHistory("32Mi"));
    expect(others).toEqual([]);
    expect(problem?.message).toContain(
      '32Mi of spec.agentDefaults.history.maxBytesPerConversation of instance "ouranos"',
    );
  });

  it("a bound that a smaller maxBytes makes harmless is accepted", () => {
    expect(problems({ history: { maxBytesPerConversation: "1Gi", maxBytes: "32Mi" } })).toEqual([]);
    expect(problems({ history: { maxBytesPerConversation: "1Gi", maxBytes: 2 ** 25 + 1 } })).toHaveLength(1);
  });
});

describe("SEC-6 bodies and the memory that they need", () => {
  const withBodies = (bodyLimit: string | number | undefined, own: object, shared: object = {}) => {
    const http = bodyLimit === undefined ? {} : { http: { bodyLimit } };
    const [agent, instance] = [sampleAgent("a", own), sampleInstance({ ...http, agentDefaults: shared })];
    const { bodyLimitBytes } = effectiveSettings(agent, instance);
    return { bodyLimitBytes, problems: acceptAgent(agent, instance) };
  };

  it.each([
    ["is 32Mi in a pod of 512Mi", {}, 32 * 2 ** 20],
    ["and in a larger one", limits({ memory: "4Gi" }), 32 * 2 ** 20],
    ["is a sixteenth of a smaller limit", limits({ memory: "256Mi" }), 16 * 2 ** 20],
    ["just below 512Mi, too", limits({ memory: 2 ** 29 - 1 }), 32 * 2 ** 20 - 1],
  ])("the built-in limit of bodies %s", (_what, amounts, bodyLimitBytes) => {
    for (const found of [withBodies(undefined, amounts), withBodies(undefined, {}, amounts)]) {
      expect(found).toEqual({ bodyLimitBytes, problems: [] });
    }
  });

  it.each([
    ["32Mi at the built-in memory limit", "32Mi", {}],
    ["64Mi at 1Gi", "64Mi", limits({ memory: "1Gi" })],
    ["1Mi at 16Mi", 2 ** 20, limits({ memory: "16Mi" })],
  ])("a written limit of %s is accepted", (_what, bodyLimit, amounts) => {
    expect(withBodies(bodyLimit, amounts).problems).toEqual([]);
    expect(withBodies(bodyLimit, {}, amounts).problems).toEqual([]);
  });

  it("one byte more is refused with both places and the cure", () => {
    const [problem, ...others] = withBodies(2 ** 25 + 1, {}).problems;
    expect(others).toEqual([]);
    expect(problem).toEqual({
      reason: "InvalidField",
      path: "spec.resources.limits.memory",
      message:
        'is 512Mi, less than 16 times the 33554433 of http.bodyLimit of instance "ouranos", which one request may take; raise the limit to 513Mi, or lower http.bodyLimit',
    });
    expect(withBodies("64Mi", limits({ memory: "1023Mi" })).problems).toHaveLength(1);
    expect(withBodies("64Mi", {}, limits({ memory: "1023Mi" })).problems).toHaveLength(1);
  });
});
