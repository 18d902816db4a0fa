// What any HTTP server in Node costs: JSON answered by node:http alone. Started as `node echo.js PORT`.
import { createServer, type ServerResponse } from "node:http";

interface Call {
  readonly id: unknown;
  readonly params: { readonly arguments?: Readonly<Record<string, unknown>> };
}

function answer({ id, params }: Call, response: ServerResponse): void {
  const result = { content: [{ type: "text", text: String(params.arguments?.["message"]) }] };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
}

createServer((request, response) => {
  if (request.method !== "POST") return void response.writeHead(405).end();
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => (text += chunk));
  request.on("end", () => answer(JSON.parse(text), response));
}).listen(Number(process.argv[2]), "127.0.0.1");
