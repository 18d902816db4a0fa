// Daedalus on the TypeScript SDKs: generation 1, which knows the 2025 era only, and generation 2 in either era. What they do
// is written once; the SDKs differ in how they connect and where options stand.
import { randomUUID } from "node:crypto";
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import * as z from "zod";
import { findEntry, parseObservation, type Observation, type Visit } from "./observation.ts";
import { createWire, type Wire } from "./wire.ts";

interface CallParams {
  [key: string]: unknown;
  name: string;
  arguments: Record<string, unknown>;
}

interface Progress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
  _meta?: unknown;
}

interface CallOptions {
  signal?: AbortSignal;
  /** For the answer; with `resetTimeoutOnProgress` for the next sign of life. */
  timeout?: number;
  resetTimeoutOnProgress?: boolean;
  onprogress?: (progress: Progress) => void;
}

/** What both SDKs can do. */
export interface Session {
  protocol: string | undefined;
  listTools(): Promise<{ tools: unknown[] }>;
  callTool(params: CallParams, options: CallOptions): Promise<unknown>;
  getPrompt(params: { name: string; arguments: Record<string, string> }): Promise<{ messages: unknown[] }>;
  close(): Promise<void>;
}

export type Connect = (url: URL, wire: Wire) => Promise<Session>;

const clientInfo = { name: "daedalus", version: "1.0.0" };
const deadlineMs = 30_000;

/** The SDK's transport under its interface: with exactOptionalPropertyTypes the class alone does not fit. */
function adapt(transport: Transport1): Transport {
  const adapted: Transport = {
    start() {
      transport.onmessage = (message) => adapted.onmessage?.(message);
      transport.onerror = (error) => adapted.onerror?.(error);
      transport.onclose = () => adapted.onclose?.();
      return transport.start();
    },
    send: (message) => transport.send(message),
    close: () => transport.close(),
    setProtocolVersion: (version) => transport.setProtocolVersion(version),
  };
  return adapted;
}

export const connect1: Connect = async (url, wire) => {
  const client = new Client1(clientInfo);
  const transport = new Transport1(url, { fetch: wire.fetch });
  await client.connect(adapt(transport));
  return {
    protocol: transport.protocolVersion,
    listTools: () => client.listTools(),
    callTool: (params, options) => client.callTool(params, undefined, { timeout: deadlineMs, ...options }),
    getPrompt: (params) => client.getPrompt(params),
    close: () => client.close(),
  };
};

export const connect2 =
  (mode: "legacy" | { pin: string }): Connect =>
  async (url, wire) => {
    const client = new Client2(clientInfo, { versionNegotiation: { mode } });
    await client.connect(new Transport2(url, { fetch: wire.fetch }));
    return {
      protocol: client.getNegotiatedProtocolVersion(),
      listTools: () => client.listTools(),
      callTool: (params, options) => client.callTool(params, { timeout: deadlineMs, ...options }),
      getPrompt: (params) => client.getPrompt(params),
      close: () => client.close(),
    };
  };

/** Makes the whole visit with one connection. */
export async function observeWithTypeScript(connect: Connect, visit: Visit): Promise<Observation> {
  const { entry, url } = await findEntry(visit);
  const wire = createWire();
  const session = await connect(new URL(url), wire);
  try {
    const { tools } = await session.listTools();
    const health = await session.callTool({ name: "get_health", arguments: {} }, {});
    const sent = await callWithCallback(session, wire, { message: visit.message });
    const conversation = readConversation(sent.result);
    const alias = await callWithOwnToken(session, wire, visit, conversation);
    const withoutToken = await call(session, wire, { name: "send_message", arguments: { message: visit.message } });
    const name = `${visit.agent.replaceAll("-", "_")}_history`;
    const { messages: history } = await session.getPrompt({ name, arguments: conversation });
    const unknownTool = await callUnknown(session);
    const cancellation = await cancelCall(session, visit);
    await visit.stayUntil;
    const calls = { sent, alias, withoutToken, unknownTool, cancellation };
    return parseObservation({ entry, protocol: session.protocol, tools, health, history, ...calls });
  } finally {
    await session.close();
  }
}

async function call(session: Session, wire: Wire, params: CallParams, options: CallOptions = {}) {
  const first = wire.messages.length;
  const result = await session.callTool(params, options);
  return { tool: params.name, received: wire.messages.slice(first), result };
}

async function callWithCallback(session: Session, wire: Wire, args: Record<string, unknown>) {
  const seen: unknown[] = [];
  const onprogress: CallOptions["onprogress"] = ({ progress, total, message }) =>
    void seen.push([progress, total ?? null, message]);
  return { ...(await call(session, wire, { name: "send_message", arguments: args }, { onprogress })), seen };
}

/** Without a callback the SDKs leave the token alone; what arrives under it they keep from the application. */
async function callWithOwnToken(session: Session, wire: Wire, visit: Visit, conversation: Record<string, string>) {
  const token = randomUUID();
  const args = { message: visit.message, ...conversation };
  const params = { name: visit.agent.replaceAll("-", "_"), arguments: args, _meta: { progressToken: token } };
  return { ...(await call(session, wire, params)), token };
}

const conversationSchema = z.object({ _meta: z.object({ "ca.helu.pallas/session_id": z.string() }) });

/** The arguments that continue the conversation: none where the connection itself is it. */
function readConversation(result: unknown): Record<string, string> {
  const parsed = conversationSchema.safeParse(result);
  return parsed.success ? { session_id: parsed.data._meta["ca.helu.pallas/session_id"] } : {};
}

async function callUnknown(session: Session): Promise<unknown> {
  try {
    return { result: await session.callTool({ name: "no_such_tool", arguments: {} }, {}) };
  } catch (error) {
    return error instanceof Error && "code" in error ? { code: error.code, message: error.message } : { error };
  }
}

/** Cancels a call as soon as its progress says `cancelAt`. */
async function cancelCall(session: Session, { cancelMessage, cancelAt }: Visit) {
  const controller = new AbortController();
  let cancelledAtMs: number | undefined;
  const onprogress: CallOptions["onprogress"] = ({ message }) => {
    if (message !== cancelAt) return;
    cancelledAtMs = Date.now();
    controller.abort(new Error("the user pressed stop"));
  };
  const params = { name: "send_message", arguments: { message: cancelMessage } };
  const ended = await session.callTool(params, { onprogress, signal: controller.signal }).then(
    (result) => `answered with ${JSON.stringify(result)}`,
    () => undefined, // Cancelled calls reject, each SDK with an error of its own.
  );
  if (ended !== undefined) throw new Error(`expected the call to be cancelled, but it was ${ended}`);
  const health = await session.callTool({ name: "get_health", arguments: {} }, {});
  return { cancelledAtMs, healthAfter: healthTextSchema.parse(health) };
}

const healthTextSchema = z
  .object({ content: z.tuple([z.object({ text: z.string() })]) })
  .transform(({ content: [block] }): unknown => JSON.parse(block.text));
