"""Does with a Pallas instance what Daedalus does, on the Python SDK of MCP 1.x or 2.x, and prints what it saw as one JSON
object: the catalogue entry, the tools, the health, each call with every message that arrived during it, the history, and a
call that it cancels. It stays connected until standard input ends. It judges nothing; the test that starts it does."""

import argparse
import json
import sys
import time
import urllib.request
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import anyio
import anyio.to_thread
import mcp.shared.exceptions

SDK_MAJOR = int(version("mcp").split(".")[0])
ProtocolError = mcp.shared.exceptions.McpError if SDK_MAJOR == 1 else mcp.shared.exceptions.MCPError
SESSION_ID = "ca.helu.pallas/session_id"
DEADLINE_S = 30

Progress = list[Any]
"""[progress, total, message] as the SDK hands it to an application."""


class Wire:
    """Everything that arrives on a connection, noted before the SDK sees it."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    def note(self, item: Any) -> Any:
        message = getattr(item, "message", item)
        message = getattr(message, "root", message)  # 1.x wraps it
        if isinstance(message, Exception):
            self.messages.append({"exception": repr(message)})
        else:
            self.messages.append(message.model_dump(mode="json", by_alias=True, exclude_unset=True))
        return item


class NotedStream:
    """A read stream of the SDK that tells the wire of each message."""

    def __init__(self, inner: Any, wire: Wire) -> None:
        self._inner = inner
        self._wire = wire

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def receive(self) -> Any:
        return self._wire.note(await self._inner.receive())

    def __aiter__(self) -> "NotedStream":
        return self

    async def __anext__(self) -> Any:
        return self._wire.note(await self._inner.__anext__())

    async def __aenter__(self) -> "NotedStream":
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *failure: Any) -> Any:
        return await self._inner.__aexit__(*failure)


@dataclass
class Connection:
    session: Any
    """A ClientSession of 1.x or a Client of 2.x: what is called here has the same names in both."""
    protocol: str
    wire: Wire
    announce_cancel: Callable[[Any], Awaitable[None]]
    """Tells the server that the call with this progress token is cancelled, where the SDK does not do so itself."""
    notifications: list[dict[str, Any]]


def plain(model: Any) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def notification_keeper(kept: list[dict[str, Any]]) -> Callable[[Any], Awaitable[None]]:
    async def keep(message: Any) -> None:
        notification = getattr(message, "root", message)
        if hasattr(notification, "method"):
            kept.append(plain(notification))

    return keep


@asynccontextmanager
async def connect_1(url: str) -> AsyncIterator[Connection]:
    from mcp import ClientSession, types
    from mcp.client.streamable_http import streamablehttp_client

    wire, kept = Wire(), []
    async with streamablehttp_client(url) as (read, write, _):
        async with ClientSession(NotedStream(read, wire), write, message_handler=notification_keeper(kept)) as session:
            initialized = await session.initialize()

            async def announce_cancel(token: Any) -> None:
                # With a progress callback 1.x takes the request's id as the token.
                params = types.CancelledNotificationParams(requestId=token, reason="the user pressed stop")
                notification = types.CancelledNotification(method="notifications/cancelled", params=params)
                await session.send_notification(types.ClientNotification(notification))

            yield Connection(session, str(initialized.protocolVersion), wire, announce_cancel, kept)


@asynccontextmanager
async def connect_2(url: str, mode: str) -> AsyncIterator[Connection]:
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    wire, kept = Wire(), []

    @asynccontextmanager
    async def transport() -> AsyncIterator[Any]:
        async with streamable_http_client(url) as (read, write):
            yield NotedStream(read, wire), write

    async def announce_cancel(_: Any) -> None:
        """2.x says it when the call's scope is cancelled."""

    async with Client(transport(), mode=mode, message_handler=notification_keeper(kept)) as client:
        yield Connection(client, client.session.protocol_version, wire, announce_cancel, kept)


def connect(url: str, mode: str) -> Any:
    return connect_1(url) if SDK_MAJOR == 1 else connect_2(url, mode)


def find_entry(registry: str, agent: str) -> dict[str, Any]:
    request = urllib.request.Request(f"{registry}/.well-known/mcp/server.json", headers={"Accept": "application/json"})
    with urllib.request.urlopen(request, timeout=DEADLINE_S) as response:
        servers = json.load(response)["servers"]
    return next(entry for entry in servers if entry["server"]["name"].rpartition("/")[2] == agent)


