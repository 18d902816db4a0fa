"""An agent on OpenAI's Agents SDK that has the tools of an agent of ours, with a scripted model. Prints its last word."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from scripted import decide


def read(output: Any) -> str:
    return output if isinstance(output, str) else "\n".join(part.get("text", "") for part in output)


class ScriptedModel(Model):
    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:
        items = [] if isinstance(input, str) else input
        shown = [read(item["output"]) for item in items if item.get("type") == "function_call_output"]
        decision = decide(shown)
        if isinstance(decision, str):
            text = ResponseOutputText(type="output_text", text=decision, annotations=[])
            item: Any = ResponseOutputMessage(
                id="message", type="message", role="assistant", status="completed", content=[text]
            )
        else:
            item = ResponseFunctionToolCall(
                type="function_call", call_id=f"call_{len(shown)}", name="send_message", arguments=json.dumps(decision)
            )
        return ModelResponse(output=[item], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


async def main(url: str) -> None:
    set_tracing_disabled(True)
    async with MCPServerStreamableHttp(params={"url": url}, client_session_timeout_seconds=60) as server:
        agent = Agent(name="host", model=ScriptedModel(), mcp_servers=[server])
        result = await Runner.run(agent, "Ask the agent who I am.")
        print(result.final_output)


asyncio.run(main(sys.argv[1]))
