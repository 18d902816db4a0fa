// The links to one server, apart for callers that can be asked different things: a server learns what it may ask when it is
// connected to, and must not hear of a form that nobody will fill in. At most eight kinds of callers there are.
import type { Askable } from "./asking.ts";
import type { Lease, LinkPool } from "./link-pool.ts";

export interface AskableLinks {
  lease(bearer: string | undefined, askable: Askable): Lease;
  /** As a pool has it: of one of them. */
  observeProblem: LinkPool["observeProblem"];
  /** Closes all links. */
  close(): Promise<void>;
}

/** Opens a pool for a kind of callers when the first of them comes. */
export function createAskableLinks(open: (askable: Askable) => LinkPool): AskableLinks {
  const pools = new Map<string, LinkPool>();
  return {
    lease(bearer, { form, url, sampling }) {
      const key = `${form} ${url} ${sampling}`;
      const pool = pools.get(key) ?? open({ form, url, sampling });
      pools.set(key, pool);
      return pool.lease(bearer);
    },
    async observeProblem() {
      const problems = await Promise.all([...pools.values()].map((pool) => pool.observeProblem()));
      return problems.find((problem) => problem !== undefined);
    },
    close: async () => void (await Promise.all([...pools.values()].map((pool) => pool.close()))),
  };
}
