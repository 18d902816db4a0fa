// Who the gateway takes the person for, as `resource://caller` says, and what that role may do. The page offers nothing that the
// gateway would refuse; what it refuses all the same is shown as it says it.
import * as z from "zod";
import { jsonResource } from "../connect/resources.ts";

export const roles = ["viewer", "caller", "approver", "operator", "admin"] as const;
export type Role = (typeof roles)[number];

export const callerSchema = z.object({
  subject: z.string(),
  /** As decisions have it. */
  name: z.string().optional(),
  role: z.enum(roles),
  agents: z.array(z.string()).default(["*"]),
  servers: z.array(z.string()).default(["*"]),
  instance: z.string(),
  namespace: z.string(),
  version: z.string(),
  management: z.enum(["approve", "readWrite"]),
});
export type Caller = z.output<typeof callerSchema>;

export const callerUri = "resource://caller";
export const callerResource = jsonResource(callerSchema);

/** Each role may do what those before it may. */
export const hasRole = (caller: Pick<Caller, "role"> | undefined, needed: Role): boolean =>
  caller !== undefined && roles.indexOf(caller.role) >= roles.indexOf(needed);
