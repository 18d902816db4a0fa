// Who sends a request. It is never left out: where a conversation is looked up, a forgotten caller must not mean everybody's.
// "anyone" is said on purpose, by an endpoint that does not authenticate.

/** The same subject is the same caller, whichever token it came with. Handlers get the object that the middleware set. */
export interface NamedCaller {
  readonly subject: string;
}

export type Caller = NamedCaller | "anyone";

/** The caller in the only form that both SDKs hand on to handlers. The token stays in the request's own header. */
export function renderAuthInfo(caller: Caller) {
  return { token: "", clientId: caller === "anyone" ? "" : caller.subject, scopes: [], extra: { caller } };
}

/** What `renderAuthInfo` made, as a handler gets it. Throws when there is none: such a request came around the endpoint. */
export function parseAuthInfo(authInfo: { extra?: Record<string, unknown> | undefined } | undefined): Caller {
  const caller = authInfo?.extra?.["caller"];
  if (caller === "anyone") return caller;
  if (isNamed(caller)) return caller;
  throw new Error("expected the caller of a request from the endpoint, found none");
}

function isNamed(value: unknown): value is NamedCaller {
  const subject: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "subject") : undefined;
  return typeof subject === "string" && subject !== "";
}
