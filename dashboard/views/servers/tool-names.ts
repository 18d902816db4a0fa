// Names of the tools of all servers, so that the filter finds a server by what it offers: asked for when somebody first filters, and again
// when there are other tools.
import { useMemo } from "preact/hooks";
import * as z from "zod";
import type { ShownServer } from "../../data/servers.ts";
import { usePage } from "../../page.ts";
import { useAnswer } from "../../parts/use-answer.ts";

const statusSchema = z.looseObject({
  servers: z.array(z.looseObject({ name: z.string(), tools: z.array(z.string()) })),
});

export function useToolNames(
  isNeeded: boolean,
  servers: readonly ShownServer[],
): ReadonlyMap<string, readonly string[]> | undefined {
  const { rest } = usePage();
  const key = servers.map(({ name, tool_count }) => `${name} ${tool_count}`).join("\n");
  const { data } = useAnswer(isNeeded ? key : undefined, (signal) =>
    rest({ path: "/api/status", schema: statusSchema, signal }),
  );
  return useMemo(() => data && new Map(data.servers.map(({ name, tools }) => [name, tools])), [data]);
}
