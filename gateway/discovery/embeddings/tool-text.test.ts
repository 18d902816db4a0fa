// The text of a tool stays within what models take, whatever a server sends.
import { expect, test } from "vitest";
import { cutBytes, maxTextBytes, renderToolText } from "./tool-text.ts";

test("names, what it does, where it is from and its parameters", () => {
  const server = { name: "files", description: "A disk" };
  const parameters = [{ name: "path", description: "where it is" }, { name: "mode" }];
  expect(renderToolText(server, { name: "read", description: "Reads\n  a file", category: "io", parameters })).toBe(
    "read: Reads a file\nfiles, io, A disk\npath, mode",
  );
  expect(renderToolText({ name: "s" }, { name: "t", parameters: [] })).toBe("t: \ns");
});

test.each(["x", "é", "漢", "🦊", "\ud800", " "])("of %j is cut at so many bytes, in whole characters", (letter) => {
  const long = letter.repeat(1_000_000);
  const parameters = Array.from({ length: 1_000 }, () => ({ name: long, description: long }));
  const text = renderToolText({ name: long, description: long }, { name: long, description: long, parameters });
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxTextBytes);
  expect(text.isWellFormed()).toBe(true);
});

test("a text is cut where it has one byte more", () => {
  expect(cutBytes("abc", 3)).toBe("abc");
  expect(cutBytes("abcd", 3)).toBe("abc");
  expect(cutBytes("ab漢", 5)).toBe("ab漢");
  expect(cutBytes("ab漢", 4)).toBe("ab");
  expect(cutBytes("a🦊", 4)).toBe("a");
});
