// What a test API server notes of the calls it gets: those of ServiceAccounts, since everybody else is the test's own
// hand, and those that were refused before anybody knew who called. No bodies, and in the background, so it costs little.

import { join } from "node:path";

/** Where the servers of a test run keep their notes beyond their end; made anew by global-setup.ts. */
export const auditDir = join(import.meta.dirname, "../.artefacts/audit");
export const auditLogEnding = ".log";

/** The first rule that fits decides. A call whose token nobody knows has neither user nor groups. JSON, which is YAML too. */
export const renderAuditPolicy = (): string =>
  JSON.stringify({
    apiVersion: "audit.k8s.io/v1",
    kind: "Policy",
    omitStages: ["RequestReceived"],
    omitManagedFields: true,
    rules: [
      { level: "Metadata", userGroups: ["system:serviceaccounts"] },
      { level: "None", userGroups: ["system:authenticated", "system:unauthenticated"] },
      { level: "Metadata" },
    ],
  });

export const renderAuditArguments = (policyPath: string, logPath: string): string[] => [
  `--audit-policy-file=${policyPath}`,
  `--audit-log-path=${logPath}`,
  "--audit-log-mode=batch", // one line a batch, written at once: nobody waits for it, and a crash loses next to nothing
  "--audit-log-maxsize=1000", // MiB; never reached, so that one file holds all
];
