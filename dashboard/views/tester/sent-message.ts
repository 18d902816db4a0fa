// What is sent, in the forms that a person may want to take along: the message of JSON-RPC that reaches the server, and the same request
// as a command line, in which the token is a variable. Pure.
import { jsonObject, jsonString, renderJson, type Json } from "../../parts/schema-form/json-text.ts";
import { testerPath } from "../../data/tester.ts";

/** One request to a server. */
export type Request =
  | { readonly kind: "tools"; readonly name: string; readonly args: Json }
  | { readonly kind: "prompts"; readonly name: string; readonly args: Json }
  | { readonly kind: "resources"; readonly uri: string };

const methods = { tools: "tools/call", prompts: "prompts/get", resources: "resources/read" } as const;
export const methodOf = ({ kind }: Request): string => methods[kind];

const paths = { tools: ["call"], prompts: ["prompt", "get"], resources: ["resource", "read"] } as const;

/** What the gateway is asked. */
export function renderRequest(server: string, request: Request): { path: string; body: string } {
  const path = testerPath(server, ...paths[request.kind]);
  if (request.kind === "resources") return { path, body: renderJson(jsonObject([["uri", jsonString(request.uri)]])) };
  const { kind, name, args } = request;
  const fields = kind === "tools" ? (["tool", "args"] as const) : (["name", "arguments"] as const);
  return {
    path,
    body: renderJson(
      jsonObject([
        [fields[0], jsonString(name)],
        [fields[1], args],
      ]),
    ),
  };
}

/** What the gateway asks of the server; the number stands for those that it counts by itself. */
export function renderMessage(request: Request): string {
  const named = request.kind === "resources" ? jsonObject() : jsonObject([["name", jsonString(request.name)]]);
  const own: Iterable<readonly [string, Json]> =
    request.kind === "resources" ? [["uri", jsonString(request.uri)]] : [["arguments", request.args]];
  const one: Json = { kind: "number", text: "1" };
  const params = jsonObject([
    ...(named.kind === "object" ? named.fields : []),
    ...own,
    ["_meta", jsonObject([["progressToken", one]])],
  ]);
  return renderJson(
    jsonObject([
      ["jsonrpc", jsonString("2.0")],
      ["id", one],
      ["method", jsonString(methodOf(request))],
      ["params", params],
    ]),
    2,
  );
}

/** For a shell as POSIX has it: nothing in single quotes means anything, and a quote is written outside of them. */
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

export function renderCurl(origin: string, server: string, request: Request): string {
  const { path, body } = renderRequest(server, request);
  return [
    `curl --fail-with-body ${quote(`${origin}${path}`)}`,
    '  -H "Authorization: Bearer $PALLAS_TOKEN"',
    "  -H 'Content-Type: application/json'",
    `  --data-raw ${quote(body)}`,
  ].join(" \\\n");
}
