// For tests: a project with everything that is carried over, in the layout that such projects have. Its agents call
// each other through mcp.servers, as they do where each is a server of its own.
import type { ProjectTexts } from "./projects.ts";

const agents = `name: my-project
version: "1.2.0"
host: my-host.example.com
namespace: com.example.project
registry_port: 8200

agents:
  jarvis:
    module: agents.jarvis
    port: 8201
    title: Jarvis
    description: "My assistant"
    depends_on: [tech_research]

  tech_research:
    module: agents.research
    port: 8250
    title: Research Agent
    description: "Web search and knowledge graph"
`;

const settings = `default_model: openai.my-model-name

model_capabilities:
  vision: false
  context_window: 200000
  max_output_tokens: 32000

logger:
  level: warning

mcp:
  servers:
    tech_research:
      transport: http
      url: "http://localhost:8250/mcp"
      forward_inbound_auth: true
    mnemosyne:
      transport: http
      url: "https://mnemosyne.example/mcp/"
      forward_inbound_auth: true
    neo4j_cypher:
      transport: streamable_http
      url: "\${NEO4J_URL:http://neo4j.example:8000/mcp}"
      read_timeout_seconds: 120
      headers:
        Accept-Language: en
        Authorization: "Bearer \${NEO4J_TOKEN}"
        X-Team-Key: "in-the-open-4711"
    files:
      command: npx
      args: ["-y", "@modelcontextprotocol/server-filesystem@2026.8.31", "."]
`;

const secrets = `anthropic:
  api_key: "\${ANTHROPIC_API_KEY}"
openai:
  api_key: "\${OPENAI_API_KEY}"
  base_url: "\${OPENAI_BASE_URL}"
`;

const jarvis = `from pathlib import Path

from fast_agent import FastAgent
from fast_agent.types import RequestParams

fast = FastAgent("Jarvis", parse_cli_args=False)

INSTRUCTION = Path("prompts/jarvis.md").read_text(encoding="utf-8")


@fast.agent(
    name="jarvis",
    instruction=INSTRUCTION,
    servers=["tech_research", "mnemosyne", "files"],
    agents=["summariser"],
    request_params=RequestParams(temperature=0.6, top_p=0.9, max_iterations=30),
    default=True,
)
async def _jarvis():
    pass


@fast.agent(
    "summariser",
    "Say it in one sentence.",
    model="claude-opus-4-7?reasoning=high",
    use_history=False,
)
async def _summariser():
    pass


@fast.chain(name="brief", sequence=["jarvis", "summariser"])
async def _brief():
    pass
`;

const research = `from fast_agent import FastAgent

fast = FastAgent("Research", parse_cli_args=False)


@fast.agent(
    name="research",
    instruction="""
    Search before you answer.
    """.strip(),
    servers=["neo4j_cypher"],
    tools={"neo4j_cypher": ["read_*", "schema"]},
    human_input=True,
)
async def _research():
    pass
`;

const card = `---
type: agent
name: archivist
model: sonnet
servers: [mnemosyne]
---
Keep what is worth keeping.
`;

export const exampleProject: ProjectTexts = {
  "agents.yaml": agents,
  "fastagent.config.yaml": settings,
  "fastagent.secrets.yaml": secrets,
  ".env":
    "ANTHROPIC_API_KEY=sk-ant-never-shown-1\nOPENAI_API_KEY=sk-never-shown-2\nOPENAI_BASE_URL=http://my-llm-server:8080/v1\n",
  "agents/__init__.py": "",
  "agents/jarvis.py": jarvis,
  "agents/research.py": research,
  "prompts/jarvis.md": "You are Jarvis.\nBe kind, and be brief.\n\nNever guess what a tool can tell you.\r\n",
  "agent-cards/archivist.md": card,
};
