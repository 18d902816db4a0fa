// Projects laid out as the example folders of fast-agent 0.10 are, each with what is peculiar to it, in our own words. Nothing that
// is said of them is untrue, what is made of each passes the check, and the last line counts the agents without a model.
import { describe, expect, test } from "vitest";
import { check } from "../check.ts";
import { recordTerminal } from "../testing/manifests.ts";
import { importTexts, type ProjectTexts } from "./testing/projects.ts";

const python = (body: string): string => `from fast_agent import FastAgent\n\nfast = FastAgent("example")\n\n\n${body}`;
const agent = (given: string): string =>
  `@fast.agent(${given})\nasync def main():\n    async with fast.run() as app:\n        await app.interactive()\n`;
const card = (name: string, more = ""): string => `---\nname: ${name}\n${more}---\nBe brief.\n`;
const stdio = (name: string): string => `    ${name}: { command: uvx, args: [mcp-server-${name}==2026.10.10] }\n`;
const haiku = "default_model: haiku\n";

interface Expected {
  /** Names of the agents. */
  agents: string[];
  lacking: number;
  /** Without the place; all of them. */
  warnings: string[];
}

const noModel = "spec.defaultModel is passthrough, which only echoes, since no model is known; write your model";
const isWorkflow = (name: string, kind: string): string =>
  `agent "${name}": not carried over: its kind is ${kind}; Pallas runs single agents; write an agent whose instruction says how to go on, and give it the others in spec.agents`;

