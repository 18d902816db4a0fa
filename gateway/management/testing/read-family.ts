// One family of resources without HTTP around it, for tests: what an identity reads of it, as JSON that was sent.
import type { Identity } from "../../../lib/auth/roles.ts";
import type { CallContext } from "../../../lib/mcp/table.ts";
import type { ResourceFamily } from "../resources/family.ts";

/** Undefined where it is not for that identity. */
export async function readFamily(family: ResourceFamily, identity: Identity, key = ""): Promise<unknown> {
  if (!family.mayRead(key, identity)) return undefined;
  const signal = new AbortController().signal;
  const context: CallContext = { era: "2026", requestId: "1", signal, caller: identity, meta: {} };
  return JSON.parse(JSON.stringify(await family.read(key, identity, context)));
}
