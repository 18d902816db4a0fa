import { describe, expect, test } from "vitest";
import type { RunProvider } from "../crds/run-config.ts";
import { findImageProblem, findImageLimits } from "./image-data.ts";
import { readImageHeader } from "./image-header.ts";
import { renderTestImage, testImage } from "./testing/images.ts";

const types = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

/** Files as programs write them, cut after their headers; each is 300 pixels wide and 200 high. */
const written: [string, string][] = [
  ["image/webp", "5249464600010000574542505650382000010000d001009d012a2c01c800"],
  ["image/webp", "5249464600010000574542505650384c000100002f2bc13100000000000000"],
  ["image/webp", "524946460001000057454250565038580a000000100000002b0100c70000"],
  ["image/jpeg", "ffd8ffe000104a46494600010100000100010000ffdb00070011223344ffc200110800c8012c03012200021101031101"],
];

describe("AGT-2 an image's header", () => {
  test.each(types)("tells type and pixels of %s", (type) => {
    const bytes = renderTestImage(type, { width: 300, height: 200, bytes: 100 });
    expect(readImageHeader(bytes)).toEqual({ mimeType: type, width: 300, height: 200 });
  });

  test.each(written)("as programs write it: %s %s", (mimeType, hex) => {
    expect(readImageHeader(Buffer.from(hex, "hex"))).toEqual({ mimeType, width: 300, height: 200 });
  });

  test.each(types)("of %s cut anywhere is its type or nothing, never an exception or another size", (type) => {
    const bytes = renderTestImage(type, { width: 300, height: 200 });
    for (let end = 0; end < bytes.length; end += 1) {
      const header = readImageHeader(bytes.subarray(0, end));
      expect([undefined, type]).toContain(header?.mimeType);
      expect([undefined, 300]).toContain(header?.width);
    }
  });

  test("of a JPEG whose segments lead nowhere ends", () => {
    expect(readImageHeader(Buffer.from("ffd8ffe10000ffffffffffff", "hex"))).toEqual({ mimeType: "image/jpeg" });
    expect(readImageHeader(Buffer.concat([Buffer.from("ffd8", "hex"), Buffer.alloc(300_000, 0xff)]))).toEqual({
      mimeType: "image/jpeg",
    });
  });
});

describe("AGT-2 AGT-14 an image whose bytes are not what it is said to be", () => {
  test.each(types)("is refused, and %s as it is is taken", (type) => {
    const image = testImage(type);
    expect(findImageProblem(image, undefined)).toBeUndefined();
    for (const mimeType of types.filter((other) => other !== type)) {
      expect(findImageProblem({ ...image, mimeType }, undefined)).toContain(`but its bytes are ${type}`);
    }
  });

  test("and one without pixels is refused too", () => {
    expect(findImageProblem(testImage("image/png", { width: 0 }), undefined)).toContain("no pixels");
  });
});

describe("AGT-2 AGT-14 what a provider is known to refuse", () => {
  const provider = (kind: RunProvider["kind"]): RunProvider => ({
    name: `our-${kind}`,
    kind,
    headers: [],
    requireListedModel: false,
    forwardInboundAuth: false,
  });
  const providers = (["anthropic", "bedrock", "google", "openai"] as const).map(provider);
  const problemAt = (name: string, image: Parameters<typeof testImage>) =>
    findImageProblem(testImage(...image), findImageLimits(name, providers));

  test.each([
    [
      "our-anthropic",
      { width: 8_000 },
      { width: 8_001 },
      "a side of 8001 pixels, and the model's provider, our-anthropic,",
    ],
    ["our-anthropic", { height: 8_000 }, { height: 8_001 }, "takes at most 8000"],
    ["our-anthropic", { bytes: 7_864_320 }, { bytes: 7_864_321 }, "10485764 bytes as base64"],
    ["our-bedrock", { width: 8_000 }, { width: 8_001 }, "takes at most 8000"],
    [
      "our-bedrock",
      { bytes: 3_932_160 },
      { bytes: 3_932_161 },
      "3932161 bytes, and the model's provider, our-bedrock,",
    ],
  ])("%s: at its limit an image is taken, one past it is refused in words", (name, at, past, said) => {
    expect(problemAt(name, ["image/png", at])).toBeUndefined();
    expect(problemAt(name, ["image/png", past])).toContain(said);
  });

  test("a type that it does not take is named; others it takes", () => {
    expect(problemAt("our-google", ["image/gif"])).toContain(
      "of type image/gif, which the model's provider, our-google,",
    );
    expect(problemAt("our-google", ["image/webp"])).toBeUndefined();
  });

  test("where nothing is known nothing more is refused", () => {
    expect(findImageLimits("our-openai", providers)).toBeUndefined();
    expect(findImageLimits("unknown", providers)).toBeUndefined();
    expect(problemAt("our-openai", ["image/gif", { width: 20_000 }])).toBeUndefined();
  });
});
