// Projects that are not as they should be: what is said of each, and whether anything is written.
import { describe, expect, test } from "vitest";
import { maxFileBytes } from "../manifests/manifest-text.ts";
import { importTexts, withArguments, withModule, withSettings, type ProjectTexts } from "./testing/projects.ts";

const sound = 'instruction="Be brief."';
const deployed = (agents: string, head = ""): ProjectTexts => ({
  ...withArguments(sound),
  "agents.yaml": `name: p\nnamespace: com.example\n${head}agents:\n${agents}`,
});
const server = (text: string): ProjectTexts =>
  withSettings(`default_model: passthrough\nmcp:\n  servers:\n    argos:\n${text.replaceAll(/^/gm, "      ")}\n`);
const template = "${TOKEN}";

describe("CLI-3 nothing is written when", () => {
  test.each<[string, ProjectTexts, string]>([
    [
      "there is nothing",
      {},
      ".: error: no agent was found: expected agents.yaml, Python with @fast.agent, or cards in agent-cards; name the folder of the project, or that of its cards with --cards",
    ],
    [
      "all files are empty",
      { "agents.yaml": "", "fastagent.config.yaml": "" },
      ".: error: no agent was found: expected agents.yaml, Python with @fast.agent, or cards in agent-cards; name the folder of the project, or that of its cards with --cards",
    ],
    [
      "YAML is broken",
      withSettings("default_model: [passthrough\nmcp: {}\n"),
      "fastagent.config.yaml:2:1: error: not valid YAML: deficient indentation; correct it",
    ],
    [
      "a tab indents",
      withSettings("mcp:\n\tservers: {}\n"),
      "fastagent.config.yaml:2:1: error: a tab indents this line, and YAML wants spaces; replace it (tab characters must not be used in indentation)",
    ],
    [
      "a key stands twice",
      withSettings("default_model: a\ndefault_model: b\n"),
      "fastagent.config.yaml:2:1: error: this key stands twice in one mapping; remove one of them",
    ],
    [
      "an alias has no anchor",
      { ...withArguments(sound), "fastagent.secrets.yaml": "openai: { api_key: *sk-4711 }\n" },
      "fastagent.secrets.yaml:1:21: error: not valid YAML: unidentified alias …; correct it",
    ],
    [
      "a file has two documents",
      withSettings("default_model: passthrough\n---\nmcp: {}\n"),
      "fastagent.config.yaml:3:1: error: a second document begins here, and one is expected; remove it",
    ],
    [
      "mappings are too deep",
      withSettings(`a: ${"[".repeat(120)}${"]".repeat(120)}\n`),
      "fastagent.config.yaml:1:103: error: about 100 mappings and lists stand inside each other here, too many; make the document flatter",
    ],
    [
      "a file is huge",
      withSettings(`# ${" ".repeat(maxFileBytes)}\n`),
      `fastagent.config.yaml: error: has ${maxFileBytes + 3} bytes, at most ${maxFileBytes} are read; split it`,
    ],
    [
      "agents depend on each other in a cycle",
      deployed("  a: { depends_on: [b] }\n  b: { depends_on: [a] }\n"),
      "agents.yaml:4:3: error: what is made of it would be refused: PallasAgent default/a: spec: the agents form a dependency cycle: a → b → a; remove one of these references",
    ],
    [
      "two agents have one port",
      deployed("  a: { port: 8201 }\n  b: { port: 8201 }\n"),
      'agents.yaml:5:8: error: agents.b.port: 8201 is already the port of agent "a"; choose another',
    ],
    [
      "an agent has the registry's port",
      deployed("  a: { port: 8200 }\n", "registry_port: 8200\n"),
      "agents.yaml:5:8: error: agents.a.port: 8200 is already the port of the registry; choose another",
    ],
    [
      "a port is none",
      deployed("  a: { port: 70000 }\n"),
      "agents.yaml:4:3: error: what is made of it would be refused: PallasAgent default/a: spec.port: must be at most 65535, found 70000",
    ],
    [
      "two agents would have one name",
      deployed("  tech_research: {}\n  tech-research: {}\n"),
      'agents.yaml:5:3: error: agent "tech-research": "tech_research" would be called "tech-research" too; choose another name',
    ],
    [
      "a name has no letter",
      deployed("  研究: {}\n"),
      'agents.yaml:4:3: error: agent "研究": metadata.name must be at most 50 lower-case letters, digits and hyphens, starting with a letter; choose another name',
    ],
    [
      "a name is taken by what every agent has",
      deployed("  send_message: {}\n"),
      'agents.yaml:4:3: error: agent "send_message": metadata.name cannot be send-message, get-health, clear-history, history: these name what every agent offers; choose another name',
    ],
    [
      "agents are a list",
      deployed("  - jarvis\n"),
      "agents.yaml:3:1: error: agents: expected a mapping of agents by name; correct it",
    ],
    [
      "two servers would have one name",
      withSettings("mcp: { servers: { a b: { url: http://a/mcp }, a-b: { url: http://b/mcp } } }\n"),
      'fastagent.config.yaml:1:47: error: mcp.servers: the name "a-b" would be called "a-b" like "a b"; choose another',
    ],
    [
      "a card is no mapping",
      { "agent-cards/a.yaml": "- a\n" },
      "agent-cards/a.yaml:1:1: error: expected a card, which is a mapping of settings; correct it, or take the file away",
    ],
    [
      "a title is too long",
      deployed(`  a: { title: ${"x".repeat(101)} }\n`),
      `agents.yaml:4:3: error: what is made of it would be refused: PallasAgent default/a: spec.title: must have at most 100 characters, found 101`,
    ],
  ])("%s", async (_, project, message) => {
    const { code, said, files } = await importTexts(project);
    expect(said.map((line) => line.replace(/^\/.*\/project:/, ".:"))).toContain(message);
    expect({ code, files }).toEqual({ code: 1, files: {} });
    expect(said.at(-1)).toMatch(/^nothing written: \d+ errors?$/);
  });
});

