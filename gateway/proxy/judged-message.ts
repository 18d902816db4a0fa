// What the gateway's policy makes of a message on its way to an agent (MGM-5): a call of send_message is judged as by agents_prompt, and
// everything else passes. What is sent on is what was read, so that the agent reads nothing else in it.
import type { Readable } from "node:stream";
import type { Identity } from "../../lib/auth/roles.ts";
import { isJsonObject, JsonRpcError, rpcCodes, type RpcFailure } from "../../lib/mcp/json-rpc.ts";
import { createJsonMeter } from "../../lib/process/json-structure.ts";
import { agentTool } from "../discovery/may-call.ts";
import { messageTool } from "../management/tools/agents-prompt.ts";
import { requestWaitMs } from "../policy/asked-people.ts";
import type { GatewayPolicy } from "../policy/gateway-policy.ts";

/** The body that goes on, or what is answered in the agent's place. */
export type JudgedMessage = { readonly body: Buffer } | { readonly answer: object } | { readonly failure: RpcFailure };

export interface MessageToJudge {
  policy: Pick<GatewayPolicy, "judge">;
  agent: string;
  identity: Identity;
  sessionId: string | undefined;
  body: Readable;
  maxBodyBytes: number;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
}

/** Far beyond any message. */
const bounds = { maxDepth: 1_000, maxStructure: 1_000_000 };

/** Waits a while where people are asked. Rejects when the client has gone. */
export async function judgeMessage(asked: MessageToJudge): Promise<JudgedMessage> {
  const bytes = await readBytes(asked.body, asked.maxBodyBytes);
  if (bytes === undefined) return { failure: fail(413, "Payload Too Large: the request body is over the limit") };
  const problem = createJsonMeter(bounds)(bytes);
  if (problem !== undefined) return { failure: fail(400, `the body ${problem}`) };
  let message: unknown;
  try {
    message = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return { failure: fail(400, "Parse error: expected JSON in UTF-8", rpcCodes.parseError) };
  }
  if (Array.isArray(message)) {
    return {
      failure: fail(400, "this instance judges calls by a policy: send one message at a time", rpcCodes.invalidRequest),
    };
  }
  return await judgeOne(asked, message);
}

async function judgeOne({ policy, agent, identity, sessionId, signal }: MessageToJudge, message: unknown) {
  const { method, params, id = null }: Record<string, unknown> = isJsonObject(message) ? message : {};
  const { name, arguments: args = {} }: Record<string, unknown> = isJsonObject(params) ? params : {};
  // What is no call of this tool, or has no arguments, is the agent's to refuse.
  if (method !== "tools/call" || name !== agentTool || !isJsonObject(args)) return passOn(message);
  try {
    const call = { server: agent, definition: messageTool, args, identity, sessionId };
    const judged = await policy.judge({ ...call, signal, waitMs: requestWaitMs });
    if (judged.answer === undefined) {
      return passOn({ ...Object(message), params: { ...Object(params), arguments: judged.permit.args } });
    }
    return { answer: { jsonrpc: "2.0", id, result: { resultType: "complete", ...judged.answer } } };
  } catch (error) {
    if (!(error instanceof JsonRpcError)) throw error;
    const { code, message: type, data } = error;
    return { answer: { jsonrpc: "2.0", id, error: { code, message: type, data } } };
  }
}

const passOn = (message: unknown): JudgedMessage => ({ body: Buffer.from(JSON.stringify(message)) });

const fail = (status: number, message: string, code: number = rpcCodes.serverError): RpcFailure => ({
  status,
  code,
  message,
});

async function readBytes(body: Readable, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Destroying the request would take the connection away from the answer.
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    const part = Buffer.from(chunk);
    length += part.length;
    if (length > maxBytes) return undefined;
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}
