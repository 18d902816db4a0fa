// The one way out of the page: `fetch` to the gateway that the page came from, with the person's token, which is given to nobody
// else. It learns the time of day from each answer, and says when the token no longer holds.
import type { ReadonlySignal } from "@preact/signals";
import type { PageTime } from "../time.ts";

export interface Credentials {
  /** Undefined while nobody is signed in. */
  readonly token: ReadonlySignal<string | undefined>;
  /** The gateway answered 401 to this token. */
  onRefused(token: string): void;
}

export type GatewayFetch = (target: string | URL, init?: RequestInit) => Promise<Response>;

/** @param origin of the gateway; a request to any other is refused before it is made */
export function createGatewayFetch(origin: string, credentials: Credentials, time: PageTime): GatewayFetch {
  return async function gatewayFetch(target, init = {}) {
    const url = new URL(target, origin);
    if (url.origin !== origin) throw new TypeError(`expected a URL of ${origin}, found one of ${url.origin}`);
    const headers = new Headers(init.headers);
    const token = credentials.token.peek();
    if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
    const response = await fetch(url, {
      ...init,
      headers,
      credentials: "omit",
      redirect: "error",
      cache: "no-store",
      referrerPolicy: "no-referrer",
    });
    time.learn(response.headers.get("date"));
    if (response.status === 401 && token !== undefined) credentials.onRefused(token);
    return response;
  };
}
