// What a tool server wrote to standard error of late (DSC-6), as the bridge before it keeps it: read when somebody asks, of each of its
// processes. The bridge has taken secrets and control characters out.
import { fetchText } from "../../lib/outgoing/fetch-limited.ts";
import type { GatewayState } from "../state/state.ts";
import type { ServerEntry } from "./entry.ts";

const timeoutMs = 5_000;
/** 200 lines of 1,000 characters, of four bytes each. */
const maxBytes = 1024 * 1024;
/** There is one; two while one takes the other's place. */
const maxProcesses = 4;

/** elsewhere: it runs where this program starts nothing. none: it has no process now. unanswered: none of them answered. */
export type ErrorLog =
  | { readonly kind: "lines"; readonly lines: readonly string[] }
  | { readonly kind: "elsewhere" | "none" }
  | { readonly kind: "unanswered"; readonly cause: unknown };

export type ReadErrorLog = (server: Pick<ServerEntry, "known">, signal: AbortSignal) => Promise<ErrorLog>;

export const createErrorLogReader =
  (state: Pick<GatewayState, "listServerAdminUrls">): ReadErrorLog =>
  async ({ known: { resource } }, signal) => {
    if (resource === undefined || resource.spec.remote !== undefined) return { kind: "elsewhere" };
    const urls = state.listServerAdminUrls(resource.metadata.name).slice(0, maxProcesses);
    if (urls.length === 0) return { kind: "none" };
    const request = {
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      accept: "text/plain",
      maxBytes,
    };
    const settled = await Promise.allSettled(urls.map((url) => fetchText(`${url}/stderr`, request)));
    const texts = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    if (texts.length === 0) {
      return { kind: "unanswered", cause: settled.find((each) => each.status === "rejected")?.reason };
    }
    return { kind: "lines", lines: texts.flatMap((text) => text.split("\n").filter((line) => line !== "")) };
  };
