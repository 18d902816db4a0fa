// For whom a run works: who called the agent, as far as that is proven, and through whom the call came, which other agents say
// and nothing proves. The first is what policies go by; the second only what people are shown.
import * as z from "zod";
import { chainMetaKey } from "../../crds/names.ts";
import { findProven } from "../../lib/auth/gateway-caller.ts";
import type { Caller } from "../../lib/mcp/caller.ts";
import { defined } from "../../lib/process/defined.ts";
import { anonymous, type ChainLink, type RunCaller } from "../policy/types.ts";
import { shownLine } from "../../lib/process/shown-text.ts";

/** With the agent's own. */
export const maxChainLinks = 16;
const maxLinkChars = 256;

const text = z.string().transform((value) => shownLine(value, maxLinkChars));
const link = z
  .object({ agent: text.exactOptional(), caller: text.exactOptional(), step: text.exactOptional() })
  .transform(({ agent, caller, step }): ChainLink => dropEmpty({ agent, caller, step }));

/** As people are shown who called; undefined where nobody has proven it. */
export const findShownCaller = (caller: Caller): string | undefined => {
  const proven = findProven(caller);
  return proven && shownLine(proven.name, maxLinkChars);
};

/** `agent`: its own name. Of what came the one that began it and the latest are kept. */
export function readCalledBy(caller: Caller, meta: Readonly<Record<string, unknown>>, agent: string): RunCaller {
  const proven = findProven(caller);
  const said = defined({ caller: findShownCaller(caller) });
  return {
    caller: proven?.name ?? anonymous.caller,
    role: proven?.role ?? anonymous.role,
    chain: [...readChain(meta[chainMetaKey]), { agent, ...said }],
  };
}

/** What a sub-agent is told of the run that calls it. */
export function renderChainMeta({ chain }: Pick<RunCaller, "chain">, step: string): Record<string, unknown> {
  return { [chainMetaKey]: [...chain.slice(0, -1), ...chain.slice(-1).map((own) => ({ ...own, step }))] };
}

function readChain(value: unknown): ChainLink[] {
  if (!Array.isArray(value)) return [];
  const kept = value.length < maxChainLinks ? value : [value[0], ...value.slice(2 - maxChainLinks)];
  return kept.flatMap((each) => {
    const { success, data } = link.safeParse(each);
    return success && Object.keys(data).length > 0 ? [data] : [];
  });
}

const dropEmpty = (link: { [name in keyof ChainLink]: string | undefined }): ChainLink =>
  defined(Object.fromEntries(Object.entries(link).filter(([, value]) => value !== "")));
