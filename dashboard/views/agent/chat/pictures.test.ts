import { expect, it } from "vitest";
import { fitPicture, maxPictureBytes, maxPictures, maxSidePx, refusePicture } from "./pictures.ts";

it("a picture is taken by type, size and number, at the limit and not one past it", () => {
  const png = { type: "image/png", size: maxPictureBytes };
  expect(refusePicture(png, maxPictures - 1)).toBeUndefined();
  expect(refusePicture(png, maxPictures)).toMatch(/four/);
  expect(refusePicture({ ...png, size: maxPictureBytes + 1 }, 0)).toMatch(/8 MB/);
  expect(refusePicture({ ...png, type: "image/svg+xml" }, 0)).toMatch(/PNG/);
});

it("a picture is scaled to its longest side, never up", () => {
  expect(fitPicture(maxSidePx, 100)).toEqual({ width: maxSidePx, height: 100 });
  expect(fitPicture(2 * maxSidePx, 100)).toEqual({ width: maxSidePx, height: 50 });
  expect(fitPicture(1, 40_000)).toEqual({ width: 1, height: maxSidePx });
});
