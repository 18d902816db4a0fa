import { describe, expect, it } from "vitest";
import { chooseEncoding } from "./content-encoding.ts";

describe("CAT-8 choosing an encoding", () => {
  it.each([
    [undefined, "identity"],
    ["", "identity"],
    ["gzip, deflate, br", "br"],
    ["gzip, deflate", "gzip"],
    ["GZIP", "gzip"],
    ["x-gzip", "gzip"],
    ["br;q=0.5, gzip;q=0.8", "gzip"],
    ["br;q=0, gzip;q=0", "identity"],
    ["*", "br"],
    ["*;q=0", "identity"],
    ["*;q=0.5, br;q=0", "gzip"],
    ["identity, gzip;q=0.5", "identity"],
    ["identity;q=0, gzip;q=0.1", "gzip"],
    ["deflate, zstd", "identity"],
    ["br;q=much", "identity"],
    [", ;q=1,,", "identity"],
  ])("%s gets %s", (header, encoding) => {
    expect(chooseEncoding(header)).toBe(encoding);
  });
});
