"""A scripted model by the interface of LangChain's."""

from typing import Any

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
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
