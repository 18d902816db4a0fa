// Reads environment variables through a zod schema, once, at start.
// All problems are reported together in one error that names each variable, what was found and the cure; values of secrets never appear.
import * as z from "zod";

const maxShownValueChars = 80;
const secretName = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i;

/** Thrown by readEnvironment; `variables` lists the faulty names. */
export class EnvironmentError extends Error {
  override readonly name = "EnvironmentError";
  readonly variables: readonly string[];

  constructor(message: string, variables: readonly string[], cause: unknown) {
    super(message, { cause });
    this.variables = variables;
  }
}

/**
 * Parses `env` by `schema`, an object schema keyed by variable name. An empty variable counts as unset.
 * A variable's `.describe("…")` is added to its problem; `.meta({ secret: true })` or a name with KEY, TOKEN, … hides its value.
 * Throws EnvironmentError.
 */
export function readEnvironment<Schema extends z.ZodObject>(
  schema: Schema,
  env: Readonly<Record<string, string | undefined>>,
): z.infer<Schema> {
  const known: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const value = env[name];
    if (value !== undefined && value !== "") known[name] = value;
  }
  const result = schema.safeParse(known);
  if (result.success) return result.data;
  const problems = new Map<string, string>();
  for (const issue of result.error.issues) {
    const name = String(issue.path[0] ?? "environment");
    if (!problems.has(name)) problems.set(name, renderProblem(name, schema.shape[name], known[name], issue.message));
  }
  const count = problems.size === 1 ? "1 environment variable is" : `${problems.size} environment variables are`;
  const lines = [...problems.values()].map((line) => `  ${line}`).join("\n");
  throw new EnvironmentError(`${count} not valid:\n${lines}`, [...problems.keys()], result.error);
}

function renderProblem(
  name: string,
  field: z.core.$ZodType | undefined,
  value: string | undefined,
  problem: string,
): string {
  // A rule over several variables has no single one to show.
  if (field === undefined) return `${name}: ${problem}`;
  const { description, secret } = findMeta(field);
  const meaning = typeof description === "string" ? ` (${description})` : "";
  if (value === undefined) return `${name} is not set: set it${meaning}`;
  const found = secret === true || secretName.test(name) ? "is set (value hidden)" : `is ${shorten(value)}`;
  const cure = z.safeParse(field, undefined).success ? "correct or unset it" : "correct it";
  return `${name} ${found}: ${problem}; ${cure}${meaning}`;
}

// A description given before .optional() or .default() sits on the wrapped schema.
function findMeta(field: z.core.$ZodType): { description?: unknown; secret?: unknown } {
  const own = z.globalRegistry.get(field);
  if (own !== undefined) return own;
  const wrapped = field instanceof z.ZodOptional || field instanceof z.ZodDefault || field instanceof z.ZodPrefault;
  return wrapped ? findMeta(field.def.innerType) : {};
}

function shorten(value: string): string {
  return JSON.stringify(value.length > maxShownValueChars ? `${value.slice(0, maxShownValueChars)}…` : value);
}
