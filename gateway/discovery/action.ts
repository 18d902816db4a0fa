// An action of the `registry` tool: its name, whom it is for, what it takes of the tool's parameters, and what it does. A file each in
// actions/; registry-tool.ts puts them together.
import type * as z from "zod";
import type { Identity, Role } from "../../lib/auth/roles.ts";
import type { CallContext, ToolResult } from "../../lib/mcp/table.ts";
import { renderAnswer, ToolRefused } from "../management/tools/tool.ts";

export interface ActionContext {
  readonly identity: Identity;
  /** Of the call of the `registry` tool: its session, signal and progress. */
  readonly call: CallContext;
}

export interface RegistryAction {
  readonly name: string;
  /** What it is for, in a few words for a model. */
  readonly summary: string;
  /** The least that a person must be. */
  readonly role: Role;
  /** Whether agents that were given the tool may use it as well. */
  readonly forAgents: boolean;
  run(given: Record<string, unknown>, context: ActionContext): Promise<ToolResult>;
}

interface Definition<Args> extends Pick<RegistryAction, "name" | "summary" | "role"> {
  forAgents?: true;
  /** Made of `parameters`. What else the call brings is for other actions, and ignored. */
  args: z.ZodType<Args>;
  /** An object is answered as JSON text and as structured content. Throws ToolRefused, WriteRefused or RestError. */
  run(args: Args, context: ActionContext): Promise<Record<string, unknown> | AsIs>;
}

/** The result of another tool, passed on as it is. */
export class AsIs {
  readonly result: ToolResult;

  constructor(result: ToolResult) {
    this.result = result;
  }
}

export function defineAction<Args>({ args, run, forAgents, ...shown }: Definition<Args>): RegistryAction {
  return {
    ...shown,
    forAgents: forAgents === true,
    async run(given, context) {
      const answer = await run(readArgs(shown.name, args, given), context);
      return answer instanceof AsIs ? answer.result : renderAnswer(answer);
    },
  };
}

const maxTold = 5;

/** Types have been checked by the schema of the whole; what is left is what this action needs. */
function readArgs<Args>(action: string, schema: z.ZodType<Args>, given: Record<string, unknown>): Args {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.slice(0, maxTold).map(({ path, message }) => {
    const [parameter] = path;
    if (parameter === undefined) return message;
    const isMissing = !Object.hasOwn(given, parameter);
    return isMissing ? `the parameter ${String(parameter)} is missing` : `${path.join(".")}: ${message}`;
  });
  throw new ToolRefused("invalid", `${action}: ${problems.join("; ")}`);
}
