// MGM-7 of calls through the gateway itself: questions of a server to whoever calls its tool, by its name and by proxy_call, in both eras.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ToolEntry } from "../../lib/mcp/table.ts";
import { openDiscoveryScene } from "../testing/discovery-scene.ts";
import { echoTool, remoteServer, startMcpServer } from "../testing/server-scene.ts";

const requestedSchema = { type: "object", properties: { account: { type: "string" } } };
const asks: ToolEntry = {
  ...echoTool("ask"),
  async call(_args, { asking, signal }) {
    const params = { message: "Which account?", requestedSchema };
    const answer = await asking?.ask({ method: "elicitation/create", params }, signal);
    return { content: [{ type: "text", text: JSON.stringify(answer ?? "nobody to ask") }] };
  },
};

async function open() {
  const scene = await openDiscoveryScene();
  const server = await startMcpServer([asks]);
  scene.state.put(remoteServer("work", server.url));
  await expect.poll(() => scene.discovery.countIndexed(), { timeout: 10_000 }).toBe(1);
  return scene;
}

async function connect(url: string, era: "2025" | "2026", isAskable: boolean) {
  const versionNegotiation = { mode: era === "2026" ? { pin: "2026-07-28" } : ("legacy" as const) };
  const capabilities = isAskable ? { elicitation: { form: {} } } : {};
  const client = new Client({ name: "test", version: "1.0.0" }, { capabilities, versionNegotiation });
  if (isAskable) {
    client.setRequestHandler("elicitation/create", async ({ params: { message } }) => ({
      action: "accept" as const,
      content: { message },
    }));
  }
  const requestInit = { headers: { "x-caller": "caller" } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  onTestFinished(() => client.close());
  return async (name: string, args: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: args });
    return content.map((part) => (part.type === "text" ? part.text : "")).join("|");
  };
}

describe.each(["2025", "2026"] as const)("MGM-7 a server's question through the gateway, in the %s era", (era) => {
  it.each([
    ["its name", "mcp__work__ask", {}],
    ["proxy_call", "registry", { action: "proxy_call", call_as: "mcp__work__ask", arguments: {} }],
  ])("reaches who called it by %s, and nobody who cannot be asked", async (_how, tool, args) => {
    const { url } = await open();
    const [asked, mute] = [await connect(url, era, true), await connect(url, era, false)];
    expect(await asked(tool, args)).toContain("work asks: Which account?");
    expect(await mute(tool, args)).toContain("nobody to ask");
  });
});
