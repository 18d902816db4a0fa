"""Calls an agent's send_message on the Python SDK of MCP 1.x or 2.x, or FastMCP's client, as its standard input says, one JSON
object a line: {"id", "arguments", "meta"} makes a call, {"id", "prompt", "arguments"} gets a prompt, and {"cancel": id} cancels
what has that id. Writes one JSON object a line: {"ready": protocol, "tools"} first, and when a call ends {"id", "result",
"lines", "deltas"}: the messages of its progress, and the pieces of text that arrived meanwhile; of a prompt {"id", "messages"};
of either {"id", "failure"}. It gives up on an answer after a minute without a byte."""

import argparse
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import anyio.to_thread

CONNECT_TIMEOUT_S = 30
SILENCE_TIMEOUT_S = 60

TEXT_DELTA = "ca.helu.pallas/text_delta"

OnProgress = Callable[[float, float | None, str | None], Awaitable[None]]
MakeCall = Callable[[dict[str, Any], dict[str, Any] | None, OnProgress], Awaitable[Any]]
GetPrompt = Callable[[str, dict[str, str]], Awaitable[Any]]


@dataclass
class Connection:
    protocol: str
    tools: list[Any]
    call: MakeCall
    """With arguments and `_meta`."""
    get_prompt: GetPrompt
    deltas: list[str]


def delta_keeper(kept: list[str]) -> Callable[[Any], Awaitable[None]]:
    """Keeps what the callback for progress is not given."""

    async def keep(message: Any) -> None:
        notification = getattr(message, "root", message)  # 1.x wraps it
        if getattr(notification, "method", None) != "notifications/progress":
            return
        meta = plain(notification).get("params", {}).get("_meta", {})
        if TEXT_DELTA in meta:
            kept.append(meta[TEXT_DELTA]["text"])

    return keep


def plain(model: Any) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


@asynccontextmanager
async def connect_1(url: str) -> AsyncIterator[Connection]:
    from datetime import timedelta

    from mcp import ClientSession, types
    from mcp.client.streamable_http import streamablehttp_client

    deltas: list[str] = []
    silence = timedelta(seconds=SILENCE_TIMEOUT_S)
    async with streamablehttp_client(url, timeout=timedelta(seconds=CONNECT_TIMEOUT_S), sse_read_timeout=silence) as streams:
        async with ClientSession(streams[0], streams[1], message_handler=delta_keeper(deltas)) as session:
            initialized = await session.initialize()

            async def call(arguments: dict[str, Any], meta: dict[str, Any] | None, on_progress: OnProgress) -> Any:
                request_id = session._request_id  # it is given to the next request
                try:
                    return await session.call_tool("send_message", arguments, progress_callback=on_progress, meta=meta)
                except anyio.get_cancelled_exc_class():
                    # 1.x leaves this to applications.
                    params = types.CancelledNotificationParams(requestId=request_id, reason="the user pressed stop")
                    cancelled = types.CancelledNotification(method="notifications/cancelled", params=params)
                    with anyio.CancelScope(shield=True):
                        await session.send_notification(types.ClientNotification(cancelled))
                    raise

            yield Connection(str(initialized.protocolVersion), (await session.list_tools()).tools, call, session.get_prompt, deltas)


@asynccontextmanager
async def connect_2(url: str, mode: str) -> AsyncIterator[Connection]:
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    deltas: list[str] = []
    timeout = httpx2.Timeout(CONNECT_TIMEOUT_S, read=SILENCE_TIMEOUT_S)
    async with httpx2.AsyncClient(timeout=timeout) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=mode, message_handler=delta_keeper(deltas)) as client:
            # As applications do; else the SDK asks for them after its first result.
            tools = (await client.list_tools()).tools

            async def call(arguments: dict[str, Any], meta: dict[str, Any] | None, on_progress: OnProgress) -> Any:
                return await client.call_tool("send_message", arguments, progress_callback=on_progress, meta=meta)

            yield Connection(str(client.session.protocol_version), tools, call, client.get_prompt, deltas)


@asynccontextmanager
async def connect_fastmcp(url: str) -> AsyncIterator[Connection]:
    from fastmcp import Client

    deltas: list[str] = []
    async with Client(url, message_handler=delta_keeper(deltas)) as client:
        tools = await client.list_tools()

        async def call(arguments: dict[str, Any], meta: dict[str, Any] | None, on_progress: OnProgress) -> Any:
            return await client.call_tool_mcp("send_message", arguments, progress_handler=on_progress, meta=meta)

        yield Connection(str(client.session.protocol_version), tools, call, client.get_prompt_mcp, deltas)


def say(message: dict[str, Any]) -> None:
    print(json.dumps(message), flush=True)


async def make_call(connection: Connection, call: dict[str, Any], scope: anyio.CancelScope) -> None:
    lines: list[str] = []

    async def on_progress(_progress: float, _total: float | None, message: str | None) -> None:
        if message is not None:
            lines.append(message)

    first = len(connection.deltas)
    with scope:
        try:
            if "prompt" in call:
                prompt = await connection.get_prompt(call["prompt"], call["arguments"])
                say({"id": call["id"], "messages": plain(prompt)["messages"]})
                return
            result = await connection.call(call["arguments"], call.get("meta"), on_progress)
            say({"id": call["id"], "result": plain(result), "lines": lines, "deltas": connection.deltas[first:]})
        except Exception as error:  # Whatever it is, the test is to see it.
            say({"id": call["id"], "failure": repr(error)})
    if scope.cancelled_caught:
        say({"id": call["id"], "failure": "cancelled"})


async def serve(connecting: AbstractAsyncContextManager[Connection]) -> None:
    async with connecting as connection:
        say({"ready": connection.protocol, "tools": [plain(tool) for tool in connection.tools]})
        scopes: dict[int, anyio.CancelScope] = {}
        async with anyio.create_task_group() as calls:
            while line := await anyio.to_thread.run_sync(sys.stdin.readline):
                message = json.loads(line)
                if "cancel" in message:
                    scopes[message["cancel"]].cancel()
                    continue
                scopes[message["id"]] = anyio.CancelScope()
                calls.start_soon(make_call, connection, message, scopes[message["id"]])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="the agent's MCP endpoint")
    parser.add_argument("--client", choices=["1", "2", "fastmcp"], default="2", help="the SDK's generation, or FastMCP")
    parser.add_argument("--mode", choices=["legacy", "auto"], default="legacy", help="how 2.x negotiates the protocol")
    options = parser.parse_args()
    clients = {
        "1": lambda: connect_1(options.url),
        "2": lambda: connect_2(options.url, options.mode),
        "fastmcp": lambda: connect_fastmcp(options.url),
    }
    anyio.run(serve, clients[options.client]())
