// A tool of the management server: whom it is for, its arguments as one schema that both checks them and is shown, and what it
// does. How a refusal reads is said here too, the same for all of them.
import * as z from "zod";
import type { Identity, Role } from "../../../lib/auth/roles.ts";
import type { CallContext, JsonObjectSchema, ToolAnnotations, ToolResult } from "../../../lib/mcp/table.ts";

export interface ManagementTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The least that its caller must be. */
  readonly role: Role;
  /** Whether agents may use it as well, whatever role people need for it. */
  readonly forAgents: boolean;
  /** Whether it is there only where the instance lets its gateway write. */
  readonly writes: boolean;
  readonly annotations: ToolAnnotations;
  readonly inputSchema: JsonObjectSchema;
  /** `_meta` on the wire. */
  readonly meta?: Record<string, unknown>;
  /** `args` have passed the schema. Throws a ToolRefused, or WriteRefused. */
  call(args: Record<string, unknown>, identity: Identity, context: CallContext): Promise<ToolResult>;
}

interface Definition<Args> extends Omit<ManagementTool, "inputSchema" | "call" | "writes" | "forAgents"> {
  writes?: true;
  forAgents?: true;
  args: z.ZodType<Args>;
  call(args: Args, identity: Identity, context: CallContext): Promise<ToolResult>;
}

const shownSchema = z.looseObject({
  type: z.literal("object"),
  properties: z.record(z.string(), z.json()),
  required: z.array(z.string()).exactOptional(),
});

/** As clients are shown it. */
export function schemaOf(args: z.ZodType): JsonObjectSchema {
  const { $schema: _, ...inputSchema } = shownSchema.parse(z.toJSONSchema(args, { io: "input" }));
  return inputSchema;
}

export function defineTool<Args>({ args, call, writes, forAgents, ...shown }: Definition<Args>): ManagementTool {
  return {
    ...shown,
    writes: writes === true,
    forAgents: forAgents === true,
    inputSchema: schemaOf(args),
    call: (given, identity, context) => call(args.parse(given), identity, context),
  };
}

const statuses = { forbidden: 403, not_found: 404, conflict: 409, invalid: 422, busy: 429, unready: 503 } as const;

/** Nothing was done, for a reason that the caller can act on. */
export class ToolRefused extends Error {
  override readonly name = "ToolRefused";
  readonly type: keyof typeof statuses;

  constructor(type: keyof typeof statuses, message: string, options?: ErrorOptions) {
    super(message, options);
    this.type = type;
  }
}

/** As a result, which a model reads as well as a program. */
export const renderRefused = ({ type, message }: Pick<ToolRefused, "type" | "message">): ToolResult => ({
  content: [{ type: "text", text: message }],
  structuredContent: { error: { type, status: statuses[type], message } },
  isError: true,
});

export const renderAnswer = (structuredContent: Record<string, unknown>): ToolResult => ({
  content: [{ type: "text", text: JSON.stringify(structuredContent) }],
  structuredContent,
});

export const agentId = z.string().min(1).max(63).meta({ description: "Name of an agent, as agents_list has it." });
