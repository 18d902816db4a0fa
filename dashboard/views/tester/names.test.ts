import { expect, it } from "vitest";
import type { Offered } from "../../data/tester.ts";
import { filterTried, listTried, readPaneKind, schemaOfTexts } from "./names.ts";

const offered: Offered = {
  server: "bank",
  tools: [
    { name: "pay", title: "Create a transfer", inputSchema: {}, outputSchema: undefined },
    { name: "list", description: "Lists transfers", inputSchema: {}, outputSchema: undefined },
  ],
  resources: [{ name: "rates", uri: "bank://rates" }],
  templates: [{ name: "account", uriTemplate: "bank://accounts/{id}" }],
  prompts: [{ name: "remind", arguments: [] }],
};

it("lists what can be tried, resources by their address", () => {
  expect(listTried(offered, "tools").map(({ name }) => name)).toEqual(["pay", "list"]);
  expect(listTried(offered, "resources").map(({ name }) => name)).toEqual(["bank://rates", "bank://accounts/{id}"]);
  expect(listTried(offered, "prompts").map(({ name }) => name)).toEqual(["remind"]);
});

it("finds by name, title and description, whatever the case", () => {
  const found = (query: string) => filterTried(listTried(offered, "tools"), query).map(({ name }) => name);
  expect(found("PAY")).toEqual(["pay"]);
  expect(found("transfer")).toEqual(["pay", "list"]);
  expect(found(" ")).toEqual(["pay", "list"]);
  expect(found("nothing")).toEqual([]);
});

it("takes an address that names no kind for tools", () => {
  expect([undefined, "x", "prompts", "server"].map(readPaneKind)).toEqual(["tools", "tools", "prompts", "server"]);
});

it("makes a form of texts", () => {
  expect(
    schemaOfTexts([
      { name: "a", required: true },
      { name: "b", description: "d" },
    ]),
  ).toEqual({
    type: "object",
    properties: { a: { type: "string" }, b: { type: "string", description: "d" } },
    required: ["a"],
    additionalProperties: false,
  });
});
