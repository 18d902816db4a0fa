"""A LangChain agent that has the tools of an agent of ours by langchain-mcp-adapters, with a scripted model. Prints its last word."""

import asyncio
import sys

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_model import ScriptedModel


async def main(url: str) -> None:
    client = MultiServerMCPClient({"pallas": {"transport": "streamable_http", "url": url}})
    agent = create_agent(ScriptedModel(messages=iter([])), await client.get_tools())
    result = await agent.ainvoke({"messages": [{"role": "user", "content": "Ask the agent who I am."}]})
    print(result["messages"][-1].text)


asyncio.run(main(sys.argv[1]))
