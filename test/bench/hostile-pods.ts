// Admin ports of pods that somebody has taken over, in one process, below a path each: every one is hostile in its own
// way, in turn. Prints its URL.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

const megabytes = 2 * 1024 * 1024;
const block = "x".repeat(64 * 1024);

/** One line that never ends, as fast as it is taken. */
function sendEndless(response: ServerResponse): void {
  const write = (): void => {
    while (response.write(block));
  };
  response.on("drain", write);
  write();
}

/** As much as is read of a pod, of which every line costs what a line can cost. */
function fill(line: (at: number) => string): string {
  const lines: string[] = [];
  for (let [at, size] = [0, 0]; size < megabytes - 64 * 1024; at += 1) {
    const next = `${line(at)}\n`;
    lines.push(next);
    size += next.length;
  }
  return lines.join("");
}

const blanks = " ".repeat(16_000);
const garbage = `${fill((at) => `# HELP a${at}${blanks}\u2028x`)}<html>\n`;
const numbers = fill((at) => `a${at} ${"1".repeat(16_000)}x`);
const manySamples = fill((at) => `b{x="${"y".repeat(180)}${at}"} ${at}`);
const wrongTypes = [
  "# TYPE pallas_send_message_total gauge\npallas_send_message_total 1",
  "# TYPE process_cpu_seconds_total histogram\nprocess_cpu_seconds_total_count 1",
  manySamples,
].join("\n");
const wrongReport = JSON.stringify({ agent: "x", status: 1, timestamp: [], providers: "none", downstreams: block });

/** In turn: what is sent for metrics and for health. */
const hostile: readonly ((response: ServerResponse, path: string) => void)[] = [
  sendEndless,
  (response, path) => response.end(path === "metrics" ? garbage : "[".repeat(200_000)),
  (response, path) => response.end(path === "metrics" ? wrongTypes : wrongReport),
  (response) => response.flushHeaders(),
  (response, path) => response.end(path === "metrics" ? numbers : garbage),
];

const server = createServer(({ url = "" }: IncomingMessage, response) => {
  const [, pod = "0", path = ""] = url.split("/");
  response.on("error", () => undefined).writeHead(200);
  hostile[Number(pod) % hostile.length]?.(response, path);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected to listen on a TCP port");
  process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
