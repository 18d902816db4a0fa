"""The catalogue as a small web application serves it: the list is built for each request from what is configured.

What the registry is measured against; takes the file of the agents as its argument and prints its URL.
"""

import json
import socket
import sys

import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

with open(sys.argv[1], encoding="utf-8") as file:
    AGENTS = json.load(file)


def entry(agent):
    name = agent["name"]
    return {
        "server": {
            "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
            "name": f"com.example/{name.replace('_', '-')}",
            "title": name.replace("-", " ").replace("_", " ").title(),
            "description": agent["description"][:100],
            "version": "1.0.0",
            "remotes": [{"type": "streamable-http", "url": f"http://{name}.agents.svc:8080/mcp"}],
        },
        "_meta": {
            "io.modelcontextprotocol.registry/official": {
                "status": "active",
                "updatedAt": agent["updatedAt"],
                "isLatest": True,
            },
            "ca.helu.pallas/runtime": {"readyReplicas": 0},
        },
    }


async def catalogue(_request):
    return JSONResponse({"servers": [entry(agent) for agent in AGENTS]})


app = Starlette(routes=[Route("/.well-known/mcp/server.json", catalogue)])
listener = socket.create_server(("127.0.0.1", 0))
print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[listener])
