import { expect, test } from "vitest";
import { completeTyped, parseTyped } from "./slash-commands.ts";

test("CLI-4 a line that begins with a slash is a command, and a misspelt one is named with the nearest", () => {
  expect(parseTyped(" hello /image ")).toEqual({ kind: "message", text: "hello /image" });
  expect(parseTyped("/image  a b.png ")).toEqual({ kind: "command", name: "/image", argument: "a b.png" });
  expect(parseTyped("/new")).toEqual({ kind: "command", name: "/new", argument: "" });
  expect(parseTyped("/iamge x")).toEqual({
    kind: "unknown",
    message: 'there is no command /iamge (did you mean "/image"?); a message may begin with it after a space',
  });
  expect(parseTyped(" /etc/hosts is a file")).toEqual({ kind: "message", text: "/etc/hosts is a file" });
  expect(parseTyped("/toString")).toMatchObject({ kind: "unknown" });
});

test("CLI-4 the tabulator completes commands, and nothing else", () => {
  expect(completeTyped("/h")).toEqual([["/history", "/help"], "/h"]);
  expect(completeTyped("/im")).toEqual([["/image "], "/im"]);
  expect(completeTyped("")).toEqual([[], ""]);
  expect(completeTyped("hel")).toEqual([[], "hel"]);
});
