import { describe, expect, it } from "vitest";
import { readDataPicture } from "./data-picture.ts";

describe("a picture in a value", () => {
  it("is found with its size", () => {
    expect(readDataPicture("data:image/png;base64,aGVsbG8=")?.bytes).toBe(5);
    expect(readDataPicture("data:image/webp;base64,aGVsbA==")?.bytes).toBe(4);
  });

  it.each([
    "data:image/svg+xml;base64,aGVsbG8=",
    "data:text/html;base64,aGVsbG8=",
    "https://example.com/x.png",
    "data:image/png;base64,",
    "data:image/png,hello",
    " data:image/png;base64,aGVsbG8=",
  ])("is not %s", (text) => {
    expect(readDataPicture(text)).toBeUndefined();
  });
});
