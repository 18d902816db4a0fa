// What people are asked about a call of an agent: all that an approval shows and is bound to. Pure.
import { createHash } from "node:crypto";
import type { ApprovalQuestion } from "../../crds/approval-wire.ts";
import { maxArgumentsChars, maxSchemaChars } from "../../crds/approval.ts";
import { canonicalJson, hashArguments } from "../../lib/policy/canonical-json.ts";
import type { Decision } from "../../lib/policy/policy.ts";
import { redact } from "../../lib/policy/redact.ts";
import { defined } from "../../lib/process/defined.ts";
import { readHints } from "./hints.ts";
import type { PolicyNow } from "./live-policy.ts";
import type { Definition, JudgedCall, JudgedRun } from "./types.ts";

type Asked = { readonly question: ApprovalQuestion } | { readonly problem: string };

/** @param decision that asks. `problem`: why nobody can be asked about this call */
export function renderQuestion(
  call: JudgedCall,
  run: JudgedRun,
  decision: Decision,
  { name, generation }: PolicyNow,
): Asked {
  const { rule, reason, approvers, askCaller } = decision;
  const bound = bindTo(call);
  if (bound === undefined) return { problem: "nobody can be asked about arguments that are no plain JSON" };
  const shown = JSON.stringify(redact(call.args, decision.redact));
  if (shown.length > maxArgumentsChars) {
    const problem = `the arguments have ${shown.length} characters as JSON, and people are asked about at most ${maxArgumentsChars}`;
    return { problem };
  }
  const { server, tool, definition, step } = call;
  const question: ApprovalQuestion = {
    sessionHash: run.sessionHash,
    caller: run.caller,
    ...(run.role !== "none" && { role: run.role }),
    chain: [...run.chain.slice(0, -1), ...run.chain.slice(-1).map((link) => ({ ...link, ...defined({ step }) }))],
    server,
    tool,
    hints: readHints(definition),
    ...defined({ inputSchema: renderSchema(definition.inputSchema) }),
    ...bound,
    arguments: shown,
    redacted: [...decision.redact],
    policy: {
      name,
      generation,
      ...defined({ rule, reason }),
      ...(approvers.length > 0 && { approvers: [...approvers] }),
      ...(askCaller && { askCaller }),
    },
  };
  return { question };
}

/** Undefined for what has no canonical form, such as half a surrogate pair, or one too deep. */
function bindTo({ tool, definition, args }: JudgedCall) {
  try {
    return { toolHash: hashDefinition(tool, definition), argumentsHash: `sha256:${hashArguments(args)}` };
  } catch {
    return undefined;
  }
}

/** @throws TypeError where it is no plain JSON */
export function hashDefinition(name: string, { title, description, inputSchema, annotations }: Definition): string {
  const said = { name, ...defined({ title, description, annotations }), inputSchema };
  return `sha256:${createHash("sha256").update(canonicalJson(said)).digest("hex")}`;
}

/** A longer one is not shown. */
function renderSchema(schema: Definition["inputSchema"]): string | undefined {
  const text = JSON.stringify(schema);
  return text.length <= maxSchemaChars ? text : undefined;
}
