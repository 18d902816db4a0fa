// One plain HTTPS call to the test API server as its administrator. Knows nothing of the project's own Kubernetes
// client, so that tests of that client can look at the server from outside it.

import { readFile } from "node:fs/promises";
import { request } from "node:https";

import type { Kubectl } from "./kubectl.ts";

/** What a test needs to reach an API server. */
export interface ApiAccess {
  /** https://127.0.0.1:port */
  readonly url: string;
  /** A kubeconfig of an administrator (system:masters) with a client certificate. */
  readonly kubeconfigPath: string;
  /** The certificate authority of the server, PEM. */
  readonly caPath: string;
  /** A bearer token of an administrator (system:masters). */
  readonly token: string;
  readonly kubectl: Kubectl;
}

export interface ApiCall {
  readonly path: string;
  readonly method?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** In place of the administrator's; null sends none. */
  readonly token?: string | null;
  readonly timeoutMs?: number;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: string;
}

const maxAnswerBytes = 64 * 1024 * 1024;

/** Sends one request on its own connection. Rejects when there is no answer within `timeoutMs` (default 10 s). */
export async function callApi(access: Pick<ApiAccess, "url" | "caPath" | "token">, call: ApiCall): Promise<ApiAnswer> {
  const ca = await readFile(access.caPath);
  const token = call.token === undefined ? access.token : call.token;
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  // With the length, which Node leaves out of a DELETE.
  const headers = {
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
  };
  const signal = AbortSignal.timeout(call.timeoutMs ?? 10_000);
  return new Promise((resolve, reject) => {
    const method = call.method ?? "GET";
    // agent: false, because a kept connection would be a dead one after a restart of the server.
    const outgoing = request(`${access.url}${call.path}`, { method, headers, ca, signal, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxAnswerBytes) {
          response.destroy(new Error(`expected at most ${maxAnswerBytes} bytes from ${call.path}`));
        } else {
          chunks.push(chunk);
        }
      });
      response.once("error", reject);
      response.once("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}
