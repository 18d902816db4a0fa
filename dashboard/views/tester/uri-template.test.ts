import { describe, expect, it } from "vitest";
import { expandTemplate, listVariables } from "./uri-template.ts";

const values = new Map([
  ["var", "value"],
  ["hello", "Hello World!"],
  ["path", "/foo/bar"],
  ["x", "1024"],
  ["y", "768"],
  ["empty", ""],
]);

describe("a template of addresses", () => {
  it.each([
    ["{var}", "value"],
    ["{hello}", "Hello%20World%21"],
    ["{+path}/here", "/foo/bar/here"],
    ["{+hello}", "Hello%20World!"],
    ["X{#var}", "X#value"],
    ["map?{x,y}", "map?1024,768"],
    ["{/var,x}/here", "/value/1024/here"],
    ["X{.x,y}", "X.1024.768"],
    ["{;x,y,empty}", ";x=1024;y=768;empty"],
    ["{?x,y,empty}", "?x=1024&y=768&empty="],
    ["?fixed=yes{&x}", "?fixed=yes&x=1024"],
    ["{var:3}", "val"],
    ["{?missing,x}", "?x=1024"],
    ["{missing}", ""],
    ["{not a name}", "{not a name}"],
    ["{}", "{}"],
    ["{{x}}", "{1024}"],
  ])("%s becomes %s", (template, expanded) => {
    expect(expandTemplate(template, values)).toBe(expanded);
  });

  it("has its variables in their order, each once", () => {
    expect(listVariables("a://{host}{/path*}{?q,host}{bad name}")).toEqual(["host", "path", "q"]);
    expect(listVariables("a://fixed")).toEqual([]);
  });

  it("takes values with half a character", () => {
    expect(expandTemplate("{a}", new Map([["a", "\ud800"]]))).toBe("%EF%BF%BD");
  });
});
