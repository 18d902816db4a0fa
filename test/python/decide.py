"""Decides a call that waits, with the Python SDK of MCP 2.x: reads resource://approvals/pending of the gateway at the URL that is
given, approves the one approval that is there by agents_approve_request with the hash that was shown, and writes its name. The
token is in TOKEN."""

import json
import os
import sys

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main(url: str) -> None:
    headers = {"Authorization": f"Bearer {os.environ['TOKEN']}"}
    async with httpx2.AsyncClient(headers=headers) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            [content] = (await client.read_resource("resource://approvals/pending")).contents
            [waiting] = json.loads(content.text)
            arguments = {
                "call_id": waiting["call_id"],
                "decision": "approve",
                "arguments_hash": waiting["arguments_hash"],
            }
            result = await client.call_tool("agents_approve_request", arguments)
            if result.is_error:
                raise SystemExit(str(result.content))
            print(waiting["call_id"])


anyio.run(main, sys.argv[1])
