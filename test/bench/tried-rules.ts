// Twenty rules of which a call is tried on each, 18 of them down to its arguments, until the last allows it; and arguments of a kilobyte.

const fields = Array.from({ length: 20 }, (_, at) => [`field-${at}`, `a value of some length, number ${at}`] as const);

/** What the rules look at. */
export const triedArguments = { meta: Object.fromEntries(fields) };

/** @param server that is called. @param tool of it that is called; both are matched by a glob */
export function renderTriedRules(server: string, tool: string): object[] {
  const [servers, tools] = [[`${server.slice(0, 1)}*`], [`${tool.slice(0, 1)}*${tool.slice(-1)}`]];
  const tried = Array.from({ length: 18 }, (_, at) => ({
    name: `rule-${at}`,
    match: { servers, tools, args: [{ path: `/meta/field-${at}`, glob: "*nothing like it*" }] },
    action: "denyAbort",
  }));
  return [
    ...tried,
    { name: "destructive", match: { servers: ["elsewhere"], hints: { destructive: true } }, action: "ask" },
    { name: "rest", action: "allow", limit: { perDay: 1_000_000 } },
  ];
}
