import { expect, it } from "vitest";
import { bytesOf, fitPicture, maxFileBytes, maxPictures, maxSidePx, refusePicture } from "./pictures.ts";

it("a picture is taken by type, size and number, at the limit and not one past it", () => {
  const png = { type: "image/png", size: maxFileBytes };
  expect(refusePicture(png, maxPictures - 1)).toBeUndefined();
  expect(refusePicture(png, maxPictures)).toMatch(/four/);
  expect(refusePicture({ ...png, size: maxFileBytes + 1 }, 0)).toMatch(/8 MB/);
  expect(refusePicture({ ...png, type: "image/svg+xml" }, 0)).toMatch(/PNG/);
});

it("a picture is scaled to its longest side, never up", () => {
  expect(fitPicture(maxSidePx, 100)).toEqual({ width: maxSidePx, height: 100 });
  expect(fitPicture(2 * maxSidePx, 100)).toEqual({ width: maxSidePx, height: 50 });
  expect(fitPicture(1, 40_000)).toEqual({ width: 1, height: maxSidePx });
});

it("pictures are counted by their bytes, not by their base64", () => {
  const data = (bytes: number) => ({ data: Buffer.alloc(bytes).toString("base64") });
  expect(bytesOf([data(1), data(2), data(3), data(100)])).toBe(106);
});
