// MGM-7 of the compositor: questions of an agent's servers to whoever calls them there, by real clients of both eras.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import type { Era } from "../../lib/mcp/table.ts";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { renderTestServer } from "../testing/run-config.ts";
import { startToolServer, textResult } from "../testing/servers.ts";
import { startCompositor } from "../testing/compositor.ts";

const keep = keepUntilEnd();
const requestedSchema = { type: "object", properties: { account: { type: "string" } } };

/** A server that asks, in a compositor. */
async function start() {
  const asking = await keep(
    startToolServer(
      {
        async ask(_args, { asking: caller, signal }) {
          if (caller === undefined) return textResult("nobody to ask");
          const params = { message: "Which account?", requestedSchema };
          return textResult(JSON.stringify(await caller.ask({ method: "elicitation/create", params }, signal)));
        },
      },
      { only2025: true },
    ),
  );
  return (await keep(startCompositor([renderTestServer("argos", asking.url)]))).url;
}

async function connect(url: string, era: Era, answer?: (message: string) => object) {
  const versionNegotiation = { mode: era === "2026" ? { pin: "2026-07-28" } : ("legacy" as const) };
  const capabilities = answer === undefined ? {} : { elicitation: { form: {} } };
  const client = new Client({ name: "test", version: "1.0.0" }, { capabilities, versionNegotiation });
  if (answer !== undefined) {
    client.setRequestHandler("elicitation/create", async ({ params }) => Object(answer(params.message)));
  }
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  await keep(Promise.resolve({ stop: () => client.close() }));
  return async () => {
    const { content } = await client.callTool({ name: "argos__ask", arguments: {} });
    return content.map((part) => (part.type === "text" ? part.text : "")).join("|");
  };
}

describe.each(["2025", "2026"] as const)("MGM-7 a server's question in a compositor, in the %s era", (era) => {
  test("reaches the caller of its own call, named after the server", async () => {
    const url = await start();
    const calls = await Promise.all(
      ["a", "b", "c"].map(async (account) => {
        const call = await connect(url, era, (message) => ({ action: "accept", content: { account, message } }));
        return [account, await call()] as const;
      }),
    );
    for (const [account, text] of calls) {
      const content = { account, message: "argos asks: Which account?" };
      expect(JSON.parse(text)).toEqual({ action: "accept", content });
    }
  });

  test("is not put to a caller that cannot be asked, beside one that can", async () => {
    const url = await start();
    const asked = await connect(url, era, () => ({ action: "decline" }));
    const mute = await connect(url, era);
    expect([await asked(), await mute(), await asked()]).toEqual([
      '{"action":"decline"}',
      "nobody to ask",
      '{"action":"decline"}',
    ]);
  });
});