const folders: readonly [string, ProjectTexts, Expected][] = [
  [
    "data-analysis",
    {
      "fast-agent.yaml": `${haiku}mcp:\n  servers:\n${stdio("fetch")}`,
      "analysis.py": python(agent('name="analyst", instruction="Look at the figures.", servers=["fetch"]')),
    },
    { agents: ["analyst"], lacking: 0, warnings: [] },
  ],
  [
    "docker-shell",
    {
      ".fast-agent/fast-agent.yaml": "default_model: sonnet\nshell_execution: { timeout_seconds: 9 }\n",
      "interactive.py": python(agent('name="box", instruction="Work in the box.", shell=True')),
    },
    {
      agents: ["box"],
      lacking: 0,
      warnings: [
        "shell_execution: not carried over: agents run no commands; serve a shell over MCP",
        "shell: not carried over: agents run no commands; serve a shell over MCP",
      ],
    },
  ],
  [
    "environments",
    {
      ".fast-agent/fast-agent.yaml": "default_environment: local\nenvironments: { local: { type: shell } }\n",
      "interactive.py": python(agent('"coder", "Write programs.", model="codexresponses.gpt-5"')),
    },
    {
      agents: ["coder"],
      lacking: 1,
      warnings: [noModel, 'model: not carried over: Pallas has no provider "codexresponses"; choose another model'],
    },
  ],
  [
    "fastapi",
    {
      "fast-agent.yaml": haiku,
      "app.py": python(
        `@asynccontextmanager\nasync def lifespan(app):\n    async with fast.run() as agents:\n        app.state.agents = agents\n        yield\n\n\n${agent('name="greeter", instruction="Greet."')}`,
      ),
    },
    { agents: ["greeter"], lacking: 0, warnings: [] },
  ],
  [
    "function-tools",
    {
      "agent.py": python(
        `@fast.tool\ndef add(a: int, b: int) -> int:\n    return a + b\n\n\n${agent('name="sums", instruction="Add.", function_tools=[add]')}`,
      ),
    },
    {
      agents: ["sums"],
      lacking: 1,
      warnings: [
        noModel,
        "@fast.tool: not carried over: a tool in Python, and agents run no code; serve it as an MCP server and name that in spec.servers",
        "function_tools: not carried over: agents run no code of their own; serve the functions over MCP",
      ],
    },
  ],
  [
    "hf-toad-cards",
    {
      "agent-cards/lead.md": card("lead", "agents: [finder]\nskills: [skills/writing]\nmodel: kimi\n"),
      "tool-cards/finder.md": card("finder", "model: haiku\ntool_hooks: { after_turn: hooks/save.py }\n"),
      "skills/writing/SKILL.md": "---\nname: writing\n---\nWrite.\n",
      "hooks/save.py": "async def save(ctx):\n    pass\n",
    },
    {
      agents: ["lead", "finder"],
      lacking: 0,
      warnings: [
        noModel,
        "skills: not carried over: agents have no skills; put what they need into the instruction",
        "tool_hooks: not carried over: agents run no code of their own",
      ],
    },
  ],
  [
    "mcp/elicitations",
    {
      "fast-agent.yaml":
        "default_model: passthrough\nmcp:\n  servers:\n    forms: { url: 'http://localhost:8300/mcp', transport: http }\n",
      "forms.py": python(agent('"forms", servers=["forms"], elicitation_handler=ask')),
    },
    {
      agents: ["forms"],
      lacking: 0,
      warnings: [
        "mcp.servers.forms.url is on this machine; in a cluster name its Service instead",
        "elicitation_handler: not carried over: agents run no code of their own",
      ],
    },
  ],
  [
    "mcp/mcp-filtering",
    {
      "fast-agent.yaml": `${haiku}mcp:\n  servers:\n    shop: { url: 'https://shop.example/mcp', transport: http }\n`,
      "agent.py": python(
        agent('name="clerk", instruction="Sell.", servers=["shop"], tools={"shop": ["list_*", "price"]}'),
      ),
    },
    { agents: ["clerk"], lacking: 0, warnings: [] },
  ],
  [
    "otel",
    {
      "fast-agent.yaml": `${haiku}otel:\n  enabled: true\n  otlp_endpoint: 'http://localhost:4318/v1/traces'\n`,
      "agent.py": python(agent('name="traced", instruction="Be seen."')),
    },
    { agents: ["traced"], lacking: 0, warnings: [] },
  ],
  [
    "tensorzero",
    {
      "fast-agent.yaml": "default_model: tensorzero.simple\ntensorzero: { base_url: 'http://localhost:3000' }\n",
      "agent.py": python(agent('name="tuned", instruction="Answer."')),
    },
    {
      agents: ["tuned"],
      lacking: 1,
      warnings: [
        'default_model: not carried over: Pallas has no provider "tensorzero"; choose another model',
        noModel,
        "tensorzero: not carried over: Pallas has no provider of this kind",
      ],
    },
  ],
  [
    "workflows",
    {
      "fast-agent.yaml": "logger: { type: file }\n",
      "chaining.py": python(
        `${agent('"fetcher", "Fetch."')}\n@fast.agent("poster", "Post.")\n@fast.chain(name="both", sequence=["fetcher", "poster"])\nasync def chain():\n    pass\n`,
      ),
      "router.py": python(
        `@fast.agent(name="coder", instruction="Code.", model="haiku")\n@fast.router(name="route", agents=["coder"])\nasync def route():\n    pass\n`,
      ),
    },
    {
      agents: ["fetcher", "poster", "coder"],
      lacking: 2,
      warnings: [isWorkflow("both", "chain"), noModel, isWorkflow("route", "router")],
    },
  ],
  [
    "workflows-md/router",
    {
      "route.md": card("route", "type: router\nagents: [writer]\n"),
      "writer.md": card("writer", "model: haiku\nservers: [fetch]\n"),
    },
    {
      agents: ["writer"],
      lacking: 0,
      warnings: [
        noModel,
        isWorkflow("route", "router"),
        'server "fetch": not carried over: mcp.servers has no such server; there is none',
      ],
    },
  ],
];

describe("CLI-3 a project like the example folder", () => {
  test.each(folders)("%s", async (_, project, { agents, lacking, warnings }) => {
    const { code, said, files, folder } = await importTexts(project);
    const told = said.filter((line) => line.includes(": warning: ")).map((line) => line.replace(/^.*?: warning: /, ""));
    expect({ code, told }).toEqual({ code: 0, told: warnings });
    expect(files["agents.yaml"]?.match(/(?<=^ {2}name: ).*/gm)).toEqual(agents);
    expect(said.at(-1)).toMatch(
      lacking === 0 ? /^every agent has a model$/ : new RegExp(`^${lacking} agents? still needs? a model`),
    );
    const terminal = recordTerminal(folder);
    expect(await check({ paths: [folder], isLocal: false, json: false, env: {} }, terminal)).toBe(0);
    expect(terminal.complaints.filter((line) => !line.includes(": note: "))).toEqual([]);
  });
});
