// A gateway's approvals for whoever holds a token: which wait, what became of others, and a verdict on one. It keeps nothing.
import * as z from "zod";
import { defined } from "../../lib/process/defined.ts";
import type { McpConnection } from "../../lib/mcp/connect.ts";
import { McpError } from "../../lib/mcp/mcp-error.ts";
import { ChatError } from "../chat/chat-error.ts";
import { connectGateway, gatewayTimeoutMs, type GatewayOptions } from "../chat/gateway-connection.ts";
import { plainLine } from "../plain-text.ts";
import { approvalSchema, type Approval } from "./shown-approval.ts";

/** As the gateway's tool takes it, by the words of its arguments. */
export interface Verdict {
  readonly decision: "approve" | "deny_continue" | "deny_abort" | "answer";
  /** Of the arguments that were shown. */
  readonly hash: string;
  /** Another JSON object in place of the arguments. */
  readonly edited?: Readonly<Record<string, unknown>>;
  readonly answer?: string;
  readonly reason?: string;
  readonly scope?: "session";
}

export interface GatewayApprovals {
  /** All that wait, the first to expire first. */
  pending(): Promise<Approval[]>;
  /** What is over of every agent, the newest first. */
  history(): Promise<Approval[]>;
  /** Undefined where there is none of this name for the token's owner. */
  find(name: string): Promise<Approval | undefined>;
  /** @throws ChatError with the gateway's reason when it is refused */
  decide(name: string, verdict: Verdict): Promise<void>;
  /** Calls `onChange` when other approvals wait than before. */
  follow(onChange: () => void): void;
  close(): Promise<void>;
}

/** As approvals are named in a cluster; anything else would be another resource. */
const namePattern = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
const pendingUri = "resource://approvals/pending";
/** Agents whose history is read. */
const maxAgents = 1_000;
/** The protocol's codes for a resource that is not there, of its two eras. */
const notThere: ReadonlySet<number | undefined> = new Set([-32002, -32602]);

const agentsSchema = z.object({ agents: z.array(z.object({ id: z.string().regex(/^[a-z0-9-]{1,63}$/) })) });

/** @throws ChatError, McpError, UsageError as `connectGateway` */
export async function openApprovals(options: GatewayOptions): Promise<GatewayApprovals> {
  const { base, connection } = await connectGateway({ ...options, clientName: "pallas-approvals" });
  const callOptions = {
    signal: options.signal,
    idleTimeoutMs: gatewayTimeoutMs,
    totalTimeoutMs: gatewayTimeoutMs,
  };
  const read = async <T>(uri: string, schema: z.ZodType<T>): Promise<T> => {
    const parsed = schema.safeParse(await readJson(connection, uri, callOptions));
    if (parsed.success) return parsed.data;
    throw new ChatError(`what answers at ${base}/mcp shows no approvals; correct --gateway`, { cause: parsed.error });
  };
  const readOrNothing = async <T>(uri: string, schema: z.ZodType<T>): Promise<T | undefined> => {
    try {
      return await read(uri, schema);
    } catch (error) {
      if (error instanceof McpError && notThere.has(error.code)) return undefined;
      throw error;
    }
  };
  const list = z.array(approvalSchema);
  return {
    async pending() {
      const found = await readOrNothing(pendingUri, list);
      if (found !== undefined) return found;
      throw new ChatError(`the gateway at ${base} shows you no approvals; that takes the role viewer`);
    },
    async history() {
      const { structuredContent } = await connection.callTool("agents_list", {}, callOptions);
      const { agents } = agentsSchema.parse(structuredContent);
      const histories: Approval[] = [];
      for (const { id } of agents.slice(0, maxAgents)) {
        histories.push(...((await readOrNothing(`resource://agents/${id}/approvals/history`, list)) ?? []));
      }
      return histories.toSorted((a, b) => Date.parse(endOf(b)) - Date.parse(endOf(a)));
    },
    find: async (name) =>
      namePattern.test(name) ? await readOrNothing(`resource://approvals/${name}`, approvalSchema) : undefined,
    async decide(name, { decision, hash, edited, answer, reason, scope }) {
      const args = defined({ arguments: edited, answer, reason, scope });
      const { isError, content } = await connection.callTool(
        "agents_approve_request",
        { call_id: name, decision, arguments_hash: hash, ...args },
        callOptions,
      );
      if (isError !== true) return;
      throw new ChatError(
        plainLine(content.flatMap((part) => (part["type"] === "text" ? [part["text"]] : [])).join(" ")),
      );
    },
    follow(onChange) {
      connection.onResourceChange = (change) => {
        if ("uri" in change && change.uri === pendingUri) onChange();
      };
      connection.followResources([pendingUri]);
    },
    close: () => connection.close(),
  };
}

const endOf = ({ decision, expires_at: expiresAt }: Approval): string => decision?.at ?? expiresAt;

async function readJson(
  connection: McpConnection,
  uri: string,
  options: Parameters<McpConnection["readResource"]>[1],
): Promise<unknown> {
  const { content } = await connection.readResource(uri, options);
  const texts = content.flatMap((part) => {
    const text: unknown = Reflect.get(Object(Reflect.get(part, "resource")), "text");
    return typeof text === "string" ? [text] : [];
  });
  try {
    return JSON.parse(texts.join(""));
  } catch {
    return undefined;
  }
}
