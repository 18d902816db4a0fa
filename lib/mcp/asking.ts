// What a caller can be asked while its call runs (elicitation, sampling), said without any SDK. Who asks whom is the
// programs' business; here is only the form of a question, and what a client says it can answer.
import { isJsonObject } from "./json-rpc.ts";

/** What a client lets itself be asked: to fill in a form, to open a URL, to let its model answer. */
export interface Askable {
  form: boolean;
  url: boolean;
  sampling: boolean;
}

export const notAskable: Askable = { form: false, url: false, sampling: false };

/** A request of MCP to a client, without what belongs to its connection (`_meta`). */
export interface Question {
  method: "elicitation/create" | "sampling/createMessage";
  params: Record<string, unknown>;
  /** How long whoever asks waits, where that is longer than questions mostly are; it is not sent. */
  forMs?: number;
}

/** Resolves to the client's result; rejects when there is none, or the signal aborts. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Record<string, unknown>>;

export interface Asking {
  can: Askable;
  ask: Ask;
  /** Says that what a URL was opened for is done. Absent in the 2026 era, which has no word for it. */
  tellCompleted?: (elicitationId: string) => Promise<void>;
}

/** Reads a client's capabilities. An empty `elicitation` means forms, as before there were URLs. */
export function readAskable(capabilities: unknown): Askable {
  const { elicitation, sampling } = isJsonObject(capabilities) ? capabilities : {};
  const modes = isJsonObject(elicitation) ? elicitation : { form: undefined, url: undefined };
  return {
    form: isJsonObject(elicitation) && (modes["form"] !== undefined || modes["url"] === undefined),
    url: modes["url"] !== undefined,
    sampling: isJsonObject(sampling),
  };
}

/** The capabilities by which a client says the same. */
export function renderAskable({ form, url, sampling }: Askable) {
  const elicitation = { ...(form && { form: {} }), ...(url && { url: {} }) };
  return { ...((form || url) && { elicitation }), ...(sampling && { sampling: {} }) };
}

/** Whether a client with these capabilities may be sent the question. */
export function isAskable({ form, url, sampling }: Askable, { method, params }: Question): boolean {
  if (method === "sampling/createMessage") return sampling;
  return params["mode"] === "url" ? url : form;
}
