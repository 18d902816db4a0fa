// A client on another machine, as a program by itself: it reads the catalogue at the URL of its first argument, and calls the
// agent that the second names, without a token and with that of TOKEN. It prints what came of it as JSON.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const [catalogueUrl = "", agent = ""] = process.argv.slice(2);

async function call(url: string, headers: Record<string, string>): Promise<string> {
  const client = new Client({ name: "remote-client", version: "1.0.0" });
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    const { content } = await client.callTool({ name: "send_message", arguments: { message: "from afar" } });
    return content.map((part) => (part.type === "text" ? part.text : part.type)).join("");
  } catch (error) {
    return `refused: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    await client.close();
  }
}

async function ask(): Promise<object> {
  const response = await fetch(catalogueUrl);
  if (!response.ok) return { status: response.status };
  const { servers }: { servers: { server: { name: string; remotes: { url: string }[] } }[] } = JSON.parse(
    await response.text(),
  );
  const url = servers.find(({ server }) => server.name.endsWith(`/${agent}`))?.server.remotes[0]?.url ?? "";
  const withoutToken = await call(url, {});
  const withToken = await call(url, { Authorization: `Bearer ${process.env["TOKEN"] ?? ""}` });
  return { status: response.status, url, withoutToken, withToken };
}

process.stdout.write(JSON.stringify(await ask()));
