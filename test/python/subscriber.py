"""Follows resources of an MCP server on the Python SDK of MCP 1.x or 2.x, as its standard input says, one JSON object a line:
{"subscribe": uri}, {"unsubscribe": uri} and {"read": uri}. Writes one JSON object a line: {"ready": protocol} first, {"updated":
uri} whenever it hears of a change, and when it has done what a line said {"done": its text} or {"failure"}."""

import argparse
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import anyio.to_thread

Act = Callable[[str], Awaitable[str]]


@dataclass
class Connection:
    protocol: str
    acts: dict[str, Act]


def say(message: dict[str, Any]) -> None:
    print(json.dumps(message), flush=True)


async def hear(message: Any) -> None:
    notification = getattr(message, "root", message)  # 1.x wraps it
    if getattr(notification, "method", None) == "notifications/resources/updated":
        say({"updated": str(notification.params.uri)})


@asynccontextmanager
async def connect_1(url: str, headers: dict[str, str]) -> AsyncIterator[Connection]:
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client
    from pydantic import AnyUrl

    async with streamablehttp_client(url, headers=headers) as streams:
        async with ClientSession(streams[0], streams[1], message_handler=hear) as session:
            initialized = await session.initialize()

            async def read(uri: str) -> str:
                return (await session.read_resource(AnyUrl(uri))).contents[0].text

            async def subscribe(uri: str) -> str:
                await session.subscribe_resource(AnyUrl(uri))
                return ""

            async def unsubscribe(uri: str) -> str:
                await session.unsubscribe_resource(AnyUrl(uri))
                return ""

            acts = {"read": read, "subscribe": subscribe, "unsubscribe": unsubscribe}
            yield Connection(str(initialized.protocolVersion), acts)


@asynccontextmanager
async def connect_2(url: str, mode: str, headers: dict[str, str]) -> AsyncIterator[Connection]:
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    # In the 2026 era the stream itself tells; the handler would tell again.
    handler = hear if mode == "legacy" else None
    async with (
        httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(30, read=300)) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode, message_handler=handler) as client,
        anyio.create_task_group() as streams,
    ):
        opened: dict[str, anyio.CancelScope] = {}

        async def read(uri: str) -> str:
            return (await client.read_resource(uri, cache_mode="bypass")).contents[0].text

        async def subscribe(uri: str) -> str:
            await client.subscribe_resource(uri)
            return ""

        async def unsubscribe(uri: str) -> str:
            await client.unsubscribe_resource(uri)
            return ""

        async def follow(uri: str, *, task_status: anyio.abc.TaskStatus[Any]) -> None:
            with anyio.CancelScope() as opened[uri]:
                async with client.listen(resource_subscriptions=[uri]) as changes:
                    task_status.started(changes.honored)
                    async for change in changes:
                        say({"updated": change.uri})

        async def listen(uri: str) -> str:
            honored = await streams.start(follow, uri)
            if uri not in (honored.resource_subscriptions or []):
                raise LookupError(f"{uri} is not acknowledged")
            return ""

        async def close(uri: str) -> str:
            opened.pop(uri).cancel()
            return ""

        protocol = str(client.session.protocol_version)
        old = {"read": read, "subscribe": subscribe, "unsubscribe": unsubscribe}
        new = {"read": read, "subscribe": listen, "unsubscribe": close}
        yield Connection(protocol, old if protocol < "2026" else new)
        streams.cancel_scope.cancel()


async def serve(connecting: AbstractAsyncContextManager[Connection]) -> None:
    async with connecting as connection:
        say({"ready": connection.protocol})
        while line := await anyio.to_thread.run_sync(sys.stdin.readline):
            ((name, uri),) = json.loads(line).items()
            try:
                say({"done": await connection.acts[name](uri)})
            except Exception as error:  # Whatever it is, the test is to see it.
                say({"failure": repr(error)})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="the server's MCP endpoint")
    parser.add_argument("--client", choices=["1", "2"], default="2", help="the SDK's generation")
    parser.add_argument("--mode", choices=["legacy", "auto"], default="legacy", help="how 2.x negotiates the protocol")
    parser.add_argument("--token", help="sent with each request")
    options = parser.parse_args()
    headers = {"authorization": f"Bearer {options.token}"} if options.token else {}
    connecting = connect_1(options.url, headers) if options.client == "1" else connect_2(options.url, options.mode, headers)
    anyio.run(serve, connecting)
