// Whether a call of the compositor may go out: the one place where it is asked, before anything is sent to a server. Today
// every call may, that the agent's own lists of allowed and denied tools let through.

/** What is about to be asked of a server. */
export interface OutgoingCall {
  server: string;
  operation: "tools/call" | "resources/read" | "resources/subscribe";
  /** Of a tool its name on the server, else a URI. */
  name: string;
  args?: Readonly<Record<string, unknown>>;
}

/** Rejects with the JsonRpcError that the caller gets. */
export type Authorize = (call: OutgoingCall) => Promise<void>;

export const allowAll: Authorize = async () => undefined;
