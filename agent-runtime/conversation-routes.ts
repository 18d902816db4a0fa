// The admin route by which the instance's gateway lists the conversations that one of its callers has with this agent (MGM-2). The
// caller is who the gateway says it is: the agent knows it by the same name as when its messages come through the gateway.
import { Hono } from "hono";
import {
  conversationsPath,
  conversationsRequest,
  maxConversationsRequestBytes,
  type ConversationReport,
} from "../crds/conversations.ts";
import type { RunConfig } from "../crds/run-config.ts";
import { renderGatewaySubject } from "../lib/auth/gateway-caller.ts";
import { readMessage } from "../lib/mcp/request-body.ts";
import type { MemoryBudget } from "../lib/process/memory-budget.ts";
import { CallError } from "./call-error.ts";
import type { Sessions } from "./session/sessions.ts";

export interface ConversationRoutesParts {
  config: Pick<RunConfig, "agent" | "scope" | "auth">;
  sessions: Pick<Sessions, "list">;
  memory: MemoryBudget;
}

/** For the gateway alone: `POST /conversations` with a subject, which stands in no address, where logs would have it. */
export function createConversationRoutes({ config, sessions, memory }: ConversationRoutesParts): Hono {
  const { agent, scope, auth } = config;
  const app = new Hono();
  app.post(conversationsPath, async (c) => {
    const body = await readMessage(c.req.raw, { maxBytes: maxConversationsRequestBytes, budget: memory });
    if (!body.ok) {
      const { status, message, headers } = body.failure;
      return new Response(`${message}\n`, { status, ...(headers && { headers }) });
    }
    try {
      const { success, data } = conversationsRequest.safeParse(body.message);
      if (!success) return c.text("expected a subject, and nothing else\n", 422);
      // Where callers show this agent a token, that names them, and not the gateway.
      const subject = auth === undefined ? renderGatewaySubject(data.subject) : data.subject;
      const conversations = await sessions.list({ subject });
      const report: ConversationReport = { agent: agent.name, scope, conversations };
      return c.json(report, 200, { "Cache-Control": "no-store" });
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      return c.text(`${error.message}\n`, 503);
    } finally {
      body.holder?.release();
    }
  });
  return app;
}
