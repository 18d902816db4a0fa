"""An agent of mcp-use that has the tools of an agent of ours, with a scripted model. Prints its last word."""

import asyncio
import sys

from langchain_model import ScriptedModel
from mcp_use import MCPAgent, MCPClient


async def main(url: str) -> None:
    client = MCPClient({"mcpServers": {"pallas": {"url": url}}})
    agent = MCPAgent(llm=ScriptedModel(messages=iter([])), client=client, max_steps=20)
    print(await agent.run("Ask the agent who I am."))
    await client.close_all_sessions()


asyncio.run(main(sys.argv[1]))
