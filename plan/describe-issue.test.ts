// Mistakes as people make them, and the whole sentence that each gets. A message never has the validator's own words, and
// never shows what may be a secret.
import { describe, expect, it } from "vitest";
import { formatProblem } from "./validation-error.ts";
import { parseAgent, parseInstance } from "./parse.ts";
import { agentManifestOf, instanceManifestOf } from "./testing/resources.ts";

const said = (outcome: ReturnType<typeof parseAgent> | ReturnType<typeof parseInstance>): string[] =>
  outcome.ok ? [] : outcome.problems.map(formatProblem);
const ofAgent = (spec: object): string[] => said(parseAgent(agentManifestOf("research", spec)));
const ofInstance = (spec: object): string[] => said(parseInstance(instanceManifestOf(spec)));

const inSecret = "put it in a Secret and name it:";

describe("CFG-5 a mistake in a PallasAgent is told with its cure", () => {
  it.each<[object, string]>([
    [
      { limits: { wallClock: 5 } },
      'spec.limits.wallClock: expected a duration such as 30s, 10m or 1h30m, found 5; write "5s"',
    ],
    [{ drainTimeout: "5" }, 'spec.drainTimeout: must be a duration such as 30s, 10m or 1h30m, found "5"'],
    [{ instruction: 5 }, 'spec.instruction: expected a text, found 5; write "5"'],
    [{ instruction: ["a"] }, "spec.instruction: expected a text, found a list"],
    [{ model: 5 }, "spec.model: expected provider.model-name, or passthrough, playback or slow, found 5"],
    [{ replicas: "2" }, 'spec.replicas: expected a number, found "2"; write 2 without quotes'],
    [{ replicas: 1.5 }, "spec.replicas: expected a whole number, found 1.5"],
    [{ port: 70_000 }, "spec.port: must be at most 65535, found 70000"],
    [{ port: 0 }, "spec.port: must be at least 1, found 0"],
    [
      { request: { temperature: "0.5" } },
      'spec.request.temperature: expected a number, found "0.5"; write 0.5 without quotes',
    ],
    [{ request: { temperature: "hot" } }, 'spec.request.temperature: expected a number, found "hot"'],
    [{ request: { temperature: 9 } }, "spec.request.temperature: must be at most 2, found 9"],
    [{ request: { stop: "END" } }, 'spec.request.stop: expected a list, found "END"; write ["END"]'],
    [
      { request: { effort: "hihg" } },
      'spec.request.effort: expected one of "minimal", "low", "medium", "high", "xhigh", "max", found "hihg" (did you mean "high"?)',
    ],
    [
      { emitLoopProgress: "true" },
      'spec.emitLoopProgress: expected true or false, found "true"; write true without quotes',
    ],
    [
      { emitLoopProgress: "yes" },
      'spec.emitLoopProgress: expected true or false, found "yes"; write true or false, without quotes',
    ],
    [{ servers: ["time"] }, 'spec.servers[0]: expected an object with name, tools, found "time"; write { name: time }'],
    [{ servers: "time" }, 'spec.servers: expected a list, found "time"; write [{ name: time }]'],
    [{ servers: { time: {} } }, 'spec.servers: expected a list, found an object; write each entry as "- name: NAME"'],
    [
      { agents: ["editor"] },
      'spec.agents[0]: expected an object with name, forwardInboundAuth, found "editor"; write { name: editor }',
    ],
    [{ dependsOn: "editor" }, 'spec.dependsOn: expected a list, found "editor"; write ["editor"]'],
    [{ dependsOn: ["a", "a"] }, 'spec.dependsOn[1]: duplicate entry "a"; remove it'],
    [
      { dependsOn: Array.from({ length: 65 }, (_, n) => `a${n}`) },
      "spec.dependsOn: must have at most 64 entries, found 65",
    ],
    [{ instanceRef: "i" }, 'spec.instanceRef: expected an object with name, found "i"; write { name: i }'],
    [
      { instructionFrom: "prompts" },
      'spec.instructionFrom: expected an object with configMapKeyRef, found "prompts"; write instructionFrom: { configMapKeyRef: { name: …, key: … } }',
    ],
    [{ icons: ["x"] }, 'spec.icons[0]: expected an object with src, mimeType, found "x"; write { src: … }'],
    [{ output: { schema: "x" } }, 'spec.output.schema: expected an object, found "x"'],
    [
      { resources: { requests: { cpu: true } } },
      "spec.resources.requests.cpu: must be a quantity such as 500m, 512Mi or 1Gi, found true",
    ],
    [{ title: "x".repeat(101) }, "spec.title: must have at most 100 characters, found 101"],
    [
      { title: false },
      'spec.title: expected a text, found false; YAML reads on, off, yes, no, y and n as true and false: put the word in quotes, as in "off"',
    ],
    [
      { servers: [{ name: "a" }, { name: "a" }] },
      'spec.servers[1]: duplicate name "a"; every entry needs a name of its own',
    ],
    [{ servers: [{}] }, "spec.servers[0].name: is required, found nothing; add it"],
    [{ servers: [null] }, "spec.servers[0]: expected an object with name, tools, found nothing; write { name: … }"],
    [
      { request: "x" },
      'spec.request: expected an object with temperature, topP, topK, maxTokens, stop, effort, …, found "x"',
    ],
  ])("%j", (spec, message) => {
    expect(ofAgent(spec)).toEqual([message]);
  });

  it("its name among them", () => {
    const named = (name: unknown) => said(parseAgent({ ...agentManifestOf("a"), metadata: { name } }));
    expect(named(false)).toEqual([
      'metadata.name: expected a text, found false; YAML reads on, off, yes, no, y and n as true and false: put the word in quotes, as in "off"',
    ]);
    expect(said(parseAgent({ ...agentManifestOf("a"), apiVersion: "v1" }))).toEqual([
      'apiVersion: expected "pallas.helu.ca/v1alpha1", found "v1"',
    ]);
  });
});

