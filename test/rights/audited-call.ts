// One call in the log of a test API server: who asked for what in RBAC's words, and what came of it.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { auditLogEnding } from "../cluster/audit.ts";

export interface AuditedCall {
  /** `namespace/name` of the ServiceAccount, "" where the server did not learn who called. */
  readonly account: string;
  readonly userAgent: string;
  /** `group/resource verb`, undefined where the path names no resource. */
  readonly right: string | undefined;
  readonly namespace: string | undefined;
  readonly uri: string;
  /** 0 while there is none. */
  readonly status: number;
  /** For lack of rights or of a valid token. */
  readonly isRefused: boolean;
}

const eventSchema = z.object({
  verb: z.string(),
  requestURI: z.string(),
  userAgent: z.string().default(""),
  user: z.object({ username: z.string().default("") }).default({ username: "" }),
  objectRef: z
    .object({
      apiGroup: z.string().default(""),
      resource: z.string().default(""),
      subresource: z.string().optional(),
      namespace: z.string().optional(),
    })
    .optional(),
  responseStatus: z.object({ code: z.number().default(0), message: z.string().default("") }).optional(),
});

const accountPrefix = "system:serviceaccount:";

/** Neither the end of a namespace nor a quota is a lack of rights: nobody may make anything more there. */
const isFull = (message: string): boolean => /because it is being terminated|exceeded quota/.test(message);

export function parseAuditEvent(line: string): AuditedCall {
  const { verb, requestURI: uri, userAgent, user, objectRef: of, responseStatus } = eventSchema.parse(JSON.parse(line));
  const { code: status = 0, message = "" } = responseStatus ?? {};
  const isAccount = user.username.startsWith(accountPrefix);
  const resource = of && [of.resource, ...(of.subresource === undefined ? [] : [of.subresource])].join("/");
  return {
    account: isAccount ? user.username.slice(accountPrefix.length).replace(":", "/") : "",
    userAgent,
    right: of && `${of.apiGroup}/${resource} ${verb}`,
    namespace: of?.namespace,
    uri,
    status,
    isRefused: status === 401 || (status === 403 && !isFull(message)),
  };
}

/** A line that is still being written is left out. */
export async function readAuditLog(path: string): Promise<AuditedCall[]> {
  const lines = (await readFile(path, "utf8")).split("\n").slice(0, -1);
  return lines.map(parseAuditEvent);
}

/** What all servers of a test run noted. */
export async function readAuditLogs(dir: string): Promise<AuditedCall[]> {
  const names = (await readdir(dir)).filter((name) => name.endsWith(auditLogEnding));
  return (await Promise.all(names.map((name) => readAuditLog(join(dir, name))))).flat();
}
