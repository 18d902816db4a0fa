// A small MCP tool server as anybody would write one: three tools, no network, no state. It knows nothing of Pallas.
// Run it by itself with `node tool-server.ts`; TOOL_PORT chooses another port than 24290, HOST another address than loopback.
import { serve } from "@hono/node-server";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { Hono } from "hono";
import * as z from "zod";

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

/** The same seed gives the same dice (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function createToolServer(): McpServer {
  const server = new McpServer({ name: "toolbox", version: "1.0.0" });
  server.registerTool(
    "now",
    {
      description: "The current date and time in a time zone.",
      inputSchema: { timeZone: z.string().default("UTC").describe("IANA name, such as Europe/Berlin") },
    },
    ({ timeZone }) => text(new Date().toLocaleString("en-GB", { timeZone, dateStyle: "full", timeStyle: "long" })),
  );
  server.registerTool(
    "roll_dice",
    {
      description: "Rolls dice. The same seed gives the same numbers.",
      inputSchema: {
        count: z.int().min(1).max(100).default(1),
        sides: z.int().min(2).max(1000).default(6),
        seed: z.int().optional(),
      },
    },
    ({ count, sides, seed }) => {
      const next = randomNumbers(seed ?? Date.now());
      return text(Array.from({ length: count }, () => 1 + Math.floor(next() * sides)).join(" "));
    },
  );
  server.registerTool(
    "word_count",
    { description: "Counts the words of a text.", inputSchema: { text: z.string().max(100_000) } },
    (input) => text(String(input.text.split(/\s+/).filter((word) => word !== "").length)),
  );
  return server;
}

const app = new Hono();
app.all("/mcp", async (c) => {
  // Without sessions every request has a server of its own, which ends with it.
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await createToolServer().connect(transport);
  return transport.handleRequest(c.req.raw);
});

const port = Number(process.env["TOOL_PORT"] ?? 24290);
const server = serve({ fetch: app.fetch, port, hostname: process.env["HOST"] ?? "127.0.0.1" });
server.on("error", (error) => {
  const isTaken = Reflect.get(error, "code") === "EADDRINUSE";
  const cure = "stop that program, or set TOOL_PORT and write that port into the URL of toolbox in instance.yaml";
  process.stderr.write(
    `tool server: ${isTaken ? `port ${port} is in use by another program; ${cure}` : error.message}\n`,
  );
  process.exit(1);
});
