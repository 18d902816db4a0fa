// JSON-RPC with the host of MCP Apps that shows this page, by messages between windows (SEP-1865). It hears its own host alone; what it asks
// has a deadline, and what the host asks is answered.
import * as z from "zod";
import { Problem } from "../connect/problem.ts";
import type { PageTime } from "../time.ts";
import { appWords as words } from "../words/app.ts";

export interface HostLink {
  /** Rejects with a Problem. */
  ask(method: string, params: Readonly<Record<string, unknown>>, timeoutMs: number): Promise<unknown>;
  tell(method: string, params: Readonly<Record<string, unknown>>): void;
  close(): void;
}

export interface HostLinkParts {
  /** This window and the one that shows it. */
  own: Pick<Window, "addEventListener" | "removeEventListener">;
  host: Pick<Window, "postMessage">;
  time: Pick<PageTime, "after">;
  /** What the host says unasked. */
  onTold(method: string, params: unknown): void;
  /** What the host asks; undefined: there is no such method. */
  onAsked(method: string): Readonly<Record<string, unknown>> | undefined;
}

const id = z.union([z.string(), z.number()]);
const messageSchema = z.object({
  jsonrpc: z.literal("2.0"),
  id: id.optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ message: z.string(), data: z.unknown().optional() }).optional(),
});

/** More are a fault of ours. */
const maxOpen = 64;
const noSuchMethod = -32_601;

interface Open {
  resolve(result: unknown): void;
  reject(problem: Problem): void;
}

export function openHostLink({ own, host, time, onTold, onAsked }: HostLinkParts): HostLink {
  const open = new Map<string | number, Open>();
  let lastId = 0;
  // Who the host is, its page does not say: messages go to the very window that shows this one, and none of them is a secret to it.
  const post = (message: Readonly<Record<string, unknown>>) => host.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const answer = (asked: string | number, method: string) => {
    const result = onAsked(method);
    if (result !== undefined) post({ id: asked, result });
    else post({ id: asked, error: { code: noSuchMethod, message: `${method}: there is no such method here` } });
  };
  const hear = (event: MessageEvent<unknown>) => {
    if (event.source !== host) return;
    const parsed = messageSchema.safeParse(event.data);
    if (!parsed.success) return;
    const { id: about, method, params, result, error } = parsed.data;
    if (method !== undefined) {
      if (about === undefined) onTold(method, params);
      else answer(about, method);
      return;
    }
    const asked = about === undefined ? undefined : open.get(about);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Problem("refused", error.message, { data: error.data }));
  };
  own.addEventListener("message", hear);
  return {
    ask(method, params, timeoutMs) {
      if (open.size >= maxOpen) return Promise.reject(new Problem("refused", words.tooMany));
      lastId += 1;
      const asked = lastId;
      return new Promise((resolve, reject) => {
        const cancel = time.after(timeoutMs, () => settle.reject(new Problem("timeout", words.hostTimeout)));
        const done = () => {
          cancel();
          open.delete(asked);
        };
        const settle: Open = {
          resolve(result) {
            done();
            resolve(result);
          },
          reject(problem) {
            done();
            reject(problem);
          },
        };
        open.set(asked, settle);
        post({ id: asked, method, params });
      });
    },
    tell: (method, params) => post({ method, params }),
    close() {
      own.removeEventListener("message", hear);
      for (const each of open.values()) each.reject(new Problem("cancelled", words.hostClosed));
    },
  };
}
