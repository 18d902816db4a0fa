// Loads an HTTP server over a few connections that are kept alive, and does as little itself as it can: whole requests
// are written from memory, and of answers only the status and the length are looked at.
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface Load {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What every answer must have. */
  readonly status: number;
  readonly connections: number;
  readonly seconds: number;
}

const headEnd = "\r\n\r\n";
const connectTimeoutMs = 10_000;

/** Answers a second. Rejects on another status, and on answers that are not all of one length. */
export async function measureHttp({ url, headers = {}, status, connections, seconds }: Load): Promise<number> {
  const { hostname, port, host, pathname } = new URL(url);
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = Buffer.from(`GET ${pathname} HTTP/1.1\r\n${lines.join("")}\r\n`);
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(hostname, Number(port))));
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  try {
    const counts = await Promise.all(sockets.map((socket) => exchange(socket, request, status, endsAt)));
    return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - startedAt) / 1_000);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

async function open(host: string, port: number): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true });
  await once(socket, "connect", { signal: AbortSignal.timeout(connectTimeoutMs) });
  return socket;
}

/** Asks again as soon as an answer is complete, until `endsAt`; resolves with the number of answers. */
function exchange(socket: Socket, request: Buffer, status: number, endsAt: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let answers = 0;
    let received = 0;
    let length: number | undefined;
    const fail = (problem: string) => reject(new Error(`expected answers of status ${status}, found ${problem}`));
    socket.on("error", reject);
    socket.on("close", () => fail(`a closed connection after ${answers} answers`));
    socket.on("data", (chunk: Buffer) => {
      if (received === 0 && statusOf(chunk) !== status) return fail(chunk.subarray(0, 300).toString());
      length ??= lengthOf(chunk);
      received += chunk.byteLength;
      if (received < length) return;
      if (received > length) return fail(`${received} bytes where the first had ${length}`);
      received = 0;
      answers += 1;
      if (performance.now() >= endsAt) resolve(answers);
      else socket.write(request);
    });
    socket.write(request);
  });
}

const statusOf = (chunk: Buffer): number => Number(chunk.toString("latin1", 9, 12));

/** Head and body of an answer whose head is complete in this chunk. */
function lengthOf(chunk: Buffer): number {
  const head = chunk.toString("latin1");
  const end = head.indexOf(headEnd);
  if (end < 0) throw new Error("expected the whole head in the first chunk");
  const body = /^content-length: *(\d+)/im.exec(head.slice(0, end))?.[1] ?? "0";
  return end + headEnd.length + (statusOf(chunk) === 304 ? 0 : Number(body));
}
