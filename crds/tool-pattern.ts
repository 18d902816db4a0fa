// How `tools.allow` and `tools.deny` name tools: the agent runs by it, and whoever judges manifests judges by it.

/** Whether a tool's name fits a pattern, in which `*` stands for any characters. Linear, whatever the pattern. */
export function matchesToolPattern(tool: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return tool === first;
  if (!tool.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = tool.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return tool.length - last.length >= at && tool.endsWith(last);
}
