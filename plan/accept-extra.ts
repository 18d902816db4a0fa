// Fields that an author adds to requests to a model (request.extra): any JSON, so that the API server cannot judge it. What the
// agent itself says to its model is not theirs to change, and all of it is in the run-config, which has to stay small.
import { reservedExtraFields } from "../crds/agent-settings.ts";
import type { InstanceSpec } from "../crds/instance.ts";
import type { ValidationError } from "./validation-error.ts";

const maxBytes = 16 * 1024;
const maxDepth = 16;

type Request = NonNullable<InstanceSpec["agentDefaults"]>["request"];

/** `path` is that of the request. */
export function extraProblems(path: string, request: Request): ValidationError[] {
  const { extra = {} } = request ?? {};
  const problem = (message: string): ValidationError => ({ reason: "InvalidField", path: `${path}.extra`, message });
  const reserved = Object.keys(extra).filter((name) => reservedExtraFields.some((each) => each === name));
  const problems = reserved.map((name) => problem(`"${name}" is set by the agent itself; remove it`));
  if (isDeeper(extra, maxDepth)) {
    return [...problems, problem(`expected at most ${maxDepth} levels of nesting, found more; send a flatter value`)];
  }
  const bytes = new TextEncoder().encode(JSON.stringify(extra)).length;
  if (bytes > maxBytes) problems.push(problem(`expected at most ${maxBytes} bytes of JSON, found ${bytes}; send less`));
  return problems;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}
