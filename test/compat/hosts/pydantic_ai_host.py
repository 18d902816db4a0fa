"""An agent on Pydantic AI that has the tools of an agent of ours, with a scripted model. Prints its last word."""

import asyncio
import sys

from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from scripted import decide


def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    parts = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    decision = decide([part.model_response_str() for part in parts])
    part = TextPart(decision) if isinstance(decision, str) else ToolCallPart("send_message", decision)
    return ModelResponse(parts=[part])


async def main(url: str) -> None:
    agent = Agent(FunctionModel(answer), toolsets=[MCPToolset(url)])
    async with agent:
        result = await agent.run("Ask the agent who I am.")
    print(result.output)


asyncio.run(main(sys.argv[1]))
