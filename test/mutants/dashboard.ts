// Mistakes around the dashboard: pages of others that are let in, a page that may do more than it needs, files that are old, and
// sign-ins that belong to somebody else.
import type { Mutant } from "./mutant.ts";

const served: readonly Mutant[] = [
  {
    file: "lib/process/http-guard.ts",
    find: "(options.hasPages === true && origin.toLowerCase() === requestOrigin(c))",
    replace: "options.hasPages === true",
    breaks: "any page of a browser may call the gateway",
  },
  {
    file: "lib/process/http-guard.ts",
    find: "options.hasPages === true && ",
    replace: "",
    breaks: "agents let in pages that they do not have",
  },
  {
    file: "lib/process/request-origin.ts",
    find: 'scheme === "https" ? "https" : "http"',
    replace: '"http"',
    breaks: "behind TLS the gateway does not let its own page in",
  },
  {
    file: "gateway/ui/routes.ts",
    find: "serve(c, dashboard.page, revalidated)",
    replace: "serve(c, dashboard.page, forEver)",
    breaks: "after a release browsers show the page of the one before",
  },
  {
    file: "gateway/ui/routes.ts",
    find: '`"${hash}-${encoding}"`',
    replace: '`"${hash}"`',
    breaks: "plain and compressed bytes have one strong ETag",
  },
  {
    file: "gateway/ui/routes.ts",
    find: "config.ui?.oidc === undefined ? undefined : config.jwt?.issuer",
    replace: "config.jwt?.issuer",
    breaks: "the page may ask an issuer that nobody signs in with there",
  },
  {
    file: "gateway/ui/blocked-reports.ts",
    find: "receivedBytes > maxReportBytes",
    replace: "receivedBytes >= maxReportBytes",
    breaks: "a report of exactly the limit is refused",
  },
  {
    file: "gateway/ui/blocked-reports.ts",
    find: "if (clock.now() < quietUntilMs) return",
    replace: "if (clock.now() < 0) return",
    breaks: "anybody fills the gateway's log",
  },
  {
    file: "gateway/ui/dashboard-files.ts",
    find: 'path.startsWith("assets/") ? toFile(path, found) : undefined',
    replace: "toFile(path, found)",
    breaks: "files that are no assets are served",
  },
  {
    file: "cli/up/text-report.ts",
    find: 'terminal.out.isTerminal ? `#token=${token}` : ""',
    replace: "`#token=${token}`",
    breaks: "the token of a run is in files that its output goes into",
  },
];

const signIn: readonly Mutant[] = [
  {
    file: "dashboard/sign-in/oidc.ts",
    find: 'answer.get("state") !== pending.state || ',
    replace: "",
    breaks: "somebody else's answer signs a person in as them",
  },
  {
    file: "dashboard/sign-in/oidc.ts",
    find: "  storage.removeItem(storageKey);\n",
    replace: "",
    breaks: "one answer of an issuer counts twice",
  },
  {
    file: "dashboard/sign-in/oidc.ts",
    find: "now() - pending.beganAtMs > maxSignInMs",
    replace: "now() - pending.beganAtMs >= maxSignInMs",
    breaks: "a sign-in that took exactly as long as it may is refused",
  },
  {
    file: "dashboard/sign-in/oidc.ts",
    find: "named === null ? pending.namesItself : named !== issuer",
    replace: "named !== null && named !== issuer",
    breaks: "an answer whose issuer was cut out is believed",
  },
  {
    file: "dashboard/sign-in/tokens.ts",
    find: 'if (claims.nonce !== nonce) return "nonce";',
    replace: "",
    breaks: "a token of another sign-in is taken",
  },
  {
    file: "dashboard/sign-in/tokens.ts",
    find: "!aud.includes(clientId) || ",
    replace: "",
    breaks: "a token that was made out to another client is taken",
  },
  {
    file: "dashboard/sign-in/discovery.ts",
    find: "document.issuer !== issuer",
    replace: "!document.issuer.startsWith(issuer)",
    breaks: "a document of another issuer is believed",
  },
  {
    file: "dashboard/sign-in/discovery.ts",
    find: 'url.protocol === "https:" || ',
    replace: 'url.protocol !== "" || ',
    breaks: "people are sent to an address that anybody on the way can read, or that is a script",
  },
  {
    file: "dashboard/sign-in/ask-issuer.ts",
    find: "receivedBytes > maxAnswerBytes",
    replace: "receivedBytes >= maxAnswerBytes",
    breaks: "an answer of exactly the limit is refused",
  },
];

export const dashboardMutants: readonly Mutant[] = [...served, ...signIn];
