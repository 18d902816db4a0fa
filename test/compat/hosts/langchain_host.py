"""A LangChain agent that has the tools of an agent of ours by langchain-mcp-adapters, with a scripted model. Prints its last word."""

import asyncio
import sys
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_mcp_adapters.client import MultiServerMCPClient
from scripted import decide


class ScriptedModel(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **_: Any) -> "ScriptedModel":
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        shown = [message.text for message in messages if isinstance(message, ToolMessage)]
        decision = decide(shown)
        if isinstance(decision, str):
            message = AIMessage(content=decision)
        else:
            call = {"id": f"call_{len(shown)}", "name": "send_message", "args": decision}
            message = AIMessage(content="", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=message)])


async def main(url: str) -> None:
    client = MultiServerMCPClient({"pallas": {"transport": "streamable_http", "url": url}})
    agent = create_agent(ScriptedModel(messages=iter([])), await client.get_tools())
    result = await agent.ainvoke({"messages": [{"role": "user", "content": "Ask the agent who I am."}]})
    print(result["messages"][-1].text)


asyncio.run(main(sys.argv[1]))
