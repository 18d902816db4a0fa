"""Calls an agent's send_message on the Python SDK of MCP 2.x, as its standard input says, one JSON object a line:
{"id", "arguments"} makes a call and {"cancel": id} cancels it. Writes one JSON object a line: {"ready": protocol} first, and
{"id", "result", "lines"} or {"id", "failure"} when a call ends. It gives up on an answer after a minute without a byte."""

import argparse
import json
import sys
from typing import Any

import anyio
import anyio.to_thread
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

CONNECT_TIMEOUT_S = 30
SILENCE_TIMEOUT_S = 60


def say(message: dict[str, Any]) -> None:
    print(json.dumps(message), flush=True)


async def make_call(client: Client, call: dict[str, Any], scope: anyio.CancelScope) -> None:
    lines: list[str | None] = []

    async def on_progress(_progress: float, _total: float | None, message: str | None) -> None:
        lines.append(message)

    with scope:
        try:
            result = await client.call_tool("send_message", call["arguments"], progress_callback=on_progress)
            answer = result.model_dump(mode="json", by_alias=True, exclude_none=True)
            say({"id": call["id"], "result": answer, "lines": lines})
        except Exception as error:  # Whatever it is, the test is to see it.
            say({"id": call["id"], "failure": repr(error)})
    if scope.cancelled_caught:
        say({"id": call["id"], "failure": "cancelled"})


async def serve(url: str, mode: str) -> None:
    timeout = httpx2.Timeout(CONNECT_TIMEOUT_S, read=SILENCE_TIMEOUT_S)
    async with httpx2.AsyncClient(timeout=timeout) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            await client.list_tools()  # as applications do; else the SDK asks for them after its first result
            say({"ready": str(client.session.protocol_version)})
            scopes: dict[int, anyio.CancelScope] = {}
            async with anyio.create_task_group() as calls:
                while line := await anyio.to_thread.run_sync(sys.stdin.readline):
                    message = json.loads(line)
                    if "cancel" in message:
                        scopes[message["cancel"]].cancel()
                        continue
                    scopes[message["id"]] = anyio.CancelScope()
                    calls.start_soon(make_call, client, message, scopes[message["id"]])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="the agent's MCP endpoint")
    parser.add_argument("--mode", choices=["legacy", "auto"], default="legacy", help="how the protocol is negotiated")
    options = parser.parse_args()
    anyio.run(serve, options.url, options.mode)
