// Somebody else beside the page: messages to agents of the scene through its gateway, which bring about calls that wait, and what MCP
// clients decide of them.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { vi } from "vitest";
import * as z from "zod";
import { sessionIdMetaKey } from "../../crds/names.ts";
import type { Scene, SceneRole } from "./scene.ts";

const callTimeoutMs = 50_000;

async function connect(url: string, token: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

const answerSchema = z.looseObject({ content: z.array(z.looseObject({ text: z.string().optional() })) });

/** Sends a message. Resolves with the answer's text, once there is one. */
export async function askAgent(
  scene: Scene,
  agent: string,
  message: string,
  as: SceneRole = "caller",
): Promise<string> {
  const client = await connect(`${scene.origin}/proxy/${agent}/mcp`, scene.tokens[as]);
  try {
    const options = { timeout: callTimeoutMs };
    const result = await client.callTool({ name: "send_message", arguments: { message } }, options);
    return answerSchema
      .parse(result)
      .content.map(({ text }) => text ?? "")
      .join("\n");
  } finally {
    await client.close();
  }
}

/** Says one thing after the other in a conversation of its own. Resolves with the conversation's name. */
export async function converse(
  scene: Scene,
  agent: string,
  messages: readonly string[],
  as: SceneRole,
): Promise<string> {
  const client = await connect(`${scene.origin}/proxy/${agent}/mcp`, scene.tokens[as]);
  let session = "new";
  try {
    for (const message of messages) {
      const { _meta } = await client.callTool({ name: "send_message", arguments: { message, session_id: session } });
      session = z.string().parse(_meta?.[sessionIdMetaKey]);
    }
  } finally {
    await client.close();
  }
  return session;
}

/** A resource of the gateway as the admin reads it. */
export async function readResource(scene: Scene, uri: string): Promise<string> {
  const client = await connect(`${scene.origin}/mcp`, scene.tokens.admin);
  try {
    const { contents } = await client.readResource({ uri });
    const [first] = contents;
    return first !== undefined && "text" in first ? first.text : "";
  } finally {
    await client.close();
  }
}

/** What the built-in model obeys. */
export const callTool = (tool: string, args: object): string => `***CALL_TOOL ${tool} ${JSON.stringify(args)}`;

export const transfer = { amount: 1840, iban: "DE02120300000000202051", recipient: "Nordwind Logistik" };

/** A call of bookkeeper that waits for a person. Its answer comes once somebody has decided. */
export function askTransfer(scene: Scene, changes: object = {}): Promise<string> {
  const answer = askAgent(scene, "bookkeeper", callTool("payments__create_transfer", { ...transfer, ...changes }));
  // One that nobody decides of ends with the scene.
  answer.catch(() => undefined);
  return answer;
}

const proposedSchema = z.looseObject({ proposal: z.looseObject({ proposal_id: z.string() }) });

/** What an approver proposes for a policy. Resolves with the proposal's name. */
export async function proposeRules(
  scene: Scene,
  proposed: { policy: string; rules: readonly object[]; reason: string },
): Promise<string> {
  const client = await connect(`${scene.origin}/mcp`, scene.tokens.approver);
  try {
    const { structuredContent } = await client.callTool({ name: "policy_propose", arguments: proposed });
    return proposedSchema.parse(structuredContent).proposal.proposal_id;
  } finally {
    await client.close();
  }
}

const pendingSchema = z.array(z.looseObject({ call_id: z.string(), arguments_hash: z.string() }));
export type Pending = z.output<typeof pendingSchema>[number];

export interface Approver extends AsyncDisposable {
  /** Those that wait now. */
  pending(): Promise<Pending[]>;
  /** Waits until there are so many. */
  untilPending(count: number): Promise<Pending[]>;
  /** Waits until there is one. */
  untilOneWaits(): Promise<Pending>;
  decide(pending: Pending, decision: string, reason?: string): Promise<void>;
}

/** Another person, by another MCP client. */
export async function openApprover(scene: Scene): Promise<Approver> {
  const client = await connect(`${scene.origin}/mcp`, scene.tokens.approver);
  const pending = async () => {
    const { contents } = await client.readResource({ uri: "resource://approvals/pending" });
    const [first] = contents;
    return pendingSchema.parse(JSON.parse(first !== undefined && "text" in first ? first.text : "[]"));
  };
  const untilPending = async (count: number) => {
    let found: Pending[] = [];
    const isThere = async () => (found = await pending()).length === count;
    await vi.waitUntil(isThere, { timeout: 20_000, interval: 100 });
    return found;
  };
  return {
    pending,
    untilPending,
    async untilOneWaits() {
      const [found] = await untilPending(1);
      if (found === undefined) throw new Error("expected a call that waits, found none");
      return found;
    },
    async decide({ call_id, arguments_hash }, decision, reason) {
      const args = { call_id, arguments_hash, decision, ...(reason !== undefined && { reason }) };
      const { isError, content } = await client.callTool({ name: "agents_approve_request", arguments: args });
      if (isError === true) throw new Error(`expected a decision, found ${JSON.stringify(content).slice(0, 500)}`);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
