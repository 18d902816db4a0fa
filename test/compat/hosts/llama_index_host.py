"""A LlamaIndex agent that has the tools of an agent of ours by llama-index-tools-mcp, with a scripted model. Prints its last word."""

import asyncio
import sys
from collections.abc import Sequence
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.tools.mcp import BasicMCPClient, McpToolSpec
from scripted import decide


def answer(messages: Sequence[ChatMessage], **_: Any) -> ChatMessage:
    shown = [message.content or "" for message in messages if message.role == MessageRole.TOOL]
    decision = decide(shown)
    if isinstance(decision, str):
        return ChatMessage(role=MessageRole.ASSISTANT, content=decision)
    call = ToolCallBlock(tool_call_id=f"call_{len(shown)}", tool_name="send_message", tool_kwargs=decision)
    return ChatMessage(role=MessageRole.ASSISTANT, blocks=[call])


async def main(url: str) -> None:
    tools = await McpToolSpec(client=BasicMCPClient(url, timeout=60)).to_tool_list_async()
    agent = FunctionAgent(tools=tools, llm=MockFunctionCallingLLM(response_generator=answer), streaming=False)
    print(await agent.run("Ask the agent who I am."))


asyncio.run(main(sys.argv[1]))
