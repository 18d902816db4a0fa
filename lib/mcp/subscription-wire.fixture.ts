// Subscriptions as they are on the wire of both eras, sent by hand, for tests of limits and of readers that stand still.
import type { ServedTable } from "./changing-table.fixture.ts";
import { bothTypes, initializeMessage, readMessages } from "./raw-client.fixture.ts";

export type Headers = Record<string, string>;

export const send = (served: ServedTable, message: unknown, headers: Headers = {}) =>
  served.request({ method: "POST", headers: { ...bothTypes, ...headers }, body: JSON.stringify(message) });

export async function openIn(served: ServedTable, headers: Headers = {}): Promise<Headers> {
  const response = await send(served, initializeMessage, headers);
  await response.text();
  return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "none", ...headers };
}

export const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: 7, method, params });

export async function subscribe(served: ServedTable, session: Headers, uri: string) {
  return (await readMessages(await send(served, rpc("resources/subscribe", { uri }), session)))[0];
}

export function listenRequest(filter: unknown) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const message = rpc("subscriptions/listen", { notifications: filter, _meta });
  return { message, headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" } };
}

export const listen = (served: ServedTable, filter: unknown, headers: Headers = {}) => {
  const request = listenRequest(filter);
  return send(served, request.message, { ...request.headers, ...headers });
};

/** Reads a stream's messages as they come. */
export function readStream(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const heard: Record<string, unknown>[] = [];
  const done = (async () => {
    for (let rest = ""; ;) {
      const { done: isDone, value } = (await reader?.read()) ?? { done: true };
      if (isDone || value === undefined) return;
      const events = (rest + value).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        const data = event.split("\n").find((line) => line.startsWith("data: "));
        if (data !== undefined) heard.push(JSON.parse(data.slice(6)));
      }
    }
  })();
  done.catch(() => undefined);
  const urisOf = () => heard.flatMap(({ params }) => Reflect.get(Object(params), "uri") ?? []);
  return { heard, done, uris: urisOf, cancel: () => reader?.cancel() };
}

export const getStream = (served: ServedTable, session: Headers) =>
  served.request({ headers: { accept: "text/event-stream", ...session } });