describe("CFG-5 a field in the wrong place is told where it belongs", () => {
  it.each<[object, string]>([
    [{ temperature: 1 }, 'spec.temperature: unknown field "temperature"; it belongs under spec.request'],
    [{ max_tokens: 9 }, 'spec.max_tokens: unknown field "max_tokens"; it belongs under spec.request'],
    [{ tools: [] }, 'spec.tools: unknown field "tools"; it belongs under spec.servers[]'],
    [{ labels: {} }, 'spec.labels: unknown field "labels"; it belongs under spec.pod'],
    [
      { systemPrompt: "x" },
      'spec.systemPrompt: unknown field "systemPrompt" (did you mean "instruction"?); correct or remove it',
    ],
    [
      { servers: [{ name: "a", url: "http://a.example" }] },
      'spec.servers[0].url: unknown field "url"; it belongs under spec.servers[] of the PallasInstance',
    ],
    [
      { servers: [{ name: "a", headers: [] }] },
      'spec.servers[0].headers: unknown field "headers"; it belongs under spec.servers[] of the PallasInstance',
    ],
    [{ apiKey: "x" }, 'spec.apiKey: unknown field "apiKey"; it belongs under spec.providers[] of the PallasInstance'],
    [{ providers: [] }, 'spec.providers: unknown field "providers"; it belongs under spec of the PallasInstance'],
    [{ env: [] }, 'spec.env: unknown field "env"; it belongs under spec of the PallasServer'],
    [{ livenessModel: "x" }, 'spec.livenessModel: unknown field "livenessModel"; correct or remove it'],
  ])("%j of an agent", (spec, message) => {
    expect(ofAgent(spec)).toEqual([message]);
  });

  it.each<[object, string]>([
    [{ instruction: "x" }, 'spec.instruction: unknown field "instruction"; it belongs under spec of the PallasAgent'],
    [{ model: "x" }, 'spec.model: unknown field "model" (did you mean "defaultModel"?); correct or remove it'],
    [{ temperature: 1 }, 'spec.temperature: unknown field "temperature"; it belongs under spec.agentDefaults.request'],
    [{ host: "a.example" }, 'spec.host: unknown field "host"; it belongs under spec.externalUrl'],
  ])("%j of an instance", (spec, message) => {
    expect(ofInstance(spec)).toEqual([message]);
  });
});

describe("SEC-2 a value that may be a secret is in no message", () => {
  const key = "sk-proj-abc123DEF456ghi789";
  it.each<[object, string]>([
    [
      { providers: [{ name: "openai", apiKey: "short" }] },
      `spec.providers[0].apiKey: expected an object with secretKeyRef, found a text; ${inSecret} apiKey: { secretKeyRef: { name: SECRET, key: KEY } }`,
    ],
    [
      { providers: [{ name: "openai", apiKey: 4711 }] },
      `spec.providers[0].apiKey: expected an object with secretKeyRef, found a number; ${inSecret} apiKey: { secretKeyRef: { name: SECRET, key: KEY } }`,
    ],
    [
      { providers: [{ name: "openai", apiKey: { secretKeyRef: "short" } }] },
      "spec.providers[0].apiKey.secretKeyRef: expected an object with name, key, found a text; write secretKeyRef: { name: …, key: … }",
    ],
    [
      { servers: [{ name: "t", url: "http://a.example", headers: [{ name: "A", valueFrom: "short" }] }] },
      `spec.servers[0].headers[0].valueFrom: expected an object with secretKeyRef, found a text; ${inSecret} valueFrom: { secretKeyRef: { name: SECRET, key: KEY } }`,
    ],
    [
      { servers: [{ name: "t", url: "http://a.example", headers: { Authorization: "Bearer short" } }] },
      'spec.servers[0].headers: expected a list, found an object; write each entry as "- name: NAME"',
    ],
    [
      { servers: [{ name: "t", url: "ftp://me:short@a.example" }] },
      "spec.servers[0].url: must be an http:// or https:// URL, found a text",
    ],
    [
      { servers: [{ name: "t", url: "ftp://a.example/?api_key=short" }] },
      "spec.servers[0].url: must be an http:// or https:// URL, found a text",
    ],
    [
      { providers: [key] },
      "spec.providers[0]: expected an object with name, kind, baseUrl, region, apiKey, headers, …, found a text; write { name: … }",
    ],
    [
      { defaultModel: key },
      "spec.defaultModel: must be provider.model-name, or passthrough, playback or slow, found a text",
    ],
    [
      { defaultModel: `x ${key}` },
      "spec.defaultModel: must be provider.model-name, or passthrough, playback or slow, found a text",
    ],
  ])("%j", (spec, message) => {
    expect(ofInstance(spec)).toEqual([message]);
    expect(message).not.toMatch(/short|4711|abc123/);
  });

  it("nor one that stands as a key in place of a Secret's name", () => {
    const problems = ofInstance({ providers: [{ name: "openai", apiKey: { [key]: {} } }] });
    expect(problems).toEqual([
      "spec.providers[0].apiKey.secretKeyRef: is required, found nothing; add it",
      "spec.providers[0].apiKey: has an unknown field; expected secretKeyRef, put the value in a Secret and name it",
    ]);
  });
});
