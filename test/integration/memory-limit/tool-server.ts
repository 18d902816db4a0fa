// A tool server of the 2025 era whose one tool, `large`, answers with bytes that nobody has to hold twice to send.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface LargeToolServer {
  readonly url: string;
  /** What the tool's result is from now on, as JSON. */
  answerWith(result: Buffer): void;
  stop(): void;
}

const listed = { tools: [{ name: "large", description: "Large.", inputSchema: { type: "object", properties: {} } }] };
const initialized = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "large", version: "1.0.0" },
};
const results: Readonly<Record<string, object>> = { initialize: initialized, "tools/list": listed };

export async function startLargeToolServer(): Promise<LargeToolServer> {
  let large: Buffer = Buffer.from("{}");
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const chunks: Buffer[] = await incoming.toArray();
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString() || "{}");
    outgoing.setHeader("content-type", "application/json");
    if (id === undefined) {
      outgoing.writeHead(202).end();
    } else if (method === "tools/call") {
      outgoing.write(`{"jsonrpc":"2.0","id":${id},"result":`);
      outgoing.write(large);
      outgoing.end("}");
    } else if (results[method] === undefined) {
      outgoing.writeHead(400).end(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"unknown"}}`);
    } else {
      outgoing.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] }));
    }
  };
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/mcp`,
    answerWith: (result) => (large = result),
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
