// Mistakes in what a table that changes offers to whom: pages, resources, who hears of which change, and what a reader that
// stands still costs.
import type { Mutant } from "./mutant.ts";

const sources: readonly Mutant[] = [
  {
    file: "lib/mcp/list-pages.ts",
    find: "if (at !== -1) return at + 1;",
    replace: "if (at !== -1) return at;",
    breaks: "the last entry of each page is listed twice",
  },
  {
    file: "lib/mcp/resource-calls.ts",
    find: "<= maxUriChars && source.mayRead(uri, context)",
    replace: "<= maxUriChars",
    breaks: "whoever knows a resource's name reads it",
  },
  {
    file: "lib/mcp/resource-calls.ts",
    find: 'era === "2025" ? rpcCodes.resourceNotFound : rpcCodes.invalidParams',
    replace: "rpcCodes.invalidParams",
    breaks: "a client of the 2025 era does not learn that a resource is unknown",
  },
  {
    file: "lib/mcp/dispatch.ts",
    find: 'tool.schemaOf === "stranger" ? ofStrangers : ofOurOwn',
    replace: "ofOurOwn",
    breaks: "a tool server's schema holds up everybody",
  },
];

const hub: readonly Mutant[] = [
  {
    file: "lib/mcp/subscription-hub.ts",
    find: "if (!mayRead(uri, subscriber.requester)) return false;",
    replace: "",
    breaks: "a caller hears of what it may not read",
  },
  {
    file: "lib/mcp/subscription-hub.ts",
    find: "subscriber.count >= maxSubscriptions",
    replace: "subscriber.count > maxSubscriptions",
    breaks: "one subscription more than promised is taken",
  },
  {
    file: "lib/mcp/subscription-hub.ts",
    find: "if (subscriber.has(uri)) return true;",
    replace: "",
    breaks: "who subscribes twice to one resource is refused at half of the limit",
  },
  {
    file: "lib/mcp/subscription-hub.ts",
    find: "heldCharacters -= uri.length + entryCharacters;",
    replace: "",
    breaks: "after some days nobody can subscribe any more",
  },
  {
    file: "lib/mcp/subscription-hub.ts",
    find: "if (subscriber.lists.has(list) && isFor(subscriber.requester))",
    replace: "if (subscriber.lists.has(list))",
    breaks: "everybody hears that one caller's tools changed",
  },
];

const readers: readonly Mutant[] = [
  {
    file: "lib/mcp/subscriber.ts",
    find: "if (!stream.isTaken()) {",
    replace: "if (stream === undefined) {",
    breaks: "a reader that stands still is sent more and more",
  },
  {
    file: "lib/mcp/subscriber.ts",
    find: "Math.max(0, this.#flushedAt + flushIntervalMs - this.#clock.now())",
    replace: "0",
    breaks: "each change of a busy resource is sent by itself",
  },
  {
    file: "lib/mcp/subscriber.ts",
    find: "for (const uri of this.#uris.keys()) this.#owed.add(uri);",
    replace: "",
    breaks: "what changed while a stream was broken is never heard of",
  },
  {
    file: "lib/mcp/subscriber.ts",
    find: "if (isReadable || this.#uris.get(uri) === true) {",
    replace: "if (uri !== undefined) {",
    breaks: "a caller that lost a right still hears of each change",
  },
  {
    file: "lib/mcp/session-subscriptions.ts",
    find: "endStalled: () => body.fail(new StalledReader()),",
    replace: "endStalled: () => undefined,",
    breaks: "a stream of the 2025 era that nobody reads is held for ever",
  },
  {
    file: "lib/mcp/listen-2026.ts",
    find: "sink.error(new StalledReader());",
    replace: "",
    breaks: "a stream of the 2026 era that nobody reads is held for ever",
  },
  {
    file: "lib/process/event-stream.ts",
    find: "if (error instanceof StalledReader) outgoing.destroy();",
    replace: "",
    breaks: "the connection of a reader that stands still stays open",
  },
  {
    file: "lib/mcp/serve-2025.ts",
    find: "session.subscriptions?.restore(uris);",
    replace: "",
    breaks: "after a restart a dashboard shows what was before it",
  },
  {
    file: "lib/mcp/serve-2025.ts",
    find: "kept?.save(id, []);",
    replace: "",
    breaks: "what a deleted session subscribed to is kept",
  },
  {
    file: "lib/mcp/serve-eras.ts",
    find: "      holder.release();\n      return response;\n    }\n    return holder",
    replace: "    }\n    return holder",
    breaks: "streams of changes fill the memory for bodies, and calls are refused",
  },
];

export const subscriptionMutants: readonly Mutant[] = [...sources, ...hub, ...readers];
