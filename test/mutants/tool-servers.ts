// Mistakes in what a gateway does with tool servers: which it knows, what is kept of calls, what is approved, and the limits of its feed.
import type { Mutant } from "./mutant.ts";

export const toolServerMutants: readonly Mutant[] = [
  {
    file: "gateway/servers/pins.ts",
    find: "if (toolsHash !== this.toolsHash) return false;",
    replace: "",
    breaks: "definitions are approved that nobody looked at",
  },
  {
    file: "gateway/servers/pins.ts",
    find: "if (text === this.#adopted) return;",
    replace: "",
    breaks: "an approval is taken back by the status before it",
  },
  {
    file: "gateway/feed/feed.ts",
    find: "clients.size >= maxClients",
    replace: "clients.size > maxClients",
    breaks: "one client more is let in",
  },
  {
    file: "gateway/feed/feed.ts",
    find: " || this.#ws.bufferedAmount > maxWaitingBytes",
    replace: "",
    breaks: "a client that reads nothing fills the memory",
  },
  {
    file: "gateway/servers/call-log.ts",
    find: 'this.#options.arguments === "redacted"',
    replace: "true",
    breaks: "arguments are kept that nobody asked for",
  },
  {
    file: "gateway/state/servers.ts",
    find: "if (left !== right) return left < right ? -1 : 1;",
    replace: "if (left !== right) return left < right ? 1 : -1;",
    breaks: "who claims a name later takes it",
  },
];
