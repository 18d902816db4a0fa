// What the bridge of a tool server says of it at its admin port, for the condition Available (DSC-6). The server's own
// words are anybody's: they are shortened to one line of plain text, and what only counts or tells the time in them makes
// no new verdict, so that nothing is written for it.
import { bridgeHealthSchema, type BridgeHealth } from "../../crds/bridge-config.ts";
import { fetchText } from "../../lib/outgoing/fetch-limited.ts";
import type { Question } from "./poller.ts";

export interface BridgeVerdict {
  /** silent: the bridge serves, and does not answer us. */
  readonly status: BridgeHealth["status"] | "silent";
  /** Why; empty when all is well. */
  readonly message: string;
}

const maxReportBytes = 64 * 1024;
const maxMessageChars = 512;

function plainLine(text: string): string {
  const line = text
    .slice(0, 4 * maxMessageChars)
    .replaceAll(/[\p{C}\s]+/gu, " ")
    .trim();
  return line.length > maxMessageChars ? `${line.slice(0, maxMessageChars - 1)}…` : line;
}

function parseReport(text: string, server: string): BridgeHealth {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new Error(`expected a report of the bridge of "${server}", found no JSON`, { cause });
  }
  const { success, data } = bridgeHealthSchema.safeParse(json);
  if (!success) throw new Error(`expected a report of the bridge of "${server}", found another shape`);
  return data;
}

const render = (verdict: BridgeVerdict | undefined): string =>
  JSON.stringify([verdict?.status, verdict?.message.replaceAll(/\d+/g, "0")]);

export const bridgeQuestion: Question<BridgeVerdict> = {
  async ask(url, server, signal) {
    const text = await fetchText(url, { signal, accept: "application/json", maxBytes: maxReportBytes });
    const { status, message = "" } = parseReport(text, server);
    return { status, message: plainLine(message) };
  },
  judgeSilence: ({ message }) => ({ status: "silent", message: plainLine(message) }),
  isSame: (a, b) => render(a) === render(b),
  // Not the message: it is the server's, and stands on its resource.
  describe: (server, verdict) => ({ server, health: verdict?.status ?? "unknown" }),
};
