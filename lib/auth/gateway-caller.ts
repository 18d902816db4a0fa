// For whom a gateway sends a request on to an agent (MGM-1): a hash of who it is, so that sessions and conversations of one
// person are nobody else's, also after a restart of either. It proves nothing, and opens nothing that is closed to those who
// reach the agent by themselves: what it protects is found by ids that only their owners know. What rules go by is another
// thing: the name and role that the gateway knows, which are believed with a token of the gateway's own beside them.
import { createHash } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import type { Caller, NamedCaller } from "../mcp/caller.ts";
import type { McpVariables } from "../mcp/serve.ts";
import { roles, type Identity, type Role } from "./roles.ts";

export const callerHeader = "pallas-caller";
/** As a URI component, since names may have any characters. */
const callerNameHeader = "pallas-caller-name";
const callerRoleHeader = "pallas-caller-role";
/** The gateway's own token for its agents. */
const callerProofHeader = "pallas-caller-proof";

/** Of the header; a longer name is not sent, and its owner is nobody to the agent's policy. */
export const maxNameHeaderChars = 2_048;

export const renderCaller = (subject: string): string => createHash("sha256").update(subject).digest("hex");

const renderSubject = (hash: string): string => `gateway ${hash}`;

/** Who a caller of a gateway is to an agent that asks for no token. */
export const renderGatewaySubject = (subject: string): string => renderSubject(renderCaller(subject));

/** Whom a gateway vouches for. */
export type Vouched = Pick<Identity, "name"> & { role?: Role | undefined };

/** What a gateway says of a caller to an agent, with the token by which that is believed. */
export function renderVouched({ name, role }: Vouched, proof: string): Record<string, string> {
  if (!name.isWellFormed()) return {};
  const spelled = encodeURIComponent(name);
  if (spelled.length > maxNameHeaderChars) return {};
  return {
    [callerNameHeader]: spelled,
    ...(role !== undefined && { [callerRoleHeader]: role }),
    [callerProofHeader]: proof,
  };
}

/** A caller whose name is proven, with the role that its gateway gave it. */
export interface ProvenCaller extends NamedCaller {
  readonly name: string;
  readonly role?: Role;
}

/** The proven name and role of who sends a request; undefined where nobody has proven any. */
export function findProven(caller: Caller): Pick<ProvenCaller, "name" | "role"> | undefined {
  return caller !== "anyone" && isProven(caller) ? caller : undefined;
}

const isProven = (caller: NamedCaller): caller is ProvenCaller =>
  "name" in caller && typeof caller.name === "string" && caller.name !== "";

/** Names the caller of requests that come through a gateway; others stay without a name. */
export const nameGatewayCaller: MiddlewareHandler<McpVariables> = async (context, next) => {
  const said = context.req.header(callerHeader);
  if (said !== undefined && /^[0-9a-f]{64}$/.test(said)) context.set("caller", { subject: renderSubject(said) });
  await next();
};

/** Adds the name and role that a gateway says, where `isGateways` knows the token beside them as its own. Mount it where callers are named. */
export const proveGatewayCaller =
  (isGateways: (token: string) => Promise<boolean>): MiddlewareHandler<McpVariables> =>
  async (context, next) => {
    const caller = context.get("caller");
    const name = readName(context.req.header(callerNameHeader));
    const proof = context.req.header(callerProofHeader);
    if (caller !== undefined && name !== undefined && proof !== undefined && (await isGateways(proof))) {
      const role = roles.find((each) => each === context.req.header(callerRoleHeader));
      const proven: ProvenCaller = { subject: caller.subject, name, ...(role !== undefined && { role }) };
      context.set("caller", proven);
    }
    await next();
  };

function readName(said: string | undefined): string | undefined {
  if (said === undefined || said === "" || said.length > maxNameHeaderChars) return undefined;
  try {
    return decodeURIComponent(said);
  } catch {
    return undefined; // No URI component.
  }
}
