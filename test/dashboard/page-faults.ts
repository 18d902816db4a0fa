// Faults between a page and its gateway, made in the browser: an answer that does not come, one that is an error, and a connection that
// is cut, with everything that is open on it.
import type { Page } from "playwright-core";

export interface AnswerFault {
  /** How many requests it met so far. */
  met(): number;
  /** From now on everything is answered, also what waits. */
  end(): Promise<void>;
}

const maxWaiting = 64;

/** A subscription names resources as well, and is not meant. */
const isRead = (body: string): boolean => !body.includes("subscriptions/listen");

/** Meets the requests whose address and body have `text`. */
export async function breakAnswers(page: Page, text: string, kind: "held" | "failed"): Promise<AnswerFault> {
  let isOver = false;
  let met = 0;
  const waiting: (() => Promise<void>)[] = [];
  await page.route(
    (url) => url.pathname.startsWith("/mcp") || url.pathname.startsWith("/api/"),
    async (route) => {
      const request = route.request();
      const body = request.postData() ?? "";
      const isMeant = isRead(body) && `${request.url()} ${body}`.includes(text);
      if (isOver || !isMeant || waiting.length >= maxWaiting) return await route.fallback();
      met += 1;
      if (kind === "failed") return await route.fulfill({ status: 503, body: "{}" });
      waiting.push(() => route.fallback().catch(() => undefined));
      return undefined;
    },
  );
  return {
    met: () => met,
    async end() {
      isOver = true;
      await Promise.all(waiting.splice(0).map((go) => go()));
    },
  };
}

/** For `cut`; runs before anything of the page. */
export const cuttable = `{
  const real = globalThis.fetch;
  const open = new Set();
  let isCut = false;
  globalThis.fetch = (input, init = {}) => {
    if (isCut) return Promise.reject(new TypeError("cut"));
    const own = new AbortController();
    open.add(own);
    const given = init.signal ?? (input instanceof Request ? input.signal : undefined);
    const signal = given ? AbortSignal.any([given, own.signal]) : own.signal;
    return real(input, { ...init, signal });
  };
  globalThis.__cut = (value) => {
    isCut = value;
    if (!value) return;
    for (const each of open) each.abort(new TypeError("cut"));
    open.clear();
  };
}`;

/** Cuts the connection, or lets the page have it again. */
export const cut = (page: Page, value: boolean): Promise<unknown> => page.evaluate(`globalThis.__cut(${value})`);
