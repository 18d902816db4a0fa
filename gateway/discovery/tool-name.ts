// How a tool is named outside its server: `{server}__{tool}`, and `mcp__{server}__{tool}` as find_tool says it. Names of servers hold no
// "__"; those of tools may, and both may begin or end with "_", so that a name is read in each way it can be. Pure, and linear.
export interface ToolRef {
  readonly server: string;
  readonly tool: string;
}

const separator = "__";
const callPrefix = `mcp${separator}`;
/** Longer ones are nobody's: a server has at most 63 characters, and what a tool has beyond this is no name. */
const maxToolNameChars = 1_024;

export const nameOfTool = (server: string, tool: string): string => `${server}${separator}${tool}`;

export const callAsOf = (server: string, tool: string): string => `${callPrefix}${server}${separator}${tool}`;

/** The tools that a name may mean, likeliest first; a server may itself be called `mcp`. Empty where it is no such name. */
export function readToolName(name: string): ToolRef[] {
  if (name.length > maxToolNameChars) return [];
  const whole = name.startsWith(callPrefix) ? [name.slice(callPrefix.length), name] : [name];
  return whole.flatMap(splitName);
}

/** `a___b` is `_b` of `a`, or `b` of `a_`. */
function splitName(name: string): ToolRef[] {
  const first = name.indexOf(separator);
  if (first <= 0) return [];
  return [first, first + 1]
    .filter((at) => name.startsWith(separator, at) && at + separator.length < name.length)
    .map((at) => ({ server: name.slice(0, at), tool: name.slice(at + separator.length) }));
}
