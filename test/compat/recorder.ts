// Stands between a client of others and an agent, passes everything on as it comes, and notes what the client's tool calls
// carry: which generation of the protocol it speaks is in no answer.
import { once } from "node:events";
import { createServer, request as startRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import * as z from "zod";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";

export interface RecordedCall {
  /** A revision, by its date. */
  readonly protocol: string | undefined;
  /** Of the connection; the newer generation has none. */
  readonly connection: string | undefined;
  readonly asksProgress: boolean;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface Recorder {
  readonly url: string;
  readonly calls: readonly RecordedCall[];
  stop(): Promise<void>;
}

const callSchema = z.object({
  method: z.literal("tools/call"),
  params: z.object({
    arguments: z.record(z.string(), z.unknown()).default({}),
    _meta: z.looseObject({ progressToken: z.unknown().optional() }).optional(),
  }),
});
const headerSchema = z.string().optional();

/** @param target of an agent, with its path */
export async function startRecorder(target: string): Promise<Recorder> {
  const calls: RecordedCall[] = [];
  const note = (headers: IncomingMessage["headers"], body: Buffer) => {
    const { data } = callSchema.safeParse(body.length === 0 ? undefined : JSON.parse(body.toString()));
    if (data === undefined) return;
    calls.push({
      protocol: headerSchema.parse(headers["mcp-protocol-version"]),
      connection: headerSchema.parse(headers["mcp-session-id"]),
      asksProgress: data.params._meta?.progressToken !== undefined,
      arguments: data.params.arguments,
    });
  };

  const relay = async (request: IncomingMessage, response: ServerResponse) => {
    const body = Buffer.concat(await request.toArray());
    note(request.headers, body);
    const { host: _, ...headers } = request.headers;
    const onward = startRequest(new URL(request.url ?? "/", target), { method: request.method, headers });
    response.on("close", () => onward.destroy());
    onward.end(body);
    const [answer]: IncomingMessage[] = await once(onward, "response");
    if (answer === undefined) throw new Error("expected an answer of the agent, found none");
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    await pipeline(answer, response);
  };
  const server = createServer((request, response) => {
    relay(request, response).catch(() => response.destroy()); // either end has gone
  });
  const port = await findFreePorts(1);
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: new URL(new URL(target).pathname, `http://127.0.0.1:${port}`).href,
    calls,
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