describe("CLI-3 what is not carried over is said with its place, and the rest is written, when", () => {
  test.each<[string, ProjectTexts, string]>([
    [
      "an agent depends on one that is not there",
      deployed("  a: { depends_on: [bb] }\n"),
      'agents.yaml:4:21: warning: depends_on "bb": not carried over: it names an agent which is nowhere in the project',
    ],
    [
      "a key is misspelt",
      withSettings("default_modell: passthrough\n"),
      'fastagent.config.yaml:1:1: warning: default_modell: not carried over: not a known key (did you mean "default_model"?); correct or remove it',
    ],
    [
      "a name has marks",
      deployed("  Größe: {}\n"),
      'agents.yaml:4:3: warning: agent "Größe" is called "grosse" now, as names go in Kubernetes; its clients see that name',
    ],
    [
      "a module is not there",
      deployed("  a: { module: agents.gone }\n"),
      'agents.yaml:4:8: warning: module "agents.gone": agents/gone.py is not there, and agents/gone/__init__.py is not there; add it, or write the agent by hand',
    ],
    [
      "a module leads out",
      deployed("  a: { module: ..x }\n"),
      'agents.yaml:4:8: warning: module "..x": is not the name of a module; add it, or write the agent by hand',
    ],
    [
      "Python is broken",
      withModule('@fast.agent(name="jarvis", instruction="Be brief.")\nasync def f(:\n'),
      "agents/jarvis.py:2:13: warning: Python is not understood from here on; what follows may be missing in the manifests",
    ],
    [
      "an instruction is computed",
      withArguments("instruction=make()"),
      "agents/jarvis.py:3:40: warning: instruction: not carried over: is made by make(), which is not run; write the value into the manifest",
    ],
    [
      "an instruction's file is missing",
      withArguments('instruction=Path("gone.md")'),
      "agents/jarvis.py:3:40: warning: instruction: not carried over: names the file gone.md, which is not there; write the value into the manifest",
    ],
    [
      "an instruction is longer than a ConfigMap",
      withArguments('instruction=Path("x")', { x: "x".repeat(1_000_001) }),
      "agents/jarvis.py:3:40: warning: instruction: not carried over: it has more than 1000000 bytes; shorten it",
    ],
    [
      "servers are computed in part",
      withArguments('servers=["argos", NAME]'),
      "agents/jarvis.py:3:46: warning: servers[1]: not carried over: NAME is not a constant of this module; write the value into the manifest",
    ],
    [
      "a server is nowhere",
      withArguments('servers=["argos"]'),
      'agents/jarvis.py:3:37: warning: server "argos": not carried over: mcp.servers has no such server; there is none',
    ],
    [
      "arguments are handed on",
      withArguments("**shared"),
      "agents/jarvis.py:3:30: warning: **shared: not carried over: not a known key; correct or remove it",
    ],
    [
      "an agent is a router",
      withModule(
        '@fast.router(name="jarvis", agents=["a"])\nasync def f(): pass\n@fast.agent("a", "A")\nasync def g(): pass\n',
      ),
      'agents/jarvis.py:1:1: warning: agent "jarvis": not carried over: its kind is router; Pallas runs single agents; write an agent whose instruction says how to go on, and give it the others in spec.agents',
    ],
    [
      "a tool is a function",
      withModule('@fast.tool\ndef f(): pass\n@fast.agent("jarvis", "A")\nasync def g(): pass\n'),
      "agents/jarvis.py:1:1: warning: @fast.tool: not carried over: a tool in Python, and agents run no code; serve it as an MCP server and name that in spec.servers",
    ],
    [
      "sampling is out of range",
      withArguments("request_params=RequestParams(temperature=9)"),
      "agents/jarvis.py:3:69: warning: request_params.temperature: not carried over: Too big: expected number to be <=2, found a number; write the value into the manifest",
    ],
    [
      "a parameter has no field",
      withArguments("request_params=RequestParams(min_p=0.1)"),
      "agents/jarvis.py:3:63: warning: request_params.min_p: not carried over: spec.request has no such field",
    ],
    [
      "a server has nothing by which it is reached",
      server("args: [x]"),
      "fastagent.config.yaml:4:5: warning: mcp.servers.argos: not carried over: it has neither command nor url; write one of them, the command without arguments",
    ],
    [
      "a server is a program of the machine",
      server("command: ./argos.sh"),
      "fastagent.config.yaml:4:5: warning: mcp.servers.argos becomes a program of this machine, which a cluster refuses; use package or container there",
    ],
    [
      "a program's argument is a key",
      server('command: npx\nargs: ["-y", argos-mcp, --api-key=x]'),
      "fastagent.config.yaml:4:5: warning: mcp.servers.argos: not carried over: args[2] seems to hold a key or a variable, and manifests hold no secrets; give it to the server in env",
    ],
    [
      "a package's argument is a path",
      server("command: npx\nargs: [argos-mcp, ./data]"),
      "fastagent.config.yaml:6:25: warning: mcp.servers.argos.args[1] is a path of this machine; a package runs in a folder of its own, and a pod has no such path",
    ],
    [
      "a package has a folder",
      server("command: uvx\nargs: [argos]\ncwd: /srv"),
      "fastagent.config.yaml:7:7: warning: mcp.servers.argos.cwd: not carried over: a package runs in a folder of its own",
    ],
    [
      "a server speaks SSE",
      server("transport: sse\nurl: http://a.example/sse"),
      "fastagent.config.yaml:4:5: warning: mcp.servers.argos: not carried over: it speaks the older SSE transport; serve it over Streamable HTTP and add its url",
    ],
    [
      "a server is on this machine",
      server("url: http://localhost:9000/mcp"),
      "fastagent.config.yaml:5:7: warning: mcp.servers.argos.url is on this machine; in a cluster name its Service instead",
    ],
    [
      "a URL has a user",
      server("url: http://me:pw@a.example/mcp"),
      "fastagent.config.yaml:4:5: warning: mcp.servers.argos: not carried over: url: the user in the URL seems to be a key, and manifests hold no secrets; send it in a header from a Secret",
    ],
    [
      "a URL has a key",
      server("url: http://a.example/mcp?api_key=1"),
      "fastagent.config.yaml:4:5: warning: mcp.servers.argos: not carried over: url: a parameter of the URL seems to be a key, and manifests hold no secrets; send it in a header from a Secret",
    ],
    [
      "a URL's path is a key",
      server("url: https://a.example/s/Zm9vYmFyMTIzNDU2Nzg5MA/mcp"),
      "fastagent.config.yaml:4:5: warning: mcp.servers.argos: not carried over: url: a part of the URL's path seems to be a key, and manifests hold no secrets; send it in a header from a Secret",
    ],
    [
      "a URL's variable is unset",
      server("url: ${ARGOS_URL}"),
      "fastagent.config.yaml:4:5: warning: mcp.servers.argos: not carried over: url: the variable ARGOS_URL is in no .env; set it there, or write the URL into the manifest",
    ],
    [
      "a server signs in",
      server("url: http://a.example/mcp\nauth: { oauth: true }"),
      "fastagent.config.yaml:6:7: warning: mcp.servers.argos.auth: not carried over: Pallas signs in nowhere; put a token into a Secret and name it in headers, or set forwardInboundAuth",
    ],
    [
      "a header mixes text and placeholders",
      server(`url: http://a.example/mcp\nheaders: { Authorization: "me:${template}" }`),
      "fastagent.config.yaml:6:18: warning: the value is left here, since manifests hold no secrets; write it to .env as ARGOS_AUTHORIZATION",
    ],
    [
      "a provider is not ours",
      withSettings("default_model: azure.gpt-5\nazure: { api_key: x }\n"),
      "fastagent.config.yaml:2:1: warning: azure: not carried over: Pallas has no provider of this kind",
    ],
    [
      "no model is known",
      withSettings("model_capabilities: { vision: true }\n"),
      "fastagent.config.yaml:1:1: warning: spec.defaultModel is passthrough, which only echoes, since no model is known; write your model",
    ],
    [
      "a setting stands among secrets",
      { ...withArguments(sound), "fastagent.secrets.yaml": "default_model: openai.x\n" },
      "fastagent.secrets.yaml:1:1: warning: default_model: not carried over: it is among the secrets; move it to the settings if it is not one",
    ],
  ])("%s", async (_, project, message) => {
    const { code, said, files } = await importTexts(project);
    expect(said).toContain(message);
    expect(code).toBe(0);
    expect(Object.keys(files)).toContain("agents.yaml");
  });
});

