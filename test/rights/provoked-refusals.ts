// The tests that take rights away on purpose, with the reason. Nobody else may meet a refusal, and each of these
// must, unless it says otherwise.
import type { ProvokedRefusal } from "./comparison.ts";

export const provokedRefusals: readonly ProvokedRefusal[] = [
  { namespacePrefix: "fault-16-", reason: "the operator starts before it has any right, and must wait for them" },
  { namespacePrefix: "fault-21-", reason: "the operator's token is revoked before it gets a new one" },
  { namespacePrefix: "late-", reason: "its operator may not read another namespace that it was given" },
  {
    namespacePrefix: "outage-",
    reason: "an API server that comes back refuses until it has read its roles",
    isCertain: false,
  },
  {
    namespacePrefix: "fault-36-",
    reason: "the namespace ends under the operator, whose Role may go before it has heard of it",
    isCertain: false,
  },
];

/** Namespaces of operators that a test stops before the server hears of them. */
export const unheardPrefixes: readonly string[] = ["fault-13-"];