def find_url(entry: dict[str, Any]) -> str:
    return next(remote["url"] for remote in entry["server"]["remotes"] if remote["type"] == "streamable-http")


async def call(connection: Connection, tool: str, arguments: dict[str, Any], **options: Any) -> dict[str, Any]:
    first = len(connection.wire.messages)
    with anyio.fail_after(DEADLINE_S):
        result = await connection.session.call_tool(tool, arguments, **options)
    return {"tool": tool, "received": connection.wire.messages[first:], "result": plain(result)}


async def call_with_callback(connection: Connection, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    seen: list[Progress] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        seen.append([progress, total, message])

    return {**await call(connection, tool, arguments, progress_callback=on_progress), "seen": seen}


async def call_with_own_token(connection: Connection, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Daedalus sends a token of its own and reads the notifications as they come."""
    token = str(uuid.uuid4())
    called = await call(connection, tool, arguments, meta={"progressToken": token})
    params = [each["params"] for each in connection.notifications if each["method"] == "notifications/progress"]
    seen = [[each["progress"], each.get("total"), each.get("message")] for each in params if each["progressToken"] == token]
    return {**called, "token": token, "seen": seen}


async def call_unknown(connection: Connection) -> dict[str, Any]:
    try:
        return {"result": plain(await connection.session.call_tool("no_such_tool", {}))}
    except ProtocolError as error:
        return {"code": error.error.code, "message": error.error.message}


async def cancel_call(connection: Connection, message: str, at: str) -> dict[str, Any]:
    """Cancels a call as soon as its progress says `at`."""
    reached = anyio.Event()
    first = len(connection.wire.messages)

    async def on_progress(_progress: float, _total: float | None, line: str | None) -> None:
        if line == at:
            reached.set()

    async def run() -> None:
        await connection.session.call_tool("send_message", {"message": message}, progress_callback=on_progress)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        with anyio.fail_after(DEADLINE_S):
            await reached.wait()
        cancelled_at_ms = time.time() * 1000
        await connection.announce_cancel(connection.wire.messages[first]["params"]["progressToken"])
        tasks.cancel_scope.cancel()
    health = await connection.session.call_tool("get_health")
    return {"cancelledAtMs": cancelled_at_ms, "healthAfter": json.loads(health.content[0].text)}


async def observe(options: argparse.Namespace) -> dict[str, Any]:
    entry = find_entry(options.registry, options.agent)
    async with connect(find_url(entry), options.mode) as connection:
        session = connection.session
        tools = plain(await session.list_tools())["tools"]
        health = await session.call_tool("get_health")
        sent = await call_with_callback(connection, "send_message", {"message": options.message})
        session_id = sent["result"].get("_meta", {}).get(SESSION_ID)
        same_session = {} if session_id is None else {"session_id": session_id}
        arguments = {"message": options.message, **same_session}
        alias = await call_with_own_token(connection, options.agent.replace("-", "_"), arguments)
        without_token = await call(connection, "send_message", {"message": options.message})
        history = await session.get_prompt(f"{options.agent.replace('-', '_')}_history", same_session)
        unknown_tool = await call_unknown(connection)
        cancellation = await cancel_call(connection, options.cancel_message, options.cancel_at)
        await anyio.to_thread.run_sync(sys.stdin.read)
    return {
        "entry": entry,
        "protocol": connection.protocol,
        "tools": tools,
        "health": plain(health),
        "sent": sent,
        "alias": alias,
        "withoutToken": {**without_token, "seen": []},
        "history": plain(history)["messages"],
        "unknownTool": unknown_tool,
        "cancellation": cancellation,
    }


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("registry", help="base URL of the registry")
    parser.add_argument("agent", help="the agent's server id: the part of its catalogue name after the last /")
    parser.add_argument("--mode", choices=["legacy", "auto"], default="legacy", help="how 2.x negotiates the protocol")
    parser.add_argument("--message", required=True, help="what to send")
    parser.add_argument("--cancel-message", required=True, help="what to send in the call that is cancelled")
    parser.add_argument("--cancel-at", required=True, help="the progress line at which it is cancelled")
    return parser.parse_args()


if __name__ == "__main__":
    print(json.dumps(anyio.run(observe, parse_options())))