describe("CLI-3 texts are read as people save them", () => {
  test("with a byte order mark and the line ends of Windows", async () => {
    const text = '\uFEFFfast = 1\r\n@fast.agent("jarvis", """Be brief.\r\nBe kind.""")\r\nasync def f(): pass\r\n';
    const project = withModule(text, { "fastagent.config.yaml": "\uFEFFdefault_model: passthrough\r\n" });
    const { code, files } = await importTexts(project);
    expect(code).toBe(0);
    expect(files["agents.yaml"]).toContain("  instruction: |-\n    Be brief.\n    Be kind.\n");
  });

  test("with aliases and merged keys", async () => {
    const { code, files } = await importTexts(
      withSettings(
        "default_model: passthrough\nbase: &base { transport: http }\nmcp: { servers: { a: { <<: *base, url: http://a.example/mcp } } }\n",
      ),
    );
    expect(code).toBe(0);
    expect(files["instance.yaml"]).toContain("  servers:\n    - name: a\n      url: http://a.example/mcp\n");
  });

  test("with an instruction that is too long to be read in its place", async () => {
    const { code, files } = await importTexts(
      withArguments('instruction=Path("long.md")', { "long.md": `${"word ".repeat(4_000)}end` }),
    );
    expect(code).toBe(0);
    expect(files["agents.yaml"]).toContain("configMapKeyRef:\n      name: jarvis-instruction");
    expect(files["instructions.yaml"]).toContain("word end");
  });
});
