import { describe, expect, it } from "vitest";
import { adviseAgent, adviseInstance, adviseServer, type Advice } from "./advice.ts";
import { sampleAgent, sampleInstance, sampleServer } from "./testing/resources.ts";

const told = (advice: readonly Advice[]): string[] => advice.map(({ path, message }) => `${path}: ${message}`);
const server = (fields: object) =>
  sampleInstance({ servers: [{ name: "t", url: "https://t.example/mcp", ...fields }] });
const header = (name: string, value: string) => server({ headers: [{ name, value }] });

describe("SEC-2 a literal credential is warned of, without showing it", () => {
  it.each([
    ["Authorization", "Bearer short"],
    ["authorization", "Basic bWU6cHc="],
    ["X-Api-Key", "short"],
    ["X-Auth-Token", "short"],
    ["X-Team", "sk-proj-abc123DEF456ghi789"],
  ])("in the header %s: %s", (name, value) => {
    expect(told(adviseInstance(header(name, value), "cluster"))).toEqual([
      `spec.servers[0].headers[0].value: the header ${name} seems to hold a credential, and anyone who may read the PallasInstance can read it; put it in a Secret and name it: valueFrom: { secretKeyRef: { name: SECRET, key: KEY } }`,
    ]);
  });

  it.each([
    ["https://me:pw@t.example/mcp", "the user in the URL"],
    ["https://t.example/mcp?api_key=short", "a parameter of the URL"],
    ["https://t.example/s/Zm9vYmFyMTIzNDU2Nzg5MA/mcp", "a part of the URL's path"],
  ])("in the URL %s", (url, what) => {
    const rest =
      "seems to be a credential, and anyone who may read the PallasInstance can read it; send it in a header with its value from a Secret";
    expect(told(adviseInstance(server({ url }), "cluster"))).toEqual([`spec.servers[0].url: ${what} ${rest}`]);
    const provider = sampleInstance({ providers: [{ name: "openai", baseUrl: url }] });
    expect(told(adviseInstance(provider, "cluster"))).toEqual([`spec.providers[0].baseUrl: ${what} ${rest}`]);
  });

  it.each([
    header("Accept-Language", "en"),
    header("X-Team", "blue"),
    header("Authorization", "Bearer ${TOKEN}"),
    server({ url: "https://t.example/mcp?api_key=${KEY}&version=2" }),
    server({ url: "https://${USER}:${PASSWORD}@t.example/mcp" }),
    server({ url: "${URL}/mcp?token=x" }),
    server({ headers: [{ name: "Authorization", valueFrom: { secretKeyRef: { name: "k", key: "t" } } }] }),
    sampleInstance({ providers: [{ name: "openai", baseUrl: "http://localhost:11434/v1" }] }),
  ])("and nothing else is: %#", (instance) => {
    expect(adviseInstance(instance, "cluster")).toEqual([]);
  });
});

describe("CFG-5 a rule on tools that can have no effect is warned of", () => {
  it.each<[object, string[]]>([
    [
      { allow: ["t__get_time"] },
      [
        'spec.servers[0].tools.allow[0]: "t__get_time" probably matches no tool: patterns are of the names that the server gives, without "t__"; write "get_time"',
      ],
    ],
    [
      { allow: ["read", "get_*"], deny: ["get_*"] },
      [
        'spec.servers[0].tools.allow[1]: "get_*" allows nothing, since "get_*" in deny wins over it; remove one of them',
      ],
    ],
    [
      { allow: ["get_time"], deny: ["*"] },
      ['spec.servers[0].tools.allow[0]: "get_time" allows nothing, since "*" in deny wins over it; remove one of them'],
    ],
    [{ allow: ["get_*"], deny: ["get_time"] }, []],
    [{ deny: ["*"] }, []],
  ])("%j", (tools, messages) => {
    const agent = sampleAgent("a", { servers: [{ name: "t", tools }] });
    expect(told(adviseAgent(agent, { instance: server({}) }))).toEqual(messages);
  });
});

describe("DSC-1 advice on what an agent may use of its gateway's registry", () => {
  const of = (name: string, tools: object, servers?: string[]) => {
    const instance = sampleInstance({ gateway: {}, servers: [{ name: "plain", url: "http://plain/mcp" }] });
    const sound = new Map(servers?.map((each) => [each, sampleServer(each, { remote: { url: "http://s/mcp" } })]));
    const around = { instance, servers: { sound, faulty: new Map() } };
    return told(adviseAgent(sampleAgent("a", { servers: [{ name, tools }] }), around));
  };

  it("is given on names without their server, and on no others", () => {
    expect(of("registry", { allow: ["registry__x", "memory__read_*", "*"], deny: ["read_graph"] })).toEqual([
      'spec.servers[0].tools.deny[0]: "read_graph" matches no tool: patterns of the registry are of names with their server, as memory__read_graph; write "*__read_graph"',
    ]);
  });

  it("is that on a server where one is called so", () => {
    expect(of("registry", { allow: ["read_graph"] }, ["registry"])).toEqual([]);
    expect(of("registry", { allow: ["registry__x"] }, ["registry"])).toHaveLength(1);
  });
});

describe("DSC-6 advice on a tool server", () => {
  const npm = { kind: "npm", name: "server-memory" };
  const ofServer = (spec: object) => told(adviseServer(sampleServer("memory", spec)));

  it("is given where a package has no version, and only there", () => {
    expect(ofServer({ package: npm })).toEqual([
      "spec.package.version: is not set, so that each process runs whatever version of server-memory is the latest at npm then; set the version that you tried",
    ]);
    expect(ofServer({ package: { ...npm, version: "1.0.0" } })).toEqual([]);
    expect(ofServer({ local: { command: "node" } })).toEqual([]);
  });

  it("is given where a variable, a header or the URL seems to hold a credential, without showing it", () => {
    const rest = "seems to hold a credential, and anyone who may read the PallasServer can read it; put it in a Secret";
    const variable = (name: string, value: string) =>
      ofServer({ package: { ...npm, version: "1.0.0" }, env: [{ name, value }] }).join();
    expect(variable("API_KEY", "short")).toContain(`spec.env[0].value: the variable API_KEY ${rest}`);
    expect(variable("DATABASE", "postgres://me:pw@db.example/x")).toContain(`the variable DATABASE ${rest}`);
    expect(variable("API_KEY", "${KEY}")).toBe("");
    expect(variable("MODE", "rw")).toBe("");
    const headers = [{ name: "X-Api-Key", value: "short" }];
    const remote = { url: "https://t.example/mcp?api_key=short", headers };
    expect(ofServer({ remote })).toEqual([
      "spec.remote.url: a parameter of the URL seems to be a credential, and anyone who may read the PallasServer can read it; send it in a header with its value from a Secret",
      expect.stringContaining(`spec.remote.headers[0].value: the header X-Api-Key ${rest}`),
    ]);
  });
});
