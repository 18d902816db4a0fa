// A stand-in of paid embeddings: an endpoint of OpenAI's embeddings API on loopback, whose vectors are made of the words of a text and of
// pieces of them, so that texts of the same words are close to each other, and always the same. It remembers what it was asked, and fails
// as a test says. As a process: test/models/embeddings-main.ts.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface EmbeddingsRequest {
  path: string;
  authorization: string | undefined;
  model: unknown;
  input: readonly string[];
  encodingFormat: unknown;
}

/** The answer in place of vectors. */
export interface ScriptedAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as it is where it is a text. */
  body?: string | Buffer | object;
  /** When it is sent; default: at once. */
  until?: Promise<unknown>;
  /** The connection is cut. */
  cut?: boolean;
}

export interface EmbeddingsServerOptions {
  /** Numbers in a vector; default 64. */
  width?: number;
  /** A vector of a text; default: by its words. */
  embed?: (text: string, width: number) => Float32Array;
  port?: number;
  host?: string;
}

export interface EmbeddingsServer {
  /** Base URL, with /v1. */
  url: string;
  readonly requests: EmbeddingsRequest[];
  /** Asked for each request; undefined: vectors. */
  answer: (request: EmbeddingsRequest, count: number) => ScriptedAnswer | undefined;
  width: number;
  /** Cuts what is open. */
  close(): Promise<void>;
}

const maxBodyBytes = 16 * 1024 * 1024;

export async function startEmbeddingsServer(options: EmbeddingsServerOptions = {}): Promise<EmbeddingsServer> {
  const { embed = embedWords, port = 0, host = "127.0.0.1" } = options;
  const mock: Omit<EmbeddingsServer, "url" | "close"> = {
    requests: [],
    answer: () => undefined,
    width: options.width ?? 64,
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request);
    if (request.method === "GET" && request.url?.endsWith("/models") === true) {
      return send(response, { body: { object: "list", data: [{ id: "mock-embeddings", object: "model" }] } });
    }
    const asked = parseRequest(request, body);
    if (asked === undefined) {
      const error = { message: "expected a model and a text or list of texts as input", type: "invalid_request_error" };
      return send(response, { status: 400, body: { error } });
    }
    mock.requests.push(asked);
    const scripted = mock.answer(asked, mock.requests.length);
    const answer = { body: renderEmbeddings(asked, (text) => embed(text, mock.width)), ...scripted };
    await answer.until;
    return send(response, answer);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return Object.assign(mock, {
    url: `http://${host}:${bound}/v1`,
    close() {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

/** As OpenAI writes them. */
function renderEmbeddings(
  { model, input, encodingFormat }: Pick<EmbeddingsRequest, "model" | "input" | "encodingFormat">,
  embed: (text: string) => Float32Array,
): object {
  const data = input.map((text, index) => {
    const vector = embed(text);
    const embedding = encodingFormat === "base64" ? Buffer.from(vector.buffer).toString("base64") : [...vector];
    return { object: "embedding", index, embedding };
  });
  const tokens = Math.ceil(input.join("").length / 4);
  return { object: "list", data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
}

/** Each word and each three letters of it fall on a place of the vector, by their hash. Of length 1. */
export function embedWords(text: string, width: number): Float32Array {
  const vector = new Float32Array(width);
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const add = (piece: string, weight: number) => {
    const hash = createHash("sha1").update(piece).digest();
    const at = hash.readUInt32LE(0) % width;
    vector[at] = (vector[at] ?? 0) + ((hash[4] ?? 0) % 2 === 0 ? weight : -weight);
  };
  for (const word of words) {
    add(word, 1);
    for (let at = 0; at + 3 <= word.length; at += 1) add(word.slice(at, at + 3), 0.3);
  }
  const norm = Math.hypot(...vector);
  if (norm === 0) vector[0] = 1;
  return norm === 0 ? vector : vector.map((value) => value / norm);
}

function parseRequest(request: IncomingMessage, body: string): EmbeddingsRequest | undefined {
  if (request.method !== "POST" || request.url?.split("?")[0]?.endsWith("/embeddings") !== true) return undefined;
  const parsed: unknown = JSON.parse(body);
  if (typeof parsed !== "object" || parsed === null || !("input" in parsed) || !("model" in parsed)) return undefined;
  const input: unknown[] = Array.isArray(parsed.input) ? parsed.input : [parsed.input];
  const texts = input.filter((text) => typeof text === "string" && text !== "");
  if (texts.length === 0 || texts.length < input.length) return undefined;
  const encodingFormat = "encoding_format" in parsed ? parsed.encoding_format : undefined;
  const { url: path, headers } = request;
  return { path, authorization: headers.authorization, model: parsed.model, input: texts.map(String), encodingFormat };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    chunks.push(chunk);
    bytes += Buffer.byteLength(chunk);
    if (bytes > maxBodyBytes) throw new Error(`expected at most ${maxBodyBytes} bytes`);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function send(response: ServerResponse, { status = 200, headers = {}, body = "", cut = false }: ScriptedAnswer): void {
  if (cut) {
    response.destroy();
    return;
  }
  const isObject = typeof body === "object" && !Buffer.isBuffer(body);
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(isObject ? JSON.stringify(body) : body);
}
