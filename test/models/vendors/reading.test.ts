import { describe, expect, test } from "vitest";
import { decodeBase64, readDataUrl, readPicture } from "./images.ts";
import { png } from "./testing/pictures.ts";
import { countInputTokens, findLoneSurrogate } from "./text.ts";

const jpeg = Buffer.from("ffd8ffe000040000ffc00011080010002003", "hex");
const lossy = Buffer.concat([
  Buffer.from("RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a", "latin1"),
  Buffer.from("40012c01", "hex"),
]);
const lossless = Buffer.concat([
  Buffer.from("RIFF\0\0\0\0WEBPVP8L\0\0\0\0/", "latin1"),
  Buffer.from("ffc0040000000000000000", "hex"),
]);
const extended = Buffer.concat([
  Buffer.from("RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0", "latin1"),
  Buffer.from("3f01002b0100", "hex"),
]);

describe("a picture is what its first bytes say", () => {
  test.each([
    ["png", Buffer.from(png(8001, 3), "base64"), { mediaType: "image/png", width: 8001, height: 3 }],
    ["gif", Buffer.from("47494638396140012c01", "hex"), { mediaType: "image/gif", width: 320, height: 300 }],
    ["jpeg, behind other segments", jpeg, { mediaType: "image/jpeg", width: 32, height: 16 }],
    ["webp, lossy", lossy, { mediaType: "image/webp", width: 320, height: 300 }],
    ["webp, lossless", lossless, { mediaType: "image/webp", width: 256, height: 20 }],
    ["webp, extended", extended, { mediaType: "image/webp", width: 320, height: 300 }],
  ])("%s", (_name, bytes, expected) => expect(readPicture(bytes)).toEqual(expected));

  test("and nothing else is one", () => {
    expect(readPicture(Buffer.from("<svg/>"))).toBeUndefined();
    expect(readPicture(Buffer.alloc(0))).toBeUndefined();
    expect(readPicture(Buffer.from("ffd8ffe0ffff", "hex"))).toMatchObject({ width: 0 });
  });

  test("base64 and data URLs are read strictly", () => {
    expect(decodeBase64("aGk=")?.toString()).toBe("hi");
    for (const text of ["", "a", "aGk", "a-_=", "aGk=\n"]) expect(decodeBase64(text)).toBeUndefined();
    expect(readDataUrl("data:image/png;base64,aGk=")).toEqual({ mediaType: "image/png", data: "aGk=" });
    expect(readDataUrl("data:image/png,aGk=")).toBeUndefined();
  });
});

describe("half a surrogate pair", () => {
  test.each([
    ['"\\ud83d\\udc3b"', undefined],
    ['"\\ud83d"', 1],
    ['"a\\uDC3b"', 2],
    ['"\\ud83d\\ud83d\\udc3b"', 1],
    ['"\\\\ud83d"', undefined],
    ['"\\\\\\ud83d"', 3],
    ['"🐻"', undefined],
  ])("in %s is at %s", (json, index) => expect(findLoneSurrogate(json)).toBe(index));
});

test("four characters are a token, an image is a thousand", () => {
  expect(countInputTokens({ messages: ["x".repeat(8)] })).toBe(2);
  expect(countInputTokens({ messages: ["x".repeat(9)], model: "ignored" })).toBe(3);
  expect(countInputTokens({ input: "x".repeat(8), instructions: "abcd" })).toBe(3);
  expect(countInputTokens({ contents: [`data:image/png;base64,${"A".repeat(5000)}`] })).toBe(1000);
});
