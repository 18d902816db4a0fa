// The least that node:http needs to serve bytes from memory: what the registry's catalogue is measured against. Started
// as a process of its own with the URL of a catalogue, it reads each representation once, serves it under a path of its
// own, and prints its URL.
import { createServer, type OutgoingHttpHeaders } from "node:http";
import { request } from "undici";

const [catalogueUrl = ""] = process.argv.slice(2);
/** Sent by node itself. */
const perConnection = new Set(["date", "connection", "keep-alive", "transfer-encoding"]);

async function read(headers: Record<string, string>) {
  const answer = await request(catalogueUrl, { headers });
  const kept: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(answer.headers)) if (!perConnection.has(name)) kept[name] = value;
  return { status: answer.statusCode, headers: kept, body: Buffer.from(await answer.body.arrayBuffer()) };
}

const identity = await read({});
const answers = new Map([
  ["/identity", identity],
  ["/gzip", await read({ "accept-encoding": "gzip" })],
  ["/not-modified", await read({ "if-none-match": String(identity.headers["etag"]) })],
]);

const server = createServer(({ url = "" }, response) => {
  const answer = answers.get(url);
  if (answer === undefined) response.writeHead(404).end();
  else response.writeHead(answer.status, answer.headers).end(answer.body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected to listen on a TCP port");
  process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
